package exactjson

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// Layout says how a JSON text is laid out: everything that its bytes hold
// beyond its Value. The zero Layout is compact JSON: no white space, raw UTF-8,
// and only the escapes that must be (\" \\ \b \f \n \r \t, else \u001f with
// lower-case digits).
type Layout struct {
	Before, After string // white space around the value
	Indent        string // a level's indentation, one element a line; "" is all on one line
	ColonSpace    bool   // on one line: ": " (indented JSON always has it)
	CommaSpace    bool   // on one line: ", "
	Padding       int    // on one line: spaces before the last bracket (Anthropic's streams)
	Escape        Escape // what is escaped beyond what must be
}

// Escape is a set of escaping habits.
type Escape uint16

// The escaping habits.
const (
	EscapeASCII      Escape = 1 << iota // every non-ASCII character as \uXXXX (Python, PHP)
	EscapeUpper                         // upper-case hex digits (.NET)
	EscapeHTML                          // < > & as \u003c \u003e \u0026 (Go)
	EscapeSeparators                    // U+2028 and U+2029 (Go, Gson)
	EscapeGson                          // ' and = as \u0027 \u003d (Gson)
	EscapeSlash                         // \/ (PHP)
	EscapeDelete                        // U+007F (Python)
	EscapeLong                          // \u0008 and \u000c instead of \b and \f (Go before 1.22)
)

// EscapeNames are the habits' names in a cassette.
var EscapeNames = []string{"ascii", "upper", "html", "separators", "gson", "slash", "delete", "long"}

// AppendJSON appends v to dst as JSON text in layout l. Texts and names must be
// valid UTF-8; what is not is written as it is, or as \ufffd with EscapeASCII.
func (v Value) AppendJSON(dst []byte, l Layout) []byte {
	p := NewPrinter(l)
	return p.Print(dst, &v)
}

// A Printer appends JSON text in a layout.
type Printer struct {
	Layout
	Colon, Comma string
	Special      *[256]bool // bytes that a string cannot simply copy

	Indentation int // bytes of it that there were
	Most        int // so many of them are appended
}

func NewPrinter(l Layout) Printer {
	p := Printer{Layout: l, Colon: ":", Comma: ",", Special: &MustEscape, Most: math.MaxInt}
	if l.ColonSpace || l.Indent != "" {
		p.Colon = ": "
	}
	if l.CommaSpace && l.Indent == "" {
		p.Comma = ", "
	}
	if l.Escape != 0 {
		p.Special = specials(l.Escape)
	}
	return p
}

// print appends a value and what is around it.
func (p *Printer) Print(dst []byte, v *Value) []byte {
	return p.End(p.value(append(dst, p.Before...), v, 0), p.Padding)
}

// end appends what follows a value, and puts padding before its last bracket.
func (p *Printer) End(dst []byte, padding int) []byte {
	if n := len(dst); padding > 0 && p.Indent == "" && n > 0 && (dst[n-1] == '}' || dst[n-1] == ']') {
		last := dst[n-1]
		dst = append(AppendSpaces(dst[:n-1], padding), last)
	}
	return append(dst, p.After...)
}

var MustEscape = *specials(0)

// specials returns the bytes at which a string needs a closer look.
func specials(e Escape) *[256]bool {
	t := new([256]bool)
	for c := range 256 {
		t[c] = c < ' ' || c >= utf8.RuneSelf && e&EscapeASCII != 0
	}
	t['"'], t['\\'] = true, true
	t['/'] = e&EscapeSlash != 0
	t['<'], t['>'], t['&'] = e&EscapeHTML != 0, e&EscapeHTML != 0, e&EscapeHTML != 0
	t['\''], t['='] = e&EscapeGson != 0, e&EscapeGson != 0
	t[0x7f] = e&EscapeDelete != 0
	t[0xe2] = t[0xe2] || e&EscapeSeparators != 0 // U+2028 is e2 80 a8
	return t
}

func (p *Printer) value(dst []byte, v *Value, depth int) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.Text...)
	case String:
		return p.String(dst, v.Text)
	}
	return p.container(dst, v, depth)
}

func (p *Printer) container(dst []byte, v *Value, depth int) []byte {
	open, end := byte('['), byte(']')
	if v.Kind == Object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, p.Comma...)
		}
		dst = p.Newline(dst, depth+1)
		if v.Kind == Object {
			dst = append(p.String(dst, v.Names[i]), p.Colon...)
		}
		dst = p.value(dst, &v.Elems[i], depth+1)
	}
	if len(v.Elems) > 0 {
		dst = p.Newline(dst, depth)
	}
	return append(dst, end)
}

func (p *Printer) Newline(dst []byte, depth int) []byte {
	if p.Indent == "" {
		return dst
	}
	if p.Indentation += 1 + depth*len(p.Indent); p.Indentation > p.Most {
		return dst
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, p.Indent...)
	}
	return dst
}

func (p *Printer) String(dst []byte, s string) []byte {
	return append(p.Inner(append(dst, '"'), s), '"')
}

// inner appends the inside of a string.
func (p *Printer) Inner(dst []byte, s string) []byte {
	done := 0
	for i := 0; i < len(s); {
		if !p.Special[s[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < utf8.RuneSelf || p.Escape&EscapeASCII != 0 || r == '\u2028' || r == '\u2029' {
			dst = p.AppendEscape(append(dst, s[done:i]...), r)
			done = i + size
		}
		i += size
	}
	return append(dst, s[done:]...)
}

// escape appends r, which is escaped in this layout.
func (p *Printer) AppendEscape(dst []byte, r rune) []byte {
	short := byte(0)
	switch r {
	case '"', '\\', '/':
		short = byte(r)
	case '\n':
		short = 'n'
	case '\r':
		short = 'r'
	case '\t':
		short = 't'
	case '\b':
		short = 'b'
	case '\f':
		short = 'f'
	}
	if short != 0 && (r != '\b' && r != '\f' || p.Escape&EscapeLong == 0) {
		return append(dst, '\\', short)
	}
	return AppendUnicodeEscape(dst, r, p.Escape&EscapeUpper != 0)
}

// DetectLayout finds the layout in which v, the value of the JSON text b, is
// printed as exactly b. Without one, ok is false.
func DetectLayout(b []byte, v Value) (l Layout, ok bool) {
	l, _, ok = DetectIndented(b, v)
	return l, ok
}

// DetectIndented is DetectLayout; it also returns how much of b is indentation.
func DetectIndented(b []byte, v Value) (l Layout, indentation int, ok bool) {
	var c Clues
	c.Scan(string(b))
	l = c.Layout()
	indentation, ok = Prints(v, l, b)
	return l, indentation, ok
}

// Prints reports whether v in layout l is exactly b, and how much of that is
// indentation.
func Prints[T string | []byte](v Value, l Layout, b T) (indentation int, same bool) {
	buf := printed.Get().(*[]byte)
	defer printed.Put(buf)
	p := NewPrinter(l)
	*buf = p.Print((*buf)[:0], &v)
	same = string(*buf) == string(b)
	if cap(*buf) > 1<<20 {
		*buf = nil
	}
	return p.Indentation, same
}

// printed are buffers to compare in; every body that is recorded needs one.
var printed = sync.Pool{New: func() any { return new([]byte) }}

// Clues are what JSON texts of one origin give away about their layout. They
// prove nothing: a text may contradict itself, so who asks has to print.
type Clues struct {
	seen                         bool
	before, after, indent        string
	padding                      int
	colons, commas               bool // there is one on a single line
	spaceAfterColon, spaceAfterC bool // the first one has a space after it
	escape                       Escape
}

func (c *Clues) Layout() Layout {
	l := Layout{Before: c.before, After: c.after, Indent: c.indent, Escape: c.escape}
	if c.indent == "" {
		l.Padding = c.padding
		// What there is none of is taken to be like the other, as printers do.
		l.ColonSpace = c.spaceAfterColon || !c.colons && c.spaceAfterC
		l.CommaSpace = c.spaceAfterC || !c.commas && c.spaceAfterColon
	}
	if l.Escape&EscapeASCII != 0 {
		l.Escape &^= EscapeSeparators
	}
	return l
}

// scan adds what the valid JSON text s gives away. White space around,
// indentation and padding are taken from the first text only.
func (c *Clues) Scan(s string) {
	core := strings.Trim(s, " \t\r\n")
	if !c.seen {
		c.seen = true
		i := strings.Index(s, core)
		c.before, c.after = s[:i], s[i+len(core):]
		if len(core) > 1 && core[1] == '\n' {
			c.indent = core[2 : len(core)-len(strings.TrimLeft(core[2:], " \t"))]
		}
		c.padding = PaddingOf(core)
	}
	spaced := func(i int) bool { return i+1 < len(core) && core[i+1] == ' ' }
	for i := 0; i < len(core); i++ {
		switch core[i] {
		case '"':
			i = c.str(core, i)
		case ':':
			if !c.colons {
				c.colons, c.spaceAfterColon = true, spaced(i)
			}
		case ',':
			if !c.commas {
				c.commas, c.spaceAfterC = true, spaced(i)
			}
		}
	}
}

// PaddingOf returns how many spaces stand before the last character of s, which
// is JSON and ends in no white space.
func PaddingOf(s string) int {
	s = s[:len(s)-1]
	return len(s) - len(strings.TrimRight(s, " "))
}

// str scans the string whose opening quote is s[i] and returns the offset of
// its closing one.
func (c *Clues) str(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] != '\\' {
			continue
		}
		r, n, ok := DecodeEscape(s[i:])
		if !ok {
			return len(s)
		}
		c.habit(s[i:i+n], r)
		i += n - 1
	}
	return i
}

// habit adds what the escape esc of r gives away.
func (c *Clues) habit(esc string, r rune) {
	if esc == `\/` {
		c.escape |= EscapeSlash
	}
	if esc[1] != 'u' {
		return
	}
	if strings.ContainsAny(esc, "ABCDEF") {
		c.escape |= EscapeUpper
	}
	switch {
	case r == '<' || r == '>' || r == '&':
		c.escape |= EscapeHTML
	case r == '\'' || r == '=':
		c.escape |= EscapeGson
	case r == '\u2028' || r == '\u2029':
		c.escape |= EscapeSeparators
	case r == '\b' || r == '\f':
		c.escape |= EscapeLong
	case r == 0x7f:
		c.escape |= EscapeDelete
	case r > 0x7f:
		c.escape |= EscapeASCII
	}
}

// AppendSpaces appends n spaces to dst.
func AppendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
