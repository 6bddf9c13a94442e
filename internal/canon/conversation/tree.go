package conversation

import (
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// tree returns the value whose fields are these lines of a form. The first start bytes of
// all paths are the path of the value. The lines are sorted, so those of one member follow
// each other.
func tree(lines []canon.Line, start int) exactjson.Value {
	v := exactjson.Value{Kind: exactjson.Array}
	for len(lines) > 0 {
		name, _, deeper := strings.Cut(lines[0].Path[start:], "/")
		end := start + len(name)
		n := 1 // lines of this member
		var member exactjson.Value
		if deeper {
			for n < len(lines) && strings.HasPrefix(lines[n].Path, lines[0].Path[:end+1]) {
				n++
			}
			member = tree(lines[:n], end+1)
		} else {
			member = leaf(lines[0].Value)
		}
		if !fieldpath.IsIndex(name) {
			v.Kind = exactjson.Object
		}
		member.Name = fieldpath.MemberName(name)
		v.Elems = append(v.Elems, member)
		lines = lines[n:]
	}
	return v
}

// leaf reads the value of a line. A value that is not JSON is a text: one that is not UTF-8,
// or a number that a form spells in its own way.
func leaf(value string) exactjson.Value {
	if text, ok := exactjson.Unquote(value); ok {
		return exactjson.Value{Kind: exactjson.String, Text: text}
	}
	v, err := exactjson.Parse([]byte(value))
	if err != nil {
		return exactjson.Value{Kind: exactjson.String, Text: value}
	}
	return v
}

// member returns the member with the first of these names that an object has, or nil.
func member(v *exactjson.Value, names ...string) *exactjson.Value {
	for _, name := range names {
		if m := v.Member(name); m != nil {
			return m
		}
	}
	return nil
}

// textOf returns the text of the first string among these members, or "".
func textOf(v *exactjson.Value, names ...string) string {
	for _, name := range names {
		if m := v.Member(name); m != nil && m.Kind == exactjson.String {
			return m.Text
		}
	}
	return ""
}

// elems returns the elements of a list. Any other value but null is the only element.
func elems(v *exactjson.Value) []exactjson.Value {
	switch {
	case v == nil || v.Kind == exactjson.Null:
		return nil
	case v.Kind == exactjson.Array:
		return v.Elems
	}
	return []exactjson.Value{*v}
}

// compact returns the JSON of a value, or the text of a string.
func compact(v *exactjson.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Kind == exactjson.String:
		return v.Text
	}
	return string(v.AppendJSON(nil, exactjson.Layout{}))
}
