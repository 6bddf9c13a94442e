package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/fieldpath"
)

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
	list := make([]child, len(v.Elems))
	for i := range v.Elems {
		list[i] = child{strconv.Itoa(i), &v.Elems[i]}
		if v.Kind == exactjson.Object {
			list[i].segment = fieldpath.Segment(v.Elems[i].Name)
		}
	}
	if v.Kind == exactjson.Object {
		sortChildren(list)
		if numberRepeated(list) {
			sortChildren(list)
		}
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
			lines = append(lines, Line{strings.TrimPrefix(path, "/"), string(plain.appendValue(nil, &leaf))})
		}
	})
	return lines
}

func sortChildren(list []child) {
	slices.SortStableFunc(list, func(a, b child) int { return strings.Compare(a.segment, b.segment) })
}

// numberRepeated gives sorted members of one name different segments, and reports
// whether there were any.
func numberRepeated(members []child) (found bool) {
	for i := 0; i+1 < len(members); i++ {
		name := members[i].segment
		for n := 2; i+1 < len(members) && members[i+1].segment == name; n++ {
			i++
			members[i].segment = name + "~+" + strconv.Itoa(n)
			found = true
		}
	}
	return found
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
