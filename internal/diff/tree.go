package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A node is one field of a form with everything below it.
type node struct {
	name     string // the last segment of its path
	path     string
	value    string       // compact JSON; the root has none
	children []*node      // the members of an object, the elements of a list
	lines    []canon.Line // the lines of the form from which it was made
}

// tree returns the root of a tree of lines, which are in canonical order.
func tree(lines []canon.Line) *node {
	root := &node{lines: lines}
	root.addChildren(0)
	return root
}

// addChildren adds the members or elements of a node. Their names begin at this offset in the
// paths of its lines. The lines of one member are next to each other.
func (n *node) addChildren(offset int) {
	lines := n.lines
	for len(lines) > 0 {
		first := lines[0]
		name, _, hasChildren := strings.Cut(first.Path[offset:], "/")
		end := offset + len(name)
		count := 1
		if hasChildren {
			prefix := first.Path[:end+1]
			for count < len(lines) && strings.HasPrefix(lines[count].Path, prefix) {
				count++
			}
		}
		child := &node{name: name, path: first.Path[:end], value: first.Value, lines: lines[:count]}
		if hasChildren {
			child.addChildren(end + 1)
			child.value = child.json()
		}
		n.children = append(n.children, child)
		lines = lines[count:]
	}
}

// identifyingMembers are the members that identify an object for a reader.
var identifyingMembers = []string{"role", "type", "name"}

// json returns a list or an object as compact JSON, made from the JSON of its children. In an
// object, the identifying members are first, and the others are in canonical order.
func (n *node) json() string {
	if len(n.children) == 0 || fieldpath.IsIndex(n.children[0].name) {
		return "[" + strings.Join(group.Each(n.children, valueOf), ",") + "]"
	}
	rank := func(member *node) int {
		i := slices.Index(identifyingMembers, member.name)
		if i < 0 || len(member.children) > 0 {
			return len(identifyingMembers)
		}
		return i
	}
	members := slices.Clone(n.children)
	slices.SortStableFunc(members, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	var parts []string // joined at once, so that a long text is copied once for each level
	for _, m := range members {
		parts = append(parts, ",", quote(fieldpath.MemberName(m.name)), ":", m.value)
	}
	parts[0] = "{" // in place of the first comma
	return strings.Join(append(parts, "}"), "")
}

// member returns the value of the member with this name, or "".
func (n *node) member(name string) string {
	for _, k := range n.children {
		if k.name == name {
			return k.value
		}
	}
	return ""
}

func valueOf(n *node) string { return n.value }

// kindOf returns the kind of a JSON value, by how it begins.
func kindOf(value string) exactjson.Kind {
	switch value[0] {
	case '"':
		return exactjson.String
	case '[':
		return exactjson.Array
	case '{':
		return exactjson.Object
	case 't', 'f':
		return exactjson.Bool
	case 'n':
		return exactjson.Null
	}
	return exactjson.Number
}

var kindWords = [...]string{
	exactjson.Null:   "null",
	exactjson.Bool:   "a boolean",
	exactjson.Number: "a number",
	exactjson.String: "a string",
	exactjson.Array:  "a list",
	exactjson.Object: "an object",
}

// pairEqual pairs the equal elements of two lists. inOrder are the pairs that are in the same
// order in both lists. equalOf has for each element the equal one of the other list, in any order;
// an element is in one pair at most.
func pairEqual(rec, inc []*node) (inOrder []pair, equalOf map[*node]*node) {
	for i := range min(len(rec), len(inc)) {
		if rec[i].value == inc[i].value {
			inOrder = append(inOrder, pair{i, i})
		}
	}
	// Prefer pairs of the same index unless a match finds more. After a swap of two elements,
	// only these two have moved, and not the elements between them.
	matched := match(group.Each(rec, valueOf), group.Each(inc, valueOf))
	if len(matched) > len(inOrder) {
		inOrder = matched
	}

	equalOf = map[*node]*node{}
	pairUp := func(r, i *node) {
		equalOf[r] = i
		equalOf[i] = r
	}
	for _, p := range inOrder {
		pairUp(rec[p.a], inc[p.b])
	}
	unpaired := map[string][]*node{} // recorded elements by value
	for _, n := range rec {
		if equalOf[n] == nil {
			unpaired[n.value] = append(unpaired[n.value], n)
		}
	}
	for _, n := range inc {
		same := unpaired[n.value]
		if equalOf[n] == nil && len(same) > 0 {
			pairUp(same[0], n)
			unpaired[n.value] = same[1:]
		}
	}
	return inOrder, equalOf
}

// maxPairs is the most pairs of elements that pairSimilar compares: those of two lists of 50.
const maxPairs = 2_500

// minLikeness is the least likeness of two elements at the same index at which pairSimilar
// concludes that no element was added or removed.
const minLikeness = 0.75

// pairSimilar pairs elements of two lists so that the pairs are in order and have as much in
// common as possible: the sum of their likenesses is the largest. It pairs elements by their
// index in two cases: the lists are long, or they have the same length and each element is
// similar to the one at its index.
func pairSimilar(rec, inc []*node) (pairs []pair) {
	areInPlace := slices.EqualFunc(rec, inc, func(r, i *node) bool {
		if len(rec) == 1 && isSameKind(r, i) {
			return true
		}
		return likeness(newProfile(r.lines, len(r.path)), r, i) >= minLikeness
	})
	if areInPlace || len(rec)*len(inc) > maxPairs {
		for i := range min(len(rec), len(inc)) {
			pairs = append(pairs, pair{i, i})
		}
		return pairs
	}

	// Dynamic programming, from the ends of the lists: the best sum from two elements on is that
	// without one of them, or that with both of them as a pair.
	like := map[pair]float64{}    // the likeness of two elements
	bestSum := map[pair]float64{} // the largest sum of likenesses from two elements on
	for r := len(rec) - 1; r >= 0; r-- {
		p := newProfile(rec[r].lines, len(rec[r].path))
		for i := len(inc) - 1; i >= 0; i-- {
			at := pair{r, i}
			like[at] = likeness(p, rec[r], inc[i])
			bestSum[at] = max(
				bestSum[pair{r + 1, i}],
				bestSum[pair{r, i + 1}],
				bestSum[at.next()]+like[at],
			)
		}
	}

	// Follow the choices that gave the best sum, from the starts of the lists.
	for at := (pair{}); at.a < len(rec) && at.b < len(inc); {
		switch {
		case like[at] > 0 && bestSum[at] == bestSum[at.next()]+like[at]:
			pairs = append(pairs, at)
			at = at.next()
		case bestSum[at] == bestSum[pair{at.a + 1, at.b}]:
			at.a++
		default:
			at.b++
		}
	}
	return pairs
}

// likeness returns how well two elements pair, from 0 for not at all to 1 for equal. Elements
// with another role, type or name only pair if they have much in common.
func likeness(p *profile, rec, inc *node) float64 {
	const muchInCommon = 0.6
	const leastOfSameKind = 0.05 // pairs elements that have only their kind in common

	if kindOf(rec.value) != kindOf(inc.value) {
		return 0
	}
	share := p.share(inc.lines, len(inc.path))
	if share < muchInCommon && !isSameKind(rec, inc) {
		return 0
	}
	return max(share, leastOfSameKind)
}

// isSameKind reports whether two elements have the same kind, role, type and name.
func isSameKind(rec, inc *node) bool {
	differs := func(name string) bool { return rec.member(name) != inc.member(name) }
	return kindOf(rec.value) == kindOf(inc.value) &&
		!slices.ContainsFunc(identifyingMembers, differs)
}
