package canon

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// A Body is the JSON object that rules rewrite. The value is the rules' own:
// nothing of it is written or sent. The texts of its strings are escaped; see
// [cassette.JSONParser].
type Body struct {
	*cassette.Value
	req     *cassette.Request
	url     *url.URL
	call    *call
	headers []headerLine
}

type headerLine struct {
	name   string
	values []string
}

// member returns the member of v named name, or nil.
func member(v *cassette.Value, name string) *cassette.Value {
	if v == nil || v.Kind != cassette.Object {
		return nil
	}
	if i := slices.Index(v.Names, name); i >= 0 {
		return &v.Elems[i]
	}
	return nil
}

// drop removes the member of v named name.
func drop(v *cassette.Value, name string) {
	if v.Kind != cassette.Object {
		return
	}
	if i := slices.Index(v.Names, name); i >= 0 {
		v.Names = slices.Delete(v.Names, i, i+1)
		v.Elems = slices.Delete(v.Elems, i, i+1)
	}
}

// set sets or adds the member of v named name.
func set(v *cassette.Value, name string, to cassette.Value) {
	if m := member(v, name); m != nil {
		replace(m, to)
		return
	}
	v.Names = append(v.Names, name)
	v.Elems = append(v.Elems, to)
}

// replace puts another value in v's place; it is still the one that was sent
// there.
func replace(v *cassette.Value, with cassette.Value) {
	with.Mark = v.Mark
	*v = with
}

// rename renames a member unless the new name is taken.
func rename(v *cassette.Value, from, to string) {
	if v.Kind != cassette.Object || slices.Contains(v.Names, to) {
		return
	}
	if i := slices.Index(v.Names, from); i >= 0 {
		v.Names[i] = to
	}
}

// elems returns the elements of an array, nil of anything else.
func elems(v *cassette.Value) []cassette.Value {
	if v == nil || v.Kind != cassette.Array {
		return nil
	}
	return v.Elems
}

func isKind(v *cassette.Value, kind cassette.Kind) bool { return v != nil && v.Kind == kind }

func isString(v *cassette.Value, text string) bool {
	return v != nil && v.Kind == cassette.String && v.Text == text
}

// only reports whether v is an object with no members but the named ones.
func only(v *cassette.Value, names ...string) bool {
	if v.Kind != cassette.Object {
		return false
	}
	for _, n := range v.Names {
		if !slices.Contains(names, n) {
			return false
		}
	}
	return true
}

func stringValue(s string) cassette.Value {
	return cassette.Value{Kind: cassette.String, Text: cassette.EscapeText(s)}
}

func listOf(v ...cassette.Value) cassette.Value {
	return cassette.Value{Kind: cassette.Array, Elems: v}
}

// Get returns a top-level member, or nil.
func (b *Body) Get(name string) *cassette.Value { return member(b.Value, name) }

// Set sets a top-level member.
func (b *Body) Set(name string, to cassette.Value) { set(b.Value, name, to) }

// takeStream removes the member that asks for a stream and tells its value:
// it is part of the form as Wire, and false is the same as absent.
func (b *Body) takeStream(f *Family) bool {
	s := b.Get(f.Stream)
	if f.Stream == "" || s == nil || s.Kind == cassette.Null {
		return f.Streams
	}
	kind := cassette.Bool
	if list := elems(s); b.call.encoding != jsonBody && len(list) == 1 {
		s, kind = &list[0], cassette.String // a field of a form
	}
	if s.Kind != kind || s.Text != "true" && s.Text != "false" {
		return f.Streams
	}
	stream := s.Text == "true"
	if !stream && b.call.wire != "whole" {
		return false // a path that streams and a body that asks for none: it stays
	}
	drop(b.Value, f.Stream)
	return stream
}

// repeated reports whether an object in v has a member twice.
func repeated(v *cassette.Value) bool {
	if len(v.Names) > 16 {
		order := appendOrder(nil, v.Names)
		for i := 1; i < len(order); i++ {
			if v.Names[order[i]] == v.Names[order[i-1]] {
				return true
			}
		}
	} else {
		for i, name := range v.Names {
			if slices.Contains(v.Names[:i], name) {
				return true
			}
		}
	}
	for i := range v.Elems {
		if repeated(&v.Elems[i]) {
			return true
		}
	}
	return false
}

func (b *Body) addHeader(name string, values ...string) {
	i := slices.IndexFunc(b.headers, func(h headerLine) bool { return h.name == name })
	if i < 0 {
		b.headers = append(b.headers, headerLine{name: name})
		i = len(b.headers) - 1
	}
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			b.headers[i].values = append(b.headers[i].values, v)
		}
	}
}

// headerLines returns one line per header: a sorted set of its values.
func (b *Body) headerLines() []Line {
	var lines []Line
	for _, h := range b.headers {
		slices.Sort(h.values)
		for i, v := range slices.Compact(h.values) {
			lines = append(lines, Line{"header/" + h.name + "/" + strconv.Itoa(i), v})
		}
	}
	return lines
}
