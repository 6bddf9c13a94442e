package diff

// align pairs the elements of two lists: equal ones as whole subtrees, and of the
// others each with the most similar one between the equal ones, if any is. Elements
// that are equal but went elsewhere are in no pair: moved has the recorded one by the
// incoming one, and the other way round.
func align(rec, inc []*node) (pairs []pair, moved map[*node]*node) {
	equal := match(values(rec), values(inc))
	if stayed := inPlace(rec, inc); len(stayed) >= len(equal) {
		equal = stayed // two that changed places moved, not all between them
	}
	moved = moves(rec, inc, equal)
	return withSimilar(rec, inc, equal, moved), moved
}

func values(kids []*node) []string {
	out := make([]string, len(kids))
	for i, k := range kids {
		out[i] = k.value
	}
	return out
}

// inPlace pairs the elements that are equal at the same index.
func inPlace(rec, inc []*node) []pair {
	var pairs []pair
	for i := range min(len(rec), len(inc)) {
		if rec[i].value == inc[i].value {
			pairs = append(pairs, pair{i, i})
		}
	}
	return pairs
}

// moves finds equal elements that are in none of the pairs.
func moves(rec, inc []*node, pairs []pair) map[*node]*node {
	paired := map[*node]bool{}
	for _, p := range pairs {
		paired[rec[p.a]], paired[inc[p.b]] = true, true
	}
	loose := map[string][]*node{} // recorded, by value
	for _, n := range rec {
		if !paired[n] {
			loose[n.value] = append(loose[n.value], n)
		}
	}
	moved := map[*node]*node{}
	for _, n := range inc {
		if same := loose[n.value]; !paired[n] && len(same) > 0 {
			moved[n], moved[same[0]] = same[0], n
			loose[n.value] = same[1:]
		}
	}
	return moved
}

// withSimilar adds to the pairs of equal elements those of similar ones between
// them.
func withSimilar(rec, inc []*node, equal []pair, moved map[*node]*node) []pair {
	var all []pair
	var from pair
	for _, to := range append(equal, pair{len(rec), len(inc)}) {
		for _, p := range similar(rec[from.a:to.a], inc[from.b:to.b], moved) {
			all = append(all, pair{from.a + p.a, from.b + p.b})
		}
		if to.a < len(rec) {
			all = append(all, to)
		}
		from = pair{to.a + 1, to.b + 1}
	}
	return all
}

// maxPairs bounds how many pairs of elements are looked at closely in one gap.
const maxPairs = 2_500

// similar pairs elements so that the pairs are in order and as alike as possible,
// by dynamic programming; in a large gap by their indexes.
func similar(rec, inc []*node, moved map[*node]*node) []pair {
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
	best, like := matrix(len(rec)+1, len(inc)+1), matrix(len(rec), len(inc))
	for r := len(rec) - 1; r >= 0; r-- {
		p := newProfile(rec[r].lines, len(rec[r].path))
		for i := len(inc) - 1; i >= 0; i-- {
			if moved[rec[r]] == nil && moved[inc[i]] == nil {
				like[r][i] = likeness(p, rec[r], inc[i])
			}
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

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
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
