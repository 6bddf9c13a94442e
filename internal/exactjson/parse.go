package exactjson

import (
	"fmt"
	"unicode/utf8"
)

// Value is a JSON value that keeps what encoding/json's any does not: the order
// of members, duplicate members and the literal of every number.
type Value struct {
	Kind  Kind
	ID    int32   // what a user knows the value by; Parse leaves it 0
	Name  string  // of the member whose value it is; means nothing elsewhere
	Text  string  // Bool: "true" or "false"; Number: the literal; String: the decoded text
	Elems []Value // Array: the elements; Object: the members, in order
}

// Unique reports whether the names of members are different.
func Unique(members []Value) bool {
	if len(members) > 16 {
		seen := make(map[string]bool, len(members))
		for i := range members {
			seen[members[i].Name] = true
		}
		return len(seen) == len(members)
	}
	for i := range members {
		for j := range i {
			if members[i].Name == members[j].Name {
				return false
			}
		}
	}
	return true
}

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

// A Parser reads JSON values that are used for a while only. Its zero value
// is ready to use.
//
// It collects values on a stack and cuts the elements of finished arrays and objects
// out of slabs, so that a body costs few allocations. Strings without escapes and
// numbers are slices of the text.
type Parser struct {
	Escaped bool // the texts of strings are as [AppendEscaped] writes them; names are not

	src   string
	scan  Scanner
	stack []Value // the values that were read and are not part of another yet
	open  []int   // the arrays and objects on the stack that are not closed

	slab []Value // what elements are cut out of; it is used up to its length
	text []byte  // of a string with escapes
}

// Parse is [Parse], but the values of all calls share allocations: they and
// all below them are valid until Reset. Their texts and names always are.
func (p *Parser) Parse(src string) (Value, error) {
	p.src = src
	p.scan.Reset(src)
	p.stack, p.open = p.stack[:0], p.open[:0]
	if i := InvalidUTF8(src); i >= 0 {
		return Value{}, p.errorf(i, "invalid UTF-8")
	}
	name := ""
	for s := &p.scan; s.Next(); {
		var err error
		switch s.Token {
		case Name:
			name, err = p.str(false)
		case Open:
			p.open = append(p.open, len(p.stack))
			p.stack = append(p.stack, Value{Name: name, Kind: s.Kind})
			name = ""
		case Close:
			p.close()
		default:
			v := Value{Name: name, Kind: s.Kind}
			v.Text, err = p.scalar()
			p.stack = append(p.stack, v)
			name = ""
		}
		if err != nil {
			return Value{}, err
		}
		if len(p.open) == 0 {
			return p.last()
		}
	}
	return Value{}, p.unexpected()
}

// close takes the elements of the innermost array or object from the stack.
func (p *Parser) close() {
	last := len(p.open) - 1
	at := p.open[last]
	p.open = p.open[:last]
	v := &p.stack[at]
	v.Elems = p.alloc(len(p.stack) - at - 1)
	copy(v.Elems, p.stack[at+1:])
	p.stack = p.stack[:at+1]
}

// last returns the value that was read, if nothing but white space is behind it.
func (p *Parser) last() (Value, error) {
	if s := &p.scan; s.peek() != 0 || s.pos < len(s.text) {
		s.fail("the end")
		return Value{}, p.unexpected()
	}
	return p.stack[0], nil
}

// scalar returns the text of the value that was scanned.
func (p *Parser) scalar() (string, error) {
	switch s := &p.scan; s.Kind {
	case Null:
		return "", nil
	case String:
		return p.str(p.Escaped)
	default:
		return p.src[s.Start:s.End], nil
	}
}

// str returns the text of the string that was scanned. If escaped it is left as it
// stands where that is how [AppendEscaped] writes it: most texts are copied from one
// JSON to another, and need not be decoded for that.
func (p *Parser) str(escaped bool) (string, error) {
	s := &p.scan
	if s.form == 0 || escaped && s.form&unlike == 0 {
		return p.src[s.Start+1 : s.End-1], nil
	}
	text, err := p.decode(s.Start, s.End-1)
	if escaped {
		text = EscapeText(text)
	}
	return text, err
}

// decode decodes the string whose quotes are at start and end.
func (p *Parser) decode(start, end int) (string, error) {
	text, at, problem := unescape(p.text[:0], p.src[start+1:end])
	if p.text = text; problem != "" {
		return "", p.errorf(start+1+at, "%s", problem)
	}
	return string(text), nil
}

// Reset takes back the values that were parsed, and keeps room for as many
// unless that is much.
func (p *Parser) Reset() {
	if max(cap(p.stack), cap(p.slab)) > 1024 {
		*p = Parser{Escaped: p.Escaped}
		return
	}
	// They are not cleared: that costs as much as to write them, and what they
	// refer to is let go of when others are parsed.
	p.slab, p.src = p.slab[:0], ""
}

// Make returns an array or object of the given elements; it is valid as long as the
// values that were parsed are.
func (p *Parser) Make(kind Kind, elems ...Value) Value {
	v := Value{Kind: kind, Elems: p.alloc(len(elems))}
	copy(v.Elems, elems)
	return v
}

// alloc cuts n values out of the slab.
func (p *Parser) alloc(n int) []Value {
	if n == 0 {
		return nil
	}
	at := len(p.slab)
	if cap(p.slab)-at < n {
		p.slab, at = make([]Value, 0, max(n, min(2*cap(p.slab), 512), 16)), 0
	}
	p.slab = p.slab[:at+n]
	return p.slab[at : at+n : at+n]
}

func (p *Parser) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("json: byte %d: %s", at, fmt.Sprintf(format, args...))
}

// unexpected says why the scan ended.
func (p *Parser) unexpected() error {
	at, want := p.scan.pos, p.scan.want
	switch {
	case want == tooDeep:
		return p.errorf(at, "nested deeper than %d", MaxDepth)
	case want == unended:
		if _, err := p.decode(at, len(p.src)); err != nil {
			return err
		}
		return p.errorf(at, "string without an end")
	case at >= len(p.src):
		return p.errorf(at, "want %s, found the end", want)
	}
	r, _ := utf8.DecodeRuneInString(p.src[at:])
	return p.errorf(at, "want %s, found %q", want, r)
}
