// Package group makes lists of lists: the groups of a list, and what is returned for each.
package group

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
	for _, v := range list {
		each = append(each, f(v))
	}
	return each
}
