package canon

import (
	"iter"
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// member returns the value at a path of member names, or nil.
func member(v *exactjson.Value, path ...string) *exactjson.Value {
	for _, name := range path {
		i := indexOf(v, name)
		if i < 0 {
			return nil
		}
		v = &v.Elems[i]
	}
	return v
}

// indexOf returns where an object has a member, -1 if it has none or is no object.
func indexOf(v *exactjson.Value, name string) int {
	if isKind(v, exactjson.Object) {
		for i := range v.Elems {
			if v.Elems[i].Name == name {
				return i
			}
		}
	}
	return -1
}

// elems returns the elements of an array, nil of anything else.
func elems(v *exactjson.Value) []exactjson.Value {
	if v == nil || v.Kind != exactjson.Array {
		return nil
	}
	return v.Elems
}

// items yields the elements of an array, none of anything else.
func items(v *exactjson.Value) iter.Seq[*exactjson.Value] {
	return func(yield func(*exactjson.Value) bool) {
		list := elems(v)
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// text returns the string at a path of member names, "" if there is none.
func text(v *exactjson.Value, path ...string) string {
	if v = member(v, path...); v == nil || v.Kind == exactjson.Object || v.Kind == exactjson.Array {
		return ""
	}
	return v.Text
}

func isKind(v *exactjson.Value, kind exactjson.Kind) bool { return v != nil && v.Kind == kind }

func isString(v *exactjson.Value, text string) bool {
	return isKind(v, exactjson.String) && v.Text == text
}

// isOneOf reports whether v is one of some strings.
func isOneOf(v *exactjson.Value, texts ...string) bool {
	return isKind(v, exactjson.String) && slices.Contains(texts, v.Text)
}

// only reports whether v is an object with no members but the named ones.
func only(v *exactjson.Value, names ...string) bool {
	return isKind(v, exactjson.Object) && !slices.ContainsFunc(v.Elems, func(m exactjson.Value) bool { return !slices.Contains(names, m.Name) })
}

// drop removes members of an object.
func drop(v *exactjson.Value, names ...string) {
	for _, name := range names {
		if i := indexOf(v, name); i >= 0 {
			v.Elems = slices.Delete(v.Elems, i, i+1)
		}
	}
}

// dropNull removes the members of an object that are null.
func dropNull(v *exactjson.Value) {
	if isKind(v, exactjson.Object) {
		v.Elems = slices.DeleteFunc(v.Elems, func(m exactjson.Value) bool { return m.Kind == exactjson.Null })
	}
}

// dropIfEmpty removes members of an object that are an empty list, object or text.
func dropIfEmpty(v *exactjson.Value, kind exactjson.Kind, names ...string) {
	for _, n := range names {
		if m := member(v, n); isKind(m, kind) && len(m.Elems) == 0 && m.Text == "" {
			drop(v, n)
		}
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
