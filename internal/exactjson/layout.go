package exactjson

import (
	"math"
	"strings"
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
		dst = append(append(dst[:last], strings.Repeat(" ", p.Padding)...), end)
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
		return append(p.Escape.text(append(dst, '"'), v.Text, p.special), '"')
	}
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
			dst = append(p.Escape.text(append(dst, '"'), v.Elems[i].Name, p.special), '"')
			dst = append(dst, p.colon...)
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
	p.Indentation += 1 + depth*len(p.Indent)
	if p.Indentation > p.Most {
		return dst
	}
	return append(append(dst, '\n'), strings.Repeat(p.Indent, depth)...)
}
