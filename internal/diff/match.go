package diff

import "slices"

// A pair is an element of each of two sequences, by their indexes.
type pair struct{ a, b int }

// maxDepth bounds how often what is between two matches is searched again. Real
// texts need three or four levels; without the bound one can be made that needs as
// many as it has elements.
const maxDepth = 10

// match returns the elements that a and b have in common, in order. It is an
// anchored diff, like that of Go's internal/diff: the rarest elements of both, most
// often such as occur once, are anchors, and the longest sequence of anchors in the
// same order matches. What is between two anchors is matched in the same way, since
// what occurs often in the whole may occur once there. It takes O(n log n) for any
// sequences, which an algorithm that looks for the shortest script does not.
func match(a, b []string) []pair {
	return appendMatches(nil, a, b, pair{}, maxDepth)
}

// appendMatches matches a and b, which start at these indexes of the whole.
func appendMatches(pairs []pair, a, b []string, start pair, depth int) []pair {
	at := 0
	for ; at < min(len(a), len(b)) && a[at] == b[at]; at++ {
		pairs = append(pairs, pair{start.a + at, start.b + at})
	}
	from := pair{at, at}
	to := pair{len(a), len(b)}
	for to.a > from.a && to.b > from.b && a[to.a-1] == b[to.b-1] {
		to = pair{to.a - 1, to.b - 1}
	}
	if depth > 0 {
		middle := pair{start.a + from.a, start.b + from.b}
		pairs = appendAroundAnchors(pairs, a[from.a:to.a], b[from.b:to.b], middle, depth-1)
	}
	for ; to.a < len(a); to = (pair{to.a + 1, to.b + 1}) {
		pairs = append(pairs, pair{start.a + to.a, start.b + to.b})
	}
	return pairs
}

// appendAroundAnchors matches the anchors of a and b, and what is between them.
func appendAroundAnchors(pairs []pair, a, b []string, start pair, depth int) []pair {
	found := anchors(a, b)
	if len(found) == 0 {
		return pairs
	}
	var from pair
	for _, to := range append(found, pair{len(a), len(b)}) {
		gap := pair{start.a + from.a, start.b + from.b}
		pairs = appendMatches(pairs, a[from.a:to.a], b[from.b:to.b], gap, depth)
		if to.a < len(a) {
			pairs = append(pairs, pair{start.a + to.a, start.b + to.b})
		}
		from = pair{to.a + 1, to.b + 1}
	}
	return pairs
}

// anchors returns the longest sequence of the rarest elements that are in a and in
// b, in the same order. What occurs several times is paired by its occurrences: the
// first with the first.
func anchors(a, b []string) []pair {
	type places struct{ a, b []int }
	common := make(map[string]*places, len(a))
	for i, s := range a {
		p := common[s]
		if p == nil {
			p = &places{}
			common[s] = p
		}
		p.a = append(p.a, i)
	}
	for i, s := range b {
		if p := common[s]; p != nil {
			p.b = append(p.b, i)
		}
	}
	rarest := len(a) + len(b)
	for _, p := range common {
		if len(p.b) > 0 {
			rarest = min(rarest, max(len(p.a), len(p.b)))
		}
	}
	var pairs []pair
	for _, p := range common {
		if max(len(p.a), len(p.b)) == rarest {
			for k := range min(len(p.a), len(p.b)) {
				pairs = append(pairs, pair{p.a[k], p.b[k]})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int { return p.a - q.a })
	return longestInOrder(pairs)
}

// longestInOrder returns the longest subsequence of pairs, which are in the order
// of a, that is in the order of b too. The k-th top is the pair with the least b in
// which a sequence of k+1 pairs can end (Szymanski, "A special case of the maximal
// common subsequence problem", 1975).
func longestInOrder(pairs []pair) []pair {
	var tops []int                    // indexes of pairs
	before := make([]int, len(pairs)) // the pair before each in its sequence
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(tops, p.b, func(top, b int) int { return pairs[top].b - b })
		if k == len(tops) {
			tops = append(tops, i)
		}
		tops[k] = i
		if k > 0 {
			before[i] = tops[k-1]
		}
	}
	longest := make([]pair, len(tops))
	for k := len(tops) - 1; k >= 0; k-- {
		if k+1 < len(tops) {
			tops[k] = before[tops[k+1]]
		}
		longest[k] = pairs[tops[k]]
	}
	return longest
}
