package diff

// elements compares the elements of two lists. Equal ones are aligned as whole
// subtrees; of the others, those that went elsewhere are shown as moved, and each
// that is left is compared with the most similar one.
func (c *comparer) elements(rec, inc []*node) {
	runs := match(values(rec), values(inc))
	if stayed := inPlace(rec, inc); size(stayed) >= size(runs) {
		runs = stayed // two that changed places moved, not all between them
	}
	runs = append(runs, run{len(rec), len(inc), 0})
	moved := moves(rec, inc, runs)
	r, i := 0, 0
	for _, equal := range runs {
		c.gap(rec[r:equal.a], inc[i:equal.b], moved)
		r, i = equal.a+equal.n, equal.b+equal.n
	}
}

// inPlace returns the elements that are equal at the same index.
func inPlace(rec, inc []*node) []run {
	var runs []run
	for i := range min(len(rec), len(inc)) {
		if rec[i].value == inc[i].value {
			runs = append(runs, run{i, i, 1})
		}
	}
	return runs
}

// size returns the number of elements in runs.
func size(runs []run) int {
	n := 0
	for _, r := range runs {
		n += r.n
	}
	return n
}

// moves pairs equal elements outside of the common runs: it has the recorded one
// by the incoming one, and the other way round.
func moves(rec, inc []*node, runs []run) map[*node]*node {
	loose := map[string][]*node{} // recorded, by value
	r := 0
	for _, common := range runs {
		for _, n := range rec[r:common.a] {
			loose[n.value] = append(loose[n.value], n)
		}
		r = common.a + common.n
	}
	moved := map[*node]*node{}
	i := 0
	for _, common := range runs {
		for _, n := range inc[i:common.b] {
			if same := loose[n.value]; len(same) > 0 {
				moved[n], moved[same[0]] = same[0], n
				loose[n.value] = same[1:]
			}
		}
		i = common.b + common.n
	}
	return moved
}

// gap compares the elements between two common runs: before each pair of similar
// ones it tells what was removed and then what was added or moved there.
func (c *comparer) gap(rec, inc []*node, moved map[*node]*node) {
	r, i := 0, 0
	for _, similar := range append(pairUp(rec, inc, moved), pair{len(rec), len(inc)}) {
		for ; r < similar.rec; r++ {
			if moved[rec[r]] == nil {
				c.removed(rec[r])
			}
		}
		for ; i < similar.inc; i++ {
			if from := moved[inc[i]]; from != nil {
				e := Edit{Path: inc[i].path, From: from.path, Recorded: from.value, Incoming: from.value, Note: movedNote}
				c.edits = append(c.edits, e)
			} else {
				c.added(inc[i])
			}
		}
		if r < len(rec) && i < len(inc) {
			c.node(rec[r], inc[i])
			r, i = r+1, i+1
		}
	}
}

// A pair is an element of each list, by their indexes, that are compared.
type pair struct{ rec, inc int }

// maxPairs bounds how many pairs of elements are looked at closely in one gap.
const maxPairs = 2_500

// pairUp pairs elements that did not move so that the pairs are in order and as
// similar as possible, by dynamic programming; in a large gap by their indexes.
func pairUp(rec, inc []*node, moved map[*node]*node) []pair {
	var pairs []pair
	if len(rec)*len(inc) > maxPairs {
		for i := range min(len(rec), len(inc)) {
			if moved[rec[i]] == nil && moved[inc[i]] == nil {
				pairs = append(pairs, pair{i, i})
			}
		}
		return pairs
	}
	// best[r][i] is the largest sum of likenesses of pairs of rec[r:] and inc[i:].
	best := make([][]float64, len(rec)+1)
	for r := range best {
		best[r] = make([]float64, len(inc)+1)
	}
	like := likenesses(rec, inc, moved)
	for r := len(rec) - 1; r >= 0; r-- {
		for i := len(inc) - 1; i >= 0; i-- {
			best[r][i] = max(best[r+1][i], best[r][i+1], best[r+1][i+1]+like[r][i])
		}
	}
	for r, i := 0, 0; r < len(rec) && i < len(inc); {
		switch {
		case like[r][i] > 0 && best[r][i] == best[r+1][i+1]+like[r][i]:
			pairs = append(pairs, pair{r, i})
			r, i = r+1, i+1
		case best[r][i] == best[r+1][i]:
			r++
		default:
			i++
		}
	}
	return pairs
}

// likenesses says of each recorded and each incoming element how well they pair.
func likenesses(rec, inc []*node, moved map[*node]*node) [][]float64 {
	like := make([][]float64, len(rec))
	for r, recorded := range rec {
		like[r] = make([]float64, len(inc))
		if moved[recorded] != nil {
			continue
		}
		p := newProfile(recorded.lines, len(recorded.path))
		for i, incoming := range inc {
			if moved[incoming] == nil {
				like[r][i] = likeness(p, recorded, incoming)
			}
		}
	}
	return like
}

// likeness says how well two elements pair; 0 is not at all. Elements of
// another role, type or name must have much in common.
func likeness(p *profile, rec, inc *node) float64 {
	if kindOf(rec.value) != kindOf(inc.value) {
		return 0
	}
	share := p.share(inc.lines, len(inc.path))
	for _, name := range tellingMembers {
		if rec.member(name) != inc.member(name) && share < 0.6 {
			return 0
		}
	}
	return max(share, 0.05)
}
