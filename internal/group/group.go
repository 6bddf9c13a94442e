// Package group takes lists: it groups them, and calls what is to be done with each element.
package group

import (
	"slices"
	"sort"
)

// By returns the elements of a list that have a key, in groups of equal keys: the groups in
// the order of their first elements, and the elements of each in the order of the list.
func By[K comparable, V any](list []V, key func(V) (k K, ok bool)) (groups [][]V) {
	at := map[K]int{}
	for _, v := range list {
		k, ok := key(v)
		if !ok {
			continue
		}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// Each returns what f returns for each element of a list; nil if there is none.
func Each[V, W any](list []V, f func(V) W) (each []W) {
	each = slices.Grow(each, len(list))
	for _, v := range list {
		each = append(each, f(v))
	}
	return each
}

// Sort sorts a list and keeps the order of equal elements. It is for lists of structs that
// are short or seldom sorted: a program has the code of slices.SortStableFunc, 6 KB, once for
// each type of elements, and this code once.
func Sort[V any](list []V, compare func(a, b V) int) {
	if len(list) < 2 {
		return
	}
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// With returns a list with one more element, unless the list has it.
func With[V comparable](list []V, v V) []V {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// Apply applies options, those that are not nil, in their order.
func Apply[O ~func(*C), C any](opts []O, c *C) {
	for _, o := range opts {
		if o != nil {
			o(c)
		}
	}
}
