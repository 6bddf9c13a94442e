package diff

import (
	"slices"
	"strings"
)

// list compares the elements of two lists. Elements are aligned as whole
// subtrees; those that have no equal are paired with the most similar one and
// shown as what changed in them.
func (c *comparer) list(rec, inc *node) {
	if scalars(rec) && scalars(inc) {
		e := Edit{Path: inc.path, Recorded: rec.json(), Incoming: inc.json()}
		if len(rec.kids) == 1 && len(inc.kids) == 1 && !strings.HasPrefix(inc.path, "body/") {
			// A header or a query parameter with one value, as nearly all have.
			e.Recorded, e.Incoming = rec.kids[0].value, inc.kids[0].value
		} else if reordered(rec.kids, inc.kids) {
			e.Note = "differs only in the order of its elements"
		}
		c.add(e, rec)
		return
	}
	pairs := align(rec.kids, inc.kids)
	if reordered(rec.kids, inc.kids) {
		if named(rec.kids) {
			e := Edit{Path: inc.path, Recorded: names(rec.kids), Incoming: names(inc.kids), Note: "differs only in the order of its elements"}
			if inc.seg == "tools" {
				e.Note = ToolOrder
			}
			c.add(e, rec)
			return
		}
		if swapped := swaps(rec.kids, inc.kids); len(swapped) <= len(pairs) {
			pairs = swapped
		}
	}
	for _, p := range pairs {
		switch {
		case p.inc == nil:
			c.removed(p.rec)
		case p.rec == nil:
			c.added(p.inc)
		case p.moved:
			value := p.inc.json()
			c.edits = append(c.edits, Edit{Path: p.inc.path, From: p.rec.path, Recorded: value, Incoming: value, Note: "moved"})
		default:
			c.node(p.rec, p.inc)
		}
	}
}

// scalars reports whether a list is one of short values or of numbers, which
// is easier to read as a whole than element by element.
func scalars(list *node) bool {
	size := 0
	for _, k := range list.kids {
		if k.value == "" {
			return false
		}
		if k.value[0] == '"' {
			size += len(k.value)
		}
	}
	return size <= shortText
}

// reordered reports whether two lists have the same elements.
func reordered(rec, inc []*node) bool {
	if len(rec) != len(inc) {
		return false
	}
	count := make(map[uint64]int, len(rec))
	for _, k := range rec {
		count[k.hash]++
	}
	for _, k := range inc {
		if count[k.hash]--; count[k.hash] < 0 {
			return false
		}
	}
	return true
}

// swaps pairs the elements of reordered lists that are not where they were.
func swaps(rec, inc []*node) []pair {
	var elsewhere []*node
	for i, n := range rec {
		if n.hash != inc[i].hash {
			elsewhere = append(elsewhere, n)
		}
	}
	var pairs []pair
	for i, n := range inc {
		if n.hash == rec[i].hash {
			continue
		}
		from := slices.IndexFunc(elsewhere, func(e *node) bool { return e.hash == n.hash })
		pairs = append(pairs, pair{elsewhere[from], n, true})
		elsewhere = slices.Delete(elsewhere, from, from+1)
	}
	return pairs
}

// named reports whether all elements have a name.
func named(kids []*node) bool {
	for _, k := range kids {
		if k.kid("name") == "" {
			return false
		}
	}
	return true
}

// names lists the names of elements as JSON.
func names(kids []*node) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, k := range kids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(k.kid("name"))
	}
	b.WriteByte(']')
	return b.String()
}

// pair is an element of both lists, or of one.
type pair struct {
	rec, inc *node
	moved    bool // equal, but at another place among the others
}

// align pairs the elements of two lists. Equal pairs that did not move are
// left out.
func align(rec, inc []*node) []pair {
	ids := map[uint64]int32{}
	number := func(nodes []*node) []int32 {
		out := make([]int32, len(nodes))
		for i, n := range nodes {
			id, ok := ids[n.hash]
			if !ok {
				id = int32(len(ids))
				ids[n.hash] = id
			}
			out[i] = id
		}
		return out
	}
	steps := maxSteps
	runs := match(number(rec), number(inc), &steps)
	runs = append(runs, run{len(rec), len(inc), 0})
	moves := moved(rec, inc, runs)
	var pairs []pair
	r, i := 0, 0
	for _, common := range runs {
		pairs = appendGap(pairs, rec[r:common.a], inc[i:common.b], moves)
		r, i = common.a+common.n, common.b+common.n
	}
	return pairs
}

// moved finds equal elements outside the common runs: the recorded one by the
// incoming one, and the other way round.
func moved(rec, inc []*node, runs []run) map[*node]*node {
	moves := map[*node]*node{}
	loose := map[uint64][]*node{}
	r, i := 0, 0
	for _, common := range runs {
		for _, n := range rec[r:common.a] {
			loose[n.hash] = append(loose[n.hash], n)
		}
		r = common.a + common.n
	}
	for _, common := range runs {
		for _, n := range inc[i:common.b] {
			if same := loose[n.hash]; len(same) > 0 {
				moves[n], moves[same[0]] = same[0], n
				loose[n.hash] = same[1:]
			}
		}
		i = common.b + common.n
	}
	return moves
}

// maxPairs bounds how many pairs of one gap are looked at closely.
const maxPairs = 2_500

// appendGap pairs the elements between two common runs so that the pairs are
// as similar as possible and in order.
func appendGap(pairs []pair, rec, inc []*node, moves map[*node]*node) []pair {
	var loose []*node // recorded, not moved
	for _, n := range rec {
		if moves[n] == nil {
			loose = append(loose, n)
		}
	}
	var open []*node // incoming, not moved
	for _, n := range inc {
		if moves[n] == nil {
			open = append(open, n)
		}
	}
	partner := pairUp(loose, open)
	r, o, paired := 0, 0, -1 // paired is the next incoming one with a partner
	for _, n := range inc {
		if from := moves[n]; from != nil {
			pairs = append(pairs, pair{from, n, true})
			continue
		}
		if paired < o {
			for paired = o; paired < len(partner) && partner[paired] < 0; paired++ {
			}
		}
		upTo := len(loose) // what was removed here comes before what was added
		if paired < len(partner) {
			upTo = partner[paired]
		}
		for ; r < upTo; r++ {
			pairs = append(pairs, pair{rec: loose[r]})
		}
		if p := partner[o]; p >= 0 {
			pairs = append(pairs, pair{rec: loose[p], inc: n})
			r = p + 1
		} else {
			pairs = append(pairs, pair{inc: n})
		}
		o++
	}
	for ; r < len(loose); r++ {
		pairs = append(pairs, pair{rec: loose[r]})
	}
	return pairs
}

// pairUp returns for each incoming element the recorded one it is compared
// with, -1 for none.
func pairUp(rec, inc []*node) []int {
	partner := make([]int, len(inc))
	for i := range partner {
		partner[i] = -1
	}
	if len(rec) == 0 || len(inc) == 0 {
		return partner
	}
	if len(rec)*len(inc) > maxPairs {
		for i := range min(len(rec), len(inc)) {
			partner[i] = i
		}
		return partner
	}
	// best[r][i] is the largest sum of likeness of rec[r:] and inc[i:].
	best := make([][]float64, len(rec)+1)
	like := make([][]float64, len(rec))
	best[len(rec)] = make([]float64, len(inc)+1)
	for r := len(rec) - 1; r >= 0; r-- {
		best[r] = make([]float64, len(inc)+1)
		like[r] = make([]float64, len(inc))
		b := newBag(rec[r].lines, len(rec[r].path))
		for i := len(inc) - 1; i >= 0; i-- {
			like[r][i] = likeness(b, rec[r], inc[i])
			best[r][i] = max(best[r+1][i], best[r][i+1], best[r+1][i+1]+like[r][i])
		}
	}
	for r, i := 0, 0; r < len(rec) && i < len(inc); {
		switch here := best[r][i]; {
		case like[r][i] > 0 && here <= best[r+1][i+1]+like[r][i]:
			partner[i] = r
			r, i = r+1, i+1
		case here <= best[r+1][i]:
			r++
		default:
			i++
		}
	}
	return partner
}

// likeness says how well two elements pair; 0 is not at all. Elements of
// another role, type or name must have much in common.
func likeness(b *bag, rec, inc *node) float64 {
	if rec.kind() != inc.kind() {
		return 0
	}
	share := b.share(inc.lines, len(inc.path))
	for _, name := range firstMembers {
		if r, i := rec.kid(name), inc.kid(name); r != i && share < 0.6 {
			return 0
		}
	}
	return max(share, 0.05)
}
