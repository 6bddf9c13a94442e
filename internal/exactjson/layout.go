package exactjson

import (
	"math"
	"strings"
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

// habitual are the characters that a habit is about, in the order of the habits.
var habitual = []string{"", "", "<>&", "\u2028\u2029", "'=", "/", "\x7f", "\b\f"}

// special returns the first bytes of characters that a string with these habits
// cannot simply copy.
func (e Escape) special() *[256]bool {
	t := special
	t[0x7f] = false
	for i, chars := range habitual {
		for _, r := range chars {
			if e&(1<<i) != 0 {
				t[string(r)[0]] = true
			}
		}
	}
	for c := utf8.RuneSelf; c < 256; c++ {
		t[c] = t[c] || e&EscapeASCII != 0
	}
	return &t
}

var mustEscape = Escape(0).special()

// AppendJSON appends v to dst as JSON text in layout l. Texts and names must be
// valid UTF-8; what is not is written as it is, or as \ufffd with EscapeASCII.
func (v Value) AppendJSON(dst []byte, l Layout) []byte {
	p := NewPrinter(l)
	return p.Print(dst, &v)
}

// A Printer appends JSON text in a layout.
type Printer struct {
	Layout
	colon, comma string // with the space behind them

	Indentation int // how many bytes of indentation there were
	Most        int // so many of them are appended, no more

	special *[256]bool // the first bytes of what a string cannot simply copy
}

// NewPrinter returns a Printer of JSON in layout l.
func NewPrinter(l Layout) Printer {
	p := Printer{Layout: l, colon: ":", comma: ",", Most: math.MaxInt, special: mustEscape}
	if l.ColonSpace || l.Indent != "" {
		p.colon = ": "
	}
	if l.CommaSpace && l.Indent == "" {
		p.comma = ", "
	}
	if l.Escape != 0 {
		p.special = l.Escape.special()
	}
	return p
}

// Print appends a value and what is around it, with the padding before its last bracket.
func (p *Printer) Print(dst []byte, v *Value) []byte {
	dst = p.value(append(dst, p.Before...), v, 0)
	last := len(dst) - 1
	if end := dst[last]; p.Padding > 0 && p.Indent == "" && (end == '}' || end == ']') {
		dst = append(AppendSpaces(dst[:last], p.Padding), end)
	}
	return append(dst, p.After...)
}

// value appends a value that stands within depth arrays and objects.
func (p *Printer) value(dst []byte, v *Value, depth int) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.Text...)
	case String:
		return p.text(dst, v.Text)
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
			dst = append(dst, p.comma...)
		}
		dst = p.newline(dst, depth+1)
		if v.Kind == Object {
			dst = append(p.text(dst, v.Elems[i].Name), p.colon...)
		}
		dst = p.value(dst, &v.Elems[i], depth+1)
	}
	if len(v.Elems) > 0 {
		dst = p.newline(dst, depth)
	}
	return append(dst, end)
}

// newline appends what stands before an element within depth arrays and objects, or
// before the bracket that ends one within so many: on one line nothing.
func (p *Printer) newline(dst []byte, depth int) []byte {
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

// text appends a string.
func (p *Printer) text(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for {
		n := plainUntil(s, p.special)
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			return append(dst, '"')
		}
		r, size := utf8.DecodeRuneInString(s)
		if r < utf8.RuneSelf || p.Escape&EscapeASCII != 0 || r == '\u2028' || r == '\u2029' {
			dst = p.escape(dst, r)
		} else {
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
}

// escape appends r, which is escaped in this layout.
func (p *Printer) escape(dst []byte, r rune) []byte {
	if i := strings.IndexRune(escaped, r); i >= 0 && (r != '\b' && r != '\f' || p.Escape&EscapeLong == 0) {
		return append(dst, '\\', letters[i])
	}
	return AppendUnicodeEscape(dst, r, p.Escape&EscapeUpper != 0)
}

// AppendSpaces appends n spaces to dst.
func AppendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
