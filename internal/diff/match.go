package diff

import "slices"

// A run is a stretch that two sequences have in common: a[a:a+n] and b[b:b+n].
type run struct{ a, b, n int }

// maxDepth bounds how often a gap between matches is searched again. Real texts
// need three or four levels; without the bound one can be made that needs as many
// as it has elements.
const maxDepth = 32

// match returns the stretches that a and b have in common, in order. It is an
// anchored diff, as Go's internal/diff: elements that occur once in each are
// anchors, and the longest sequence of anchors in the same order matches. What
// is between two anchors is matched in the same way, since what occurs often in
// the whole may occur once there. Time is O(n log n) whatever the sequences are,
// unlike that of an algorithm that looks for the shortest script.
func match(a, b []string) []run {
	var m matcher
	m.between(a, b, run{}, maxDepth)
	return m.runs
}

type matcher struct{ runs []run }

// add adds a match behind those that were found.
func (m *matcher) add(r run) {
	if r.n == 0 {
		return
	}
	if k := len(m.runs) - 1; k >= 0 {
		if last := &m.runs[k]; last.a+last.n == r.a && last.b+last.n == r.b {
			last.n += r.n
			return
		}
	}
	m.runs = append(m.runs, r)
}

// between matches a and b, which start at start.a and start.b of the whole.
func (m *matcher) between(a, b []string, start run, depth int) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	m.add(run{start.a, start.b, head})
	a, b = a[head:], b[head:]
	start = run{a: start.a + head, b: start.b + head}

	tail := 0
	for tail < len(a) && tail < len(b) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[:len(a)-tail], b[:len(b)-tail]

	if depth > 0 {
		m.aroundAnchors(a, b, start, depth)
	}
	m.add(run{start.a + len(a), start.b + len(b), tail})
}

// aroundAnchors matches the anchors of a and b, and what is between them.
func (m *matcher) aroundAnchors(a, b []string, start run, depth int) {
	var gap run // starts here
	for _, anchor := range anchors(a, b) {
		m.between(a[gap.a:anchor.a], b[gap.b:anchor.b], run{a: start.a + gap.a, b: start.b + gap.b}, depth-1)
		m.add(run{start.a + anchor.a, start.b + anchor.b, 1})
		gap = run{a: anchor.a + 1, b: anchor.b + 1}
	}
	if gap.a > 0 {
		m.between(a[gap.a:], b[gap.b:], run{a: start.a + gap.a, b: start.b + gap.b}, depth-1)
	}
}

// anchors returns the longest sequence of the rarest elements that are in a and in
// b, in the same order. What occurs several times is paired by its occurrences: the
// first with the first.
func anchors(a, b []string) []run {
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
	var pairs []run
	for _, p := range common {
		if max(len(p.a), len(p.b)) == rarest {
			for k := range min(len(p.a), len(p.b)) {
				pairs = append(pairs, run{p.a[k], p.b[k], 1})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q run) int { return p.a - q.a })
	return longestInOrder(pairs)
}

// longestInOrder returns the longest subsequence of runs, which are in the order
// of a, that is in the order of b too. The k-th top is the run with the least b in
// which a sequence of k+1 runs can end (Szymanski, "A special case of the maximal
// common subsequence problem", 1975).
func longestInOrder(runs []run) []run {
	var tops []int                   // indexes of runs
	before := make([]int, len(runs)) // the run before each in its sequence
	for i, r := range runs {
		k, _ := slices.BinarySearchFunc(tops, r.b, func(top, b int) int { return runs[top].b - b })
		if k == len(tops) {
			tops = append(tops, i)
		}
		tops[k] = i
		if k > 0 {
			before[i] = tops[k-1]
		}
	}
	longest := make([]run, len(tops))
	at := 0
	if len(tops) > 0 {
		at = tops[len(tops)-1]
	}
	for k := len(tops) - 1; k >= 0; k-- {
		longest[k], at = runs[at], before[at]
	}
	return longest
}
