package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// member returns the value at a path of member names, or nil.
func member(v *exactjson.Value, path ...string) *exactjson.Value {
	for _, name := range path {
		v = v.Member(name)
		if v == nil {
			return nil
		}
	}
	return v
}

// elems returns the elements of an array, nil of anything else.
func elems(v *exactjson.Value) []exactjson.Value {
	if v == nil || v.Kind != exactjson.Array {
		return nil
	}
	return v.Elems
}

// text returns the string at a path of member names, "" if there is none.
func text(v *exactjson.Value, path ...string) string { return member(v, path...).Scalar() }

func isKind(v *exactjson.Value, kind exactjson.Kind) bool { return v != nil && v.Kind == kind }

// isString reports whether v is one of some strings.
func isString(v *exactjson.Value, texts ...string) bool {
	return isKind(v, exactjson.String) && slices.Contains(texts, v.Text)
}

// only reports whether v is an object with no members but the named ones.
func only(v *exactjson.Value, names ...string) bool {
	return isKind(v, exactjson.Object) && !slices.ContainsFunc(v.Elems, func(m exactjson.Value) bool { return !slices.Contains(names, m.Name) })
}

// drop removes members of an object.
func drop(v *exactjson.Value, names ...string) {
	if isKind(v, exactjson.Object) {
		v.Elems = slices.DeleteFunc(v.Elems, func(m exactjson.Value) bool { return slices.Contains(names, m.Name) })
	}
}

// set sets or adds a member of an object.
func set(v *exactjson.Value, name string, to exactjson.Value) {
	if m := member(v, name); m != nil {
		replace(m, to)
		return
	}
	v.Elems = append(v.Elems, field(name, to))
}

// field returns a value as that of a member.
func field(name string, v exactjson.Value) exactjson.Value {
	v.Name = name
	return v
}

// replace puts another value in v's place; it is still the one that was sent
// there.
func replace(v *exactjson.Value, with exactjson.Value) {
	with.ID, with.Name = v.ID, v.Name
	*v = with
}

// rename renames a member unless the new name is taken.
func rename(v *exactjson.Value, from, to string) {
	if m := member(v, from); m != nil && member(v, to) == nil {
		m.Name = to
	}
}

// appendTo adds a value to a member that is a list, in an object that may be empty yet.
func appendTo(v *exactjson.Value, name string, value exactjson.Value) {
	v.Kind = exactjson.Object
	if list := member(v, name); list != nil {
		list.Elems = append(list.Elems, value)
		return
	}
	set(v, name, exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{value}})
}

func stringValue(s string) exactjson.Value {
	return exactjson.Value{Kind: exactjson.String, Text: exactjson.EscapeText(s)}
}

// equal reports whether two values are the same, written in the same way.
func equal(a, b *exactjson.Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Elems, b.Elems, func(a, b exactjson.Value) bool {
		return a.Name == b.Name && equal(&a, &b)
	})
}

// A child is an element of an array or a member of an object, and the segment that
// leads to it.
type child struct {
	segment string
	value   *exactjson.Value
}

// children returns the children of v in the order of a form: elements as they stand, members
// sorted by their segments. The second of two members of one name is told from the first by
// "~+2", which no name can hold.
func children(v *exactjson.Value) []child {
	list, times := make([]child, len(v.Elems)), map[string]int{}
	for i := range v.Elems {
		segment := strconv.Itoa(i)
		if v.Kind == exactjson.Object {
			segment = fieldpath.Segment(v.Elems[i].Name)
			times[segment]++
			if times[segment] > 1 {
				segment += "~+" + strconv.Itoa(times[segment])
			}
		}
		list[i] = child{segment, &v.Elems[i]}
	}
	if v.Kind == exactjson.Object {
		slices.SortFunc(list, func(a, b child) int { return strings.Compare(a.segment, b.segment) })
	}
	return list
}

// walk calls f for v, which stands at a path, and for everything below it.
func walk(v *exactjson.Value, path string, f func(v *exactjson.Value, path string)) {
	f(v, path)
	for _, c := range children(v) {
		walk(c.value, path+"/"+c.segment, f)
	}
}

// Lines returns the fields of a JSON value, in the order and the spellings of a form. An
// empty object or list has none.
func Lines(v *exactjson.Value) (lines []Line) {
	var plain Options
	walk(v, "", func(v *exactjson.Value, path string) {
		if isContainer := v.Kind == exactjson.Array || v.Kind == exactjson.Object; len(v.Elems) == 0 && (path != "" || !isContainer) {
			leaf := exactjson.Value{Kind: v.Kind, Text: exactjson.EscapeText(v.Text)}
			lines = append(lines, Line{strings.TrimPrefix(path, "/"), string(plain.appendValue(nil, path, &leaf))})
		}
	})
	return lines
}

// pathsByID gives v and everything below it an ID (Value.ID), and returns the path of
// each by its ID; 0 is the ID of nothing.
func pathsByID(v *exactjson.Value) []string {
	paths := []string{""}
	walk(v, "body", func(v *exactjson.Value, path string) {
		v.ID = int32(len(paths))
		paths = append(paths, path)
	})
	return paths
}
