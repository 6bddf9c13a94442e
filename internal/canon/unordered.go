package canon

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// sortList sorts the list at the path by what of its elements matches, if its order means
// nothing. It keeps the order in which they were sent, by their places, as the list's text.
func (w *walker) sortList(list *exactjson.Value, source string) {
	path := string(w.path)
	i := slices.IndexFunc(w.options.Unordered, func(p string) bool {
		// Lists below it are others.
		return selects(p, path, source) && !selects(p, above(path), above(source))
	})
	if i < 0 {
		return
	}
	w.call.note(w.options.Unordered[i])
	type element struct {
		key, place string
		value      exactjson.Value
	}
	var elements []element
	for _, c := range appendChildren(nil, list) {
		w.path = append(append(w.path[:len(path)], '/'), c.segment...)
		elements = append(elements, element{string(w.appendMatching(nil, c.value)), c.segment, *c.value})
	}
	w.path = w.path[:len(path)]
	slices.SortStableFunc(elements, func(a, b element) int { return cmp.Compare(a.key, b.key) })
	for i, e := range elements {
		list.Elems[i] = e.value
		list.Text += e.place + ", "
	}
}

// above returns the path of what holds the field at a path, or "" if nothing does.
func above(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// appendMatching appends what matches of the value at the path, as text that is equal for
// values that are the same.
func (w *walker) appendMatching(dst []byte, v *exactjson.Value) []byte {
	if len(v.Elems) == 0 {
		if w.level("") == identity {
			dst = w.options.appendValue(dst, v)
		}
		return dst
	}
	length := len(w.path)
	for _, c := range appendChildren(nil, v) {
		w.path = append(append(w.path[:length], '/'), c.segment...)
		dst = strconv.AppendQuote(dst, c.segment)
		dst = w.appendMatching(dst, c.value)
	}
	w.path = w.path[:length]
	return dst
}
