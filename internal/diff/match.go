package diff

import "slices"

// A pair is an element of each of two sequences, by their indexes.
type pair struct{ a, b int }

// next returns the places behind a pair.
func (p pair) next() pair { return pair{p.a + 1, p.b + 1} }

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
	m := matcher{a: a, b: b}
	m.match(pair{}, pair{len(a), len(b)}, maxDepth)
	return m.pairs
}

// A matcher collects what two sequences have in common.
type matcher struct {
	a, b  []string
	pairs []pair
}

// match matches what is between two places.
func (m *matcher) match(from, to pair, depth int) {
	for ; from.a < to.a && from.b < to.b && m.a[from.a] == m.b[from.b]; from = from.next() {
		m.pairs = append(m.pairs, from)
	}
	end := to
	for to.a > from.a && to.b > from.b && m.a[to.a-1] == m.b[to.b-1] {
		to = pair{to.a - 1, to.b - 1}
	}
	if depth > 0 {
		if anchors := m.anchors(from, to); len(anchors) > 0 {
			for _, next := range append(anchors, to) {
				m.match(from, next, depth-1) // which begins with the anchor before
				from = next
			}
		}
	}
	for ; to.a < end.a; to = to.next() {
		m.pairs = append(m.pairs, to)
	}
}

// anchors returns the longest sequence of the rarest elements that both have between two
// places, in the same order. What occurs several times is paired by its occurrences: the
// first with the first.
func (m *matcher) anchors(from, to pair) []pair {
	type places struct{ a, b []int }
	common := map[string]places{}
	for i := from.a; i < to.a; i++ {
		p := common[m.a[i]]
		p.a = append(p.a, i)
		common[m.a[i]] = p
	}
	for i := from.b; i < to.b; i++ {
		if p, ok := common[m.b[i]]; ok {
			p.b = append(p.b, i)
			common[m.b[i]] = p
		}
	}
	var pairs []pair
	rarest := len(m.a) + len(m.b)
	for _, p := range common {
		times := max(len(p.a), len(p.b))
		if len(p.b) == 0 || times > rarest {
			continue
		}
		if times < rarest {
			rarest, pairs = times, nil
		}
		for k := range min(len(p.a), len(p.b)) {
			pairs = append(pairs, pair{p.a[k], p.b[k]})
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
