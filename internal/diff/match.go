package diff

import "slices"

// A run is a stretch that two sequences have in common: a[a:a+n] and b[b:b+n].
type run struct{ a, b, n int }

// The bounds of one comparison. A step is one look at a pair of elements.
const (
	maxSteps = 6_000_000 // of all matches of one comparison
	maxEdits = 1_500     // of one match
)

// matcher finds what two sequences have in common with Myers' algorithm ("An
// O(ND) difference algorithm and its variations", 1986), which gives the
// shortest edit script. Its cost grows with the square of the script's length,
// so it gives up after a number of steps, and the sequences are cut at the
// elements that occur once in each (Cohen's patience diff) or, if there are
// none, called different.
type matcher struct {
	runs  []run
	steps *int // left
}

// match returns the common stretches in order. It takes what it costs from
// steps.
func match(a, b []int32, steps *int) []run {
	m := matcher{steps: steps}
	m.between(a, b, 0, 0, true)
	return m.runs
}

func (m *matcher) add(r run) {
	if r.n == 0 {
		return
	}
	if k := len(m.runs) - 1; k >= 0 && m.runs[k].a+m.runs[k].n == r.a && m.runs[k].b+m.runs[k].n == r.b {
		m.runs[k].n += r.n
		return
	}
	m.runs = append(m.runs, r)
}

// between matches a and b, which start at a0 and b0 of the whole.
func (m *matcher) between(a, b []int32, a0, b0 int, split bool) {
	p := 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	m.add(run{a0, b0, p})
	a, b, a0, b0 = a[p:], b[p:], a0+p, b0+p
	s := 0
	for s < len(a) && s < len(b) && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	a, b = a[:len(a)-s], b[:len(b)-s]
	if len(a) > 0 && len(b) > 0 {
		runs, ok := m.myers(a, b)
		switch {
		case ok:
			for _, r := range runs {
				m.add(run{a0 + r.a, b0 + r.b, r.n})
			}
		case split:
			m.patience(a, b, a0, b0)
		}
	}
	m.add(run{a0 + len(a), b0 + len(b), s})
}

// myers returns the longest common subsequence as runs, or false if it would
// cost too much.
func (m *matcher) myers(a, b []int32) ([]run, bool) {
	limit := min(len(a)+len(b), maxEdits)
	v := make([]int32, 2*limit+3) // the furthest x on each diagonal
	zero := limit + 1
	var rows [][]int32 // v after each d, every other diagonal
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
				x = int(v[zero+k+1])
			} else {
				x = int(v[zero+k-1]) + 1
			}
			start := x
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[zero+k] = int32(x)
			*m.steps -= x - start + 1
			if x >= len(a) && x-k >= len(b) {
				return walkBack(rows, len(a), len(b)), true
			}
		}
		if *m.steps < 0 {
			return nil, false
		}
		row := make([]int32, d+1)
		for i := range row {
			row[i] = v[zero-d+2*i]
		}
		rows = append(rows, row)
	}
	return nil, false
}

// walkBack follows the path that reached the end after len(rows) edits.
func walkBack(rows [][]int32, x, y int) []run {
	var runs []run
	for d := len(rows); d > 0; d-- {
		at := func(k int) int { return int(rows[d-1][(k+d-1)/2]) }
		k := x - y
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		start := px // where the snake starts, after the edit
		if prev == k-1 {
			start++
		}
		if n := x - start; n > 0 {
			runs = append(runs, run{start, start - k, n})
		}
		x, y = px, py
	}
	if x > 0 {
		runs = append(runs, run{0, 0, x})
	}
	slices.Reverse(runs)
	return runs
}

// patience cuts a and b at the elements that occur once in each and matches
// what is between.
func (m *matcher) patience(a, b []int32, a0, b0 int) {
	pa, pb := 0, 0
	for _, anchor := range anchors(a, b) {
		m.between(a[pa:anchor.a], b[pb:anchor.b], a0+pa, b0+pb, false)
		m.add(run{a0 + anchor.a, b0 + anchor.b, 1})
		pa, pb = anchor.a+1, anchor.b+1
	}
	if pa > 0 {
		m.between(a[pa:], b[pb:], a0+pa, b0+pb, false)
	}
}

// anchors returns the longest sequence of elements that occur once in a and
// once in b and are in the same order.
func anchors(a, b []int32) []run {
	size := max(slices.Max(a), slices.Max(b)) + 1
	const many = -1
	where := func(s []int32) []int { // 1 + the place of each element
		at := make([]int, size)
		for i, v := range s {
			if at[v] == 0 {
				at[v] = i + 1
			} else {
				at[v] = many
			}
		}
		return at
	}
	inA, inB := where(a), where(b)
	var unique []run // in the order of a
	for i, v := range a {
		if inA[v] == i+1 && inB[v] > 0 {
			unique = append(unique, run{i, inB[v] - 1, 1})
		}
	}
	// Patience sorting: tops[k] is the last card of pile k, back the card
	// under it in the sequence.
	var tops []int
	back := make([]int, len(unique))
	for i, u := range unique {
		pile, _ := slices.BinarySearchFunc(tops, u.b, func(t, b int) int { return unique[t].b - b })
		back[i] = -1
		if pile > 0 {
			back[i] = tops[pile-1]
		}
		if pile == len(tops) {
			tops = append(tops, i)
		} else {
			tops[pile] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([]run, len(tops))
	for i, at := len(tops)-1, tops[len(tops)-1]; i >= 0; i, at = i-1, back[at] {
		out[i] = unique[at]
	}
	return out
}
