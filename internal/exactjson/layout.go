package exactjson

import (
	"math"
	"strings"
)

// Layout is everything in a JSON text that its Value does not have. The zero Layout is
// compact JSON: no white space, raw UTF-8, and only the escapes that are required
// (\" \\ \b \f \n \r \t, other control characters as \u001f with lower-case digits).
type Layout struct {
	Before, After string // white space around the value
	Indent        string // the indentation for each level; "" puts everything on one line
	Escape        Escape // the characters that are escaped without need

	// These are for JSON on one line. Indented JSON always has a space after a colon.

	ColonSpace bool // a space after each colon
	CommaSpace bool // a space after each comma
	Padding    int  // the number of spaces before the last bracket, as in Anthropic's streams
}

// AppendJSON appends v to dst as JSON text in layout l. Strings and names must be valid
// UTF-8. Invalid bytes are written as they are, or as \ufffd with EscapeASCII.
func (v Value) AppendJSON(dst []byte, l Layout) []byte {
	p := NewPrinter(l)
	return p.Print(dst, &v)
}

// A Printer appends JSON text in a layout.
type Printer struct {
	Layout
	colon, comma string // each with the space after it

	Indentation    int // the number of bytes of indentation so far, with line ends
	MaxIndentation int // the most bytes of indentation that are appended; the rest are only counted

	special *[256]bool // the first bytes of characters that may need an escape
}

// NewPrinter returns a Printer of JSON in layout l.
func NewPrinter(l Layout) Printer {
	p := Printer{
		Layout:         l,
		colon:          ":",
		comma:          ",",
		MaxIndentation: math.MaxInt,
		special:        requiredSpecial,
	}
	if l.ColonSpace || l.Indent != "" {
		p.colon = ": "
	}
	if l.CommaSpace && l.Indent == "" {
		p.comma = ", "
	}
	if l.Escape != 0 {
		p.special = l.Escape.specialBytes()
	}
	return p
}

// Print appends a value with the padding before its last bracket, and the white space around
// the value.
func (p *Printer) Print(dst []byte, v *Value) []byte {
	dst = p.value(append(dst, p.Before...), v, 0)
	last := len(dst) - 1
	end := dst[last]
	isBracket := end == '}' || end == ']'
	if p.Padding > 0 && p.Indent == "" && isBracket {
		dst = append(append(dst[:last], strings.Repeat(" ", p.Padding)...), end)
	}
	return append(dst, p.After...)
}

// value appends a value that is inside depth arrays and objects.
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

// newline appends the line end and the indentation before an element or a closing bracket that
// is inside depth arrays and objects. On one line, it appends nothing.
func (p *Printer) newline(dst []byte, depth int) []byte {
	if p.Indent == "" {
		return dst
	}
	p.Indentation += 1 + depth*len(p.Indent)
	if p.Indentation > p.MaxIndentation {
		return dst
	}
	return append(append(dst, '\n'), strings.Repeat(p.Indent, depth)...)
}
