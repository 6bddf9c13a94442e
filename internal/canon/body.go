package canon

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Body is the JSON object that rules rewrite. The value is the rules' own:
// nothing of it is written or sent. The texts of its strings are escaped; see
// [exactjson.Parser].
type Body struct {
	*exactjson.Value
	req     *interaction.Request
	url     *url.URL
	call    *call
	headers []headerLine
}

type headerLine struct {
	name   string
	values []string
}

// member returns the member of v named name, or nil.
func member(v *exactjson.Value, name string) *exactjson.Value {
	if v == nil || v.Kind != exactjson.Object {
		return nil
	}
	if i := slices.Index(v.Names, name); i >= 0 {
		return &v.Elems[i]
	}
	return nil
}

// drop removes the member of v named name.
func drop(v *exactjson.Value, name string) {
	if v.Kind != exactjson.Object {
		return
	}
	if i := slices.Index(v.Names, name); i >= 0 {
		v.Names = slices.Delete(v.Names, i, i+1)
		v.Elems = slices.Delete(v.Elems, i, i+1)
	}
}

// set sets or adds the member of v named name.
func set(v *exactjson.Value, name string, to exactjson.Value) {
	if m := member(v, name); m != nil {
		replace(m, to)
		return
	}
	v.Names = append(v.Names, name)
	v.Elems = append(v.Elems, to)
}

// replace puts another value in v's place; it is still the one that was sent
// there.
func replace(v *exactjson.Value, with exactjson.Value) {
	with.Mark = v.Mark
	*v = with
}

// rename renames a member unless the new name is taken.
func rename(v *exactjson.Value, from, to string) {
	if v.Kind != exactjson.Object || slices.Contains(v.Names, to) {
		return
	}
	if i := slices.Index(v.Names, from); i >= 0 {
		v.Names[i] = to
	}
}

// elems returns the elements of an array, nil of anything else.
func elems(v *exactjson.Value) []exactjson.Value {
	if v == nil || v.Kind != exactjson.Array {
		return nil
	}
	return v.Elems
}

func isKind(v *exactjson.Value, kind exactjson.Kind) bool { return v != nil && v.Kind == kind }

func isString(v *exactjson.Value, text string) bool {
	return v != nil && v.Kind == exactjson.String && v.Text == text
}

// only reports whether v is an object with no members but the named ones.
func only(v *exactjson.Value, names ...string) bool {
	if v.Kind != exactjson.Object {
		return false
	}
	for _, n := range v.Names {
		if !slices.Contains(names, n) {
			return false
		}
	}
	return true
}

func stringValue(s string) exactjson.Value {
	return exactjson.Value{Kind: exactjson.String, Text: exactjson.EscapeText(s)}
}

func listOf(v ...exactjson.Value) exactjson.Value {
	return exactjson.Value{Kind: exactjson.Array, Elems: v}
}

// Get returns a top-level member, or nil.
func (b *Body) Get(name string) *exactjson.Value { return member(b.Value, name) }

// Set sets a top-level member.
func (b *Body) Set(name string, to exactjson.Value) { set(b.Value, name, to) }

// takeStream removes the member that asks for a stream and tells its value:
// it is part of the form as Wire, and false is the same as absent.
func (b *Body) takeStream(f *Family) bool {
	s := b.Get(f.Stream)
	if f.Stream == "" || s == nil || s.Kind == exactjson.Null {
		return f.Streams
	}
	kind := exactjson.Bool
	if list := elems(s); b.call.encoding != jsonBody && len(list) == 1 {
		s, kind = &list[0], exactjson.String // a field of a form
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
func repeated(v *exactjson.Value) bool {
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
