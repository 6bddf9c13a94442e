package exactjson

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is a JSON value that keeps what encoding/json's any does not: the order
// of members, duplicate members and the literal of every number.
type Value struct {
	Kind  Kind
	Mark  int32    // whatever a user of the value wants to know it by; Parse leaves it 0
	Text  string   // Bool: "true" or "false"; Number: the literal; String: the decoded text
	Names []string // Object: the member names, in order
	Elems []Value  // Array: the elements; Object: the member values
}

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 1000

// Parse reads one JSON value (RFC 8259) with optional white space around it.
//
// It is stricter than encoding/json where a Value could not give the same bytes
// back: invalid UTF-8 and escapes of lone surrogates are errors, and so is
// nesting deeper than 1,000. Duplicate members are kept in order. Errors start
// with "json: byte N:", N counted from 0. The result does not refer to b.
func Parse(b []byte) (Value, error) {
	var p Parser
	return p.Parse(string(b))
}

// Parse is [Parse], but the values of all calls share allocations: they and
// all below them are valid until Reset. Their texts and names always are.
func (p *Parser) Parse(src string) (Value, error) {
	p.src, p.pos, p.depth = src, 0, 0
	p.stack, p.nameStack = p.stack[:0], p.nameStack[:0]
	if i := InvalidUTF8(p.src); i >= 0 {
		return Value{}, p.errorf(i, "invalid UTF-8")
	}
	p.space()
	if err := p.value(); err != nil {
		return Value{}, err
	}
	p.space()
	if p.pos < len(p.src) {
		return Value{}, p.unexpected("the end")
	}
	return p.stack[0], nil
}

// InvalidUTF8 returns the offset of the first byte of s that is not UTF-8, or -1.
func InvalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			return i
		}
	}
	return -1 // unreachable: the string is not valid
}

// A Parser reads JSON values that are used for a while only. Its zero value
// is ready to use.
//
// It collects the elements of open arrays and objects on two stacks and cuts
// the finished ones out of slabs, so that a body costs few allocations. Strings
// without escapes and numbers are slices of src.
type Parser struct {
	Escaped bool // the texts of strings are as [AppendEscaped] writes them; names are not

	src   string
	pos   int
	depth int

	stack     []Value
	nameStack []string
	vals      slab[Value]
	names     slab[string]

	buf  []byte          // the string with escapes that is being read
	text strings.Builder // such strings; never grown, so that none is copied
}

// Reset takes back the values that were parsed, and keeps room for as many
// unless that is much.
func (p *Parser) Reset() {
	if max(cap(p.stack), cap(p.nameStack), len(p.vals.all), len(p.names.all)) > 1024 {
		*p = Parser{Escaped: p.Escaped}
		return
	}
	// They are not cleared: that costs as much as to write them, and what they
	// refer to is let go of when others are parsed.
	p.vals.room, p.names.room = p.vals.all, p.names.all
	p.src = ""
}

// Make returns an array or object of n values to be filled in; it is valid as
// long as the values that were parsed are.
func (p *Parser) Make(kind Kind, n int) Value {
	v := Value{Kind: kind, Elems: p.vals.make(n)}
	if kind == Object {
		v.Names = p.names.make(n)
	}
	return v
}

// A slab is memory that slices are cut out of.
type slab[T any] struct {
	room []T // what is left of all
	all  []T
}

func (s *slab[T]) make(n int) []T {
	if n == 0 {
		return nil
	}
	if len(s.room) < n {
		s.all = make([]T, max(n, min(2*len(s.all), 512), 16))
		s.room = s.all
	}
	part := s.room[:n:n]
	s.room = s.room[n:]
	return part
}

func (s *slab[T]) copy(from []T) []T {
	part := s.make(len(from))
	copy(part, from)
	return part
}

func (p *Parser) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("json: byte %d: %s", at, fmt.Sprintf(format, args...))
}

func (p *Parser) unexpected(want string) error {
	if p.pos >= len(p.src) {
		return p.errorf(p.pos, "want %s, found the end", want)
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return p.errorf(p.pos, "want %s, found %q", want, r)
}

func (p *Parser) space() {
	for p.pos < len(p.src) && IsSpace(p.src[p.pos]) {
		p.pos++
	}
}

func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// value reads a value and pushes it on the stack.
func (p *Parser) value() error {
	if p.pos >= len(p.src) {
		return p.unexpected("a value")
	}
	switch c := p.src[p.pos]; c {
	case '{', '[':
		return p.container(c)
	case '"':
		s, err := p.str(p.Escaped)
		if err != nil {
			return err
		}
		p.stack = append(p.stack, Value{Kind: String, Text: s})
		return nil
	case 't':
		return p.word("true", Value{Kind: Bool, Text: "true"})
	case 'f':
		return p.word("false", Value{Kind: Bool, Text: "false"})
	case 'n':
		return p.word("null", Value{})
	}
	end, ok := ScanNumber(p.src, p.pos)
	if !ok {
		p.pos = end
		return p.unexpected("a value")
	}
	p.stack = append(p.stack, Value{Kind: Number, Text: p.src[p.pos:end]})
	p.pos = end
	return nil
}

func (p *Parser) word(w string, v Value) error {
	if !strings.HasPrefix(p.src[p.pos:], w) {
		return p.unexpected("a value")
	}
	p.pos += len(w)
	p.stack = append(p.stack, v)
	return nil
}

// ScanNumber returns the end of the JSON number that starts at s[i], or the
// offset at which it stops being one.
func ScanNumber(s string, i int) (end int, ok bool) {
	at := func(i int) byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	digits := func(i int) int {
		for at(i) >= '0' && at(i) <= '9' {
			i++
		}
		return i
	}
	if at(i) == '-' {
		i++
	}
	j := digits(i)
	if j == i {
		return i, false
	}
	if at(i) == '0' {
		j = i + 1
	}
	if at(j) == '.' {
		k := digits(j + 1)
		if k == j+1 {
			return k, false
		}
		j = k
	}
	if at(j) == 'e' || at(j) == 'E' {
		j++
		if at(j) == '+' || at(j) == '-' {
			j++
		}
		k := digits(j)
		if k == j {
			return k, false
		}
		j = k
	}
	return j, true
}

// container reads an array or an object whose opening bracket is at pos.
func (p *Parser) container(open byte) error {
	if p.depth++; p.depth > MaxDepth {
		return p.errorf(p.pos, "nested deeper than %d", MaxDepth)
	}
	kind, end, want := Array, byte(']'), `"," or "]"`
	if open == '{' {
		kind, end, want = Object, '}', `"," or "}"`
	}
	p.pos++
	p.space()
	vals, names := len(p.stack), len(p.nameStack)
	for p.pos >= len(p.src) || p.src[p.pos] != end || len(p.stack) > vals {
		if kind == Object {
			if err := p.name(); err != nil {
				return err
			}
		}
		if err := p.value(); err != nil {
			return err
		}
		p.space()
		if p.pos < len(p.src) && p.src[p.pos] == end {
			break
		}
		if p.pos >= len(p.src) || p.src[p.pos] != ',' {
			return p.unexpected(want)
		}
		p.pos++
		p.space()
	}
	p.pos++
	p.depth--
	v := Value{Kind: kind, Elems: p.vals.copy(p.stack[vals:]), Names: p.names.copy(p.nameStack[names:])}
	p.stack, p.nameStack = append(p.stack[:vals], v), p.nameStack[:names]
	return nil
}

// name reads a member's name and the colon after it.
func (p *Parser) name() error {
	if p.pos >= len(p.src) || p.src[p.pos] != '"' {
		return p.unexpected("a member name")
	}
	s, err := p.str(false)
	if err != nil {
		return err
	}
	p.nameStack = append(p.nameStack, s)
	p.space()
	if p.pos >= len(p.src) || p.src[p.pos] != ':' {
		return p.unexpected(`":"`)
	}
	p.pos++
	p.space()
	return nil
}

// str reads a string whose opening quote is at pos. If escaped it leaves it as
// it stands where that is how [AppendEscaped] writes it: most texts are copied
// from one JSON to another, and need not be decoded for that.
func (p *Parser) str(escaped bool) (string, error) {
	start := p.pos + 1
	p.pos = start + plain(p.src[start:])
	end := p.pos
	for escaped && len(p.src)-end > 1 && p.src[end] == '\\' && short(p.src[end+1]) {
		end += 2
		end += plain(p.src[end:])
	}
	if end < len(p.src) && p.src[end] == '"' {
		p.pos = end + 1
		return p.src[start:end], nil
	}
	s, err := p.decoded(start)
	if escaped {
		s = EscapeText(s)
	}
	return s, err
}

// short reports whether AppendEscaped writes an escape with c.
func short(c byte) bool { return c == 'n' || c == '"' || c == '\\' || c == 't' || c == 'r' }

// plain returns how many bytes s starts with that stand for themselves in a
// string on one line. It looks at eight at a time: most of a body is text.
func plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for len(s)-n >= 8 {
		w := s[n : n+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, slash, del := x^'"'*ones, x^'\\'*ones, x^0x7f*ones
		// The high bit of a byte is set where it is below ' ', or nothing is left of
		// it. Bytes above such a one can be taken for one too, but not below.
		if found := ((x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash | (del-ones)&^del) & high; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
		n += 8
	}
	for n < len(s) && !special[s[n]] {
		n++
	}
	return n
}

// special are the bytes that do not stand for themselves in a string on one line.
var special = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\\'], t[0x7f] = true, true, true
	return t
}()

const hexDigit = "0123456789abcdef"

// AppendEscaped appends s as it stands between the quotes of a JSON string, on
// one line: control characters, quotes and backslashes escaped, each in one way,
// and everything else as it is, invalid UTF-8 too. So different strings stay
// different, and those that need no escape are themselves.
func AppendEscaped(b []byte, s string) []byte {
	for {
		n := plain(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return b
		}
		switch c := s[n]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigit[c>>4], hexDigit[c&15])
		}
		s = s[n+1:]
	}
}

// EscapeText returns what [AppendEscaped] appends.
func EscapeText(s string) string {
	if plain(s) == len(s) {
		return s
	}
	return string(AppendEscaped(nil, s))
}

// UnescapeText returns the string that [EscapeText] made s of.
func UnescapeText(s string) string {
	n := strings.IndexByte(s, '\\')
	if n < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for ; n >= 0; n = strings.IndexByte(s, '\\') {
		r, size, _ := DecodeEscape(s[n:])
		b = utf8.AppendRune(append(b, s[:n]...), r)
		s = s[n+max(size, 1):]
	}
	return string(append(b, s...))
}

// decoded reads the rest of a string that starts at start and whose first byte
// that does not stand for itself is at pos.
func (p *Parser) decoded(start int) (string, error) {
	p.buf = append(p.buf[:0], p.src[start:p.pos]...)
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '"':
			p.pos++
			return p.keep(p.buf), nil
		case c < ' ':
			return "", p.errorf(p.pos, "control character %q in a string", rune(c))
		}
		r, n, ok := rune(c), 1, true
		if c == '\\' {
			r, n, ok = DecodeEscape(p.src[p.pos:])
		}
		if !ok {
			return "", p.errorf(p.pos, "invalid escape")
		}
		if utf16.IsSurrogate(r) {
			return "", p.errorf(p.pos, "escape of a lone surrogate")
		}
		p.buf = utf8.AppendRune(p.buf, r)
		p.pos += n
		n = plain(p.src[p.pos:])
		p.buf = append(p.buf, p.src[p.pos:p.pos+n]...)
		p.pos += n
	}
	return "", p.errorf(start-1, "string without an end")
}

// keep returns b as a string: strings with escapes share allocations too.
func (p *Parser) keep(b []byte) string {
	if p.text.Cap()-p.text.Len() < len(b) {
		p.text.Reset()
		p.text.Grow(max(len(b), min(len(p.src)-p.pos, 4096)))
	}
	at := p.text.Len()
	p.text.Write(b)
	return p.text.String()[at:]
}

// DecodeEscape decodes the escape that s starts with, a surrogate pair as one,
// and returns its length. A lone surrogate is returned as such.
func DecodeEscape(s string) (r rune, n int, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
		return DecodeUnicodeEscape(s)
	}
	return 0, 0, false
}

// DecodeUnicodeEscape decodes the \uXXXX that s starts with; see DecodeEscape.
func DecodeUnicodeEscape(s string) (r rune, n int, ok bool) {
	r, ok = HexDigits(s, 2, 4)
	if !ok {
		return 0, 0, false
	}
	if utf16.IsSurrogate(r) && len(s) > 7 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := HexDigits(s, 8, 4); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12, true
			}
		}
	}
	return r, 6, true
}

// HexDigits reads the n hex digits at s[at:].
func HexDigits(s string, at, n int) (rune, bool) {
	if len(s) < at+n {
		return 0, false
	}
	var r rune
	for i := at; i < at+n; i++ {
		r <<= 4
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			r |= rune(c - '0')
		case c >= 'a' && c <= 'f':
			r |= rune(c - 'a' + 10)
		case c >= 'A' && c <= 'F':
			r |= rune(c - 'A' + 10)
		default:
			return 0, false
		}
	}
	return r, true
}
