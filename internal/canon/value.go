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

// elems returns the elements of an array. It returns nil for any other value
// and for nil.
func elems(v *exactjson.Value) []exactjson.Value {
	if v == nil || v.Kind != exactjson.Array {
		return nil
	}
	return v.Elems
}

// singleValue returns the element of an array that has one element, and any
// other value as it is. Fields of forms are arrays.
func singleValue(v *exactjson.Value) *exactjson.Value {
	if list := elems(v); len(list) == 1 {
		return &list[0]
	}
	return v
}

// text returns the scalar at a path of member names, or "" if there is none.
func text(v *exactjson.Value, path ...string) string { return member(v, path...).Scalar() }

// isKind reports whether v is a value of a kind; v may be nil.
func isKind(v *exactjson.Value, kind exactjson.Kind) bool { return v != nil && v.Kind == kind }

// isString reports whether v is a string with one of the texts.
func isString(v *exactjson.Value, texts ...string) bool {
	return isKind(v, exactjson.String) && slices.Contains(texts, v.Text)
}

// hasOnly reports whether v is an object whose members all have one of the
// names.
func hasOnly(v *exactjson.Value, names ...string) bool {
	if !isKind(v, exactjson.Object) {
		return false
	}
	for i := range v.Elems {
		if !slices.Contains(names, v.Elems[i].Name) {
			return false
		}
	}
	return true
}

// drop removes members of an object.
func drop(v *exactjson.Value, names ...string) {
	if !isKind(v, exactjson.Object) {
		return
	}
	v.Elems = slices.DeleteFunc(v.Elems, func(m exactjson.Value) bool {
		return slices.Contains(names, m.Name)
	})
}

// set replaces a member of an object, or adds it.
func set(v *exactjson.Value, name string, to exactjson.Value) {
	if m := member(v, name); m != nil {
		replace(m, to)
		return
	}
	v.Elems = append(v.Elems, field(name, to))
}

// field returns v as the member of an object with this name.
func field(name string, v exactjson.Value) exactjson.Value {
	v.Name = name
	return v
}

// replace replaces v. The new value keeps v's name and ID: in a trace, it was
// sent where v was.
func replace(v *exactjson.Value, with exactjson.Value) {
	with.ID, with.Name = v.ID, v.Name
	*v = with
}

// rename renames a member, unless the object has a member of the new name.
func rename(v *exactjson.Value, from, to string) {
	if m := member(v, from); m != nil && member(v, to) == nil {
		m.Name = to
	}
}

// appendTo appends a value to the list that a member has, and makes the list if
// there is none. It makes v an object.
func appendTo(v *exactjson.Value, name string, value exactjson.Value) {
	v.Kind = exactjson.Object
	if list := member(v, name); list != nil {
		list.Elems = append(list.Elems, value)
		return
	}
	set(v, name, exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{value}})
}

// stringValue returns the JSON string of a text, escaped; see [request].
func stringValue(s string) exactjson.Value {
	return exactjson.Value{Kind: exactjson.String, Text: exactjson.EscapeText(s)}
}

// equal reports whether two values are equal, with numbers and strings written
// in the same way and members in the same order.
func equal(a, b *exactjson.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text {
		return false
	}
	return slices.EqualFunc(a.Elems, b.Elems, func(a, b exactjson.Value) bool {
		return a.Name == b.Name && equal(&a, &b)
	})
}

// A child is an element of an array or a member of an object, and its segment
// of a path.
type child struct {
	segment string
	value   *exactjson.Value
}

// children returns the elements of an array in their order, or the members of
// an object sorted by their segments, as forms have them. The segment of a
// second member with the same name ends in "~+2", which no name contains when
// it is escaped.
func children(v *exactjson.Value) []child {
	if v.Kind != exactjson.Object {
		list := make([]child, len(v.Elems))
		for i := range v.Elems {
			list[i] = child{strconv.Itoa(i), &v.Elems[i]}
		}
		return list
	}

	list := make([]child, len(v.Elems))
	times := map[string]int{}
	for i := range v.Elems {
		segment := fieldpath.Segment(v.Elems[i].Name)
		times[segment]++
		if times[segment] > 1 {
			segment += "~+" + strconv.Itoa(times[segment])
		}
		list[i] = child{segment, &v.Elems[i]}
	}
	slices.SortFunc(list, func(a, b child) int { return strings.Compare(a.segment, b.segment) })
	return list
}

// walk calls f for v and for each value below v, with their paths. The path of
// v is path.
func walk(v *exactjson.Value, path string, f func(v *exactjson.Value, path string)) {
	f(v, path)
	for _, c := range children(v) {
		walk(c.value, path+"/"+c.segment, f)
	}
}

// Lines returns the fields of a JSON value as a form of a request has them. If
// the value itself is an empty object or list, it has no fields.
func Lines(v *exactjson.Value) (lines []Line) {
	var defaults Options
	walk(v, "", func(v *exactjson.Value, path string) {
		isContainer := v.Kind == exactjson.Array || v.Kind == exactjson.Object
		isEmptyRoot := path == "" && isContainer
		if len(v.Elems) > 0 || isEmptyRoot {
			return
		}
		leaf := exactjson.Value{Kind: v.Kind, Text: exactjson.EscapeText(v.Text)}
		lines = append(lines, Line{
			Path:  strings.TrimPrefix(path, "/"),
			Value: string(defaults.appendValue(nil, path, &leaf)),
		})
	})
	return lines
}

// pathsByID numbers v and all values below it by [exactjson.Value.ID], from 1.
// The result has the path of each value at the index of its ID.
func pathsByID(v *exactjson.Value) []string {
	paths := []string{""} // 0 is the ID of a value that was not in the request
	walk(v, "body", func(v *exactjson.Value, path string) {
		v.ID = int32(len(paths))
		paths = append(paths, path)
	})
	return paths
}
