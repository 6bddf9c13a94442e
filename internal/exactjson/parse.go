package exactjson

import (
	"fmt"
	"unicode/utf8"
)

// Value is a JSON value that keeps what encoding/json's any does not: the order
// of members, duplicate members and the literal of every number.
type Value struct {
	Kind  Kind
	ID    int32   // set by users of the package; Parse leaves it 0
	Name  string  // the name of the member whose value it is; without meaning elsewhere
	Text  string  // Bool: "true" or "false"; Number: the literal; String: the decoded text
	Elems []Value // Array: the elements; Object: the members, in order
}

// Twice returns the first member that has the name of an earlier one, or nil.
func Twice(members []Value) *Value {
	seen := map[string]bool{}
	for i := range members {
		name := members[i].Name
		if seen[name] {
			return &members[i]
		}
		seen[name] = true
	}
	return nil
}

// Parse reads one JSON value (RFC 8259) with optional white space around it.
//
// It is stricter than encoding/json where a Value could not give the same bytes
// back: invalid UTF-8 and escapes of lone surrogates are errors, and so is
// nesting deeper than 1,000. Duplicate members are kept in order. Errors start
// with "json: byte N:", N counted from 0. Strings without escapes and numbers are
// slices of the text; the result does not refer to b if that is bytes.
func Parse[T string | []byte](b T) (Value, error) { return new(Parser).Parse(string(b)) }

// ParseEscaped is [Parse], but the texts of strings, other than names, are escaped by
// [EscapeText].
func ParseEscaped(text string) (Value, error) { return (&Parser{escaped: true}).Parse(text) }

// A Parser parses texts. For many texts it needs less memory than [Parse].
type Parser struct {
	src     string
	escaped bool // see ParseEscaped
	scan    Scanner
	text    []byte  // a buffer for strings with escapes
	pending []Value // the elements so far of all open arrays and objects
}

// Parse is [Parse].
func (p *Parser) Parse(src string) (Value, error) {
	p.src = src
	p.pending = p.pending[:0]
	p.scan.Reset(src)
	if i := InvalidUTF8(src); i >= 0 {
		return Value{}, p.errorf(i, "invalid UTF-8")
	}
	s := &p.scan
	if !s.Next() {
		return Value{}, p.unexpected()
	}
	v, err := p.value("")
	if err != nil {
		return Value{}, err
	}
	if s.peek() != 0 || s.pos < len(s.text) {
		s.fail("the end")
		return Value{}, p.unexpected()
	}
	return v, nil
}

// value returns the value whose first token is the current one.
func (p *Parser) value(name string) (v Value, err error) {
	s := &p.scan
	v = Value{Name: name, Kind: s.Kind}
	switch s.Kind {
	case Null:
	case String:
		v.Text, err = p.str(p.escaped)
	case Bool, Number:
		v.Text = p.src[s.Start:s.End]
	default:
		v.Elems, err = p.elems()
	}
	return v, err
}

// elems returns the elements of the array or object whose opening bracket is the current token.
// The result shares no memory with other values, so that callers may append to it.
func (p *Parser) elems() (elems []Value, err error) {
	s := &p.scan
	first := len(p.pending)
	for s.Next() && s.Token != Close {
		name := ""
		if s.Token == Name {
			name, err = p.str(false)
			if err != nil {
				return nil, err
			}
			if !s.Next() {
				break
			}
		}
		v, err := p.value(name)
		if err != nil {
			return nil, err
		}
		p.pending = append(p.pending, v)
	}
	if s.fault != noFault {
		return nil, p.unexpected()
	}
	elems = append(elems, p.pending[first:]...)
	p.pending = p.pending[:first]
	return elems, nil
}

// str returns the text of the current string token, or if escaped is set, the result of
// [EscapeText] for it. In most strings this is the source text, which is not copied.
func (p *Parser) str(escaped bool) (string, error) {
	s := &p.scan
	if !s.hasEscapes || escaped && !s.differs {
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
	p.text = text
	if problem != "" {
		return "", p.errorf(start+1+at, "%s", problem)
	}
	return string(text), nil
}

func (p *Parser) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("json: byte %d: %s", at, fmt.Sprintf(format, args...))
}

// unexpected returns an error for the fault that ended the scan.
func (p *Parser) unexpected() error {
	at, want := p.scan.pos, p.scan.want
	switch {
	case p.scan.fault == tooDeep:
		return p.errorf(at, "nested deeper than %d", MaxDepth)
	case p.scan.fault == unended:
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
