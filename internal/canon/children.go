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
	list, times := make([]child, len(v.Elems)), map[string]int{}
	for i := range v.Elems {
		segment := strconv.Itoa(i)
		if v.Kind == exactjson.Object {
			segment = fieldpath.Segment(v.Elems[i].Name)
			if times[segment]++; times[segment] > 1 {
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
			lines = append(lines, Line{strings.TrimPrefix(path, "/"), string(plain.appendValue(nil, &leaf))})
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
