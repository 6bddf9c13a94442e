package canon

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// sortList sorts the list at the path by what of its elements matches, if its order means
// nothing. It keeps the places at which they were sent as the list's text.
func (w *walker) sortList(list *exactjson.Value, source string) {
	path := string(w.at)
	i := slices.IndexFunc(w.options.Unordered, func(p string) bool { // lists below it are others
		return selects(p, path, source) && !selects(p, above(path), above(source))
	})
	if i < 0 || list.Text != "" {
		return
	}
	w.options.hit(w.options.Unordered[i])
	type element struct {
		key, place string
		value      exactjson.Value
	}
	elements := make([]element, len(list.Elems))
	for i, v := range list.Elems {
		lines, drift, traits := len(w.lines), len(w.Drift), len(w.Traits)
		w.at = append(w.at[:len(path)], "/0"...) // in any place, it has the same text
		w.value(&v, source)
		elements[i] = element{string(appendLines(nil, w.lines[lines:])), strconv.Itoa(i), v}
		w.lines, w.Drift, w.Traits = w.lines[:lines], w.Drift[:drift], w.Traits[:traits]
	}
	w.at = w.at[:len(path)]
	slices.SortStableFunc(elements, func(a, b element) int { return cmp.Compare(a.key, b.key) })
	for i, e := range elements {
		list.Elems[i] = e.value
		list.Text += e.place + ", "
	}
}

// above returns the path of what holds the field at a path, or "" if nothing does.
func above(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
