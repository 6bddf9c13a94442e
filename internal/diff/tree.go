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
	name  string // the last segment of its path
	path  string
	value string       // compact JSON; the root has none
	kids  []*node      // the members of an object, the elements of a list
	lines []canon.Line // the lines of the form from which it was made
}

// tree returns the root of a tree of lines, which are in canonical order.
func tree(lines []canon.Line) *node {
	root := &node{lines: lines}
	root.grow(0)
	return root
}

// grow adds the members or elements of a node. Their names begin at offset below in the paths
// of its lines. The lines of one member are next to each other.
func (n *node) grow(below int) {
	lines := n.lines
	for len(lines) > 0 {
		first := lines[0]
		name, _, hasKids := strings.Cut(first.Path[below:], "/")
		end := below + len(name)
		count := 1
		if hasKids {
			prefix := first.Path[:end+1]
			for count < len(lines) && strings.HasPrefix(lines[count].Path, prefix) {
				count++
			}
		}
		kid := &node{name: name, path: first.Path[:end], value: first.Value, lines: lines[:count]}
		if hasKids {
			kid.grow(end + 1)
			kid.value = kid.join()
		}
		n.kids = append(n.kids, kid)
		lines = lines[count:]
	}
}

// identifyingMembers are the members that identify an object for a reader.
var identifyingMembers = []string{"role", "type", "name"}

// join returns the JSON of a list or an object: the identifying members first, the others in
// canonical order.
func (n *node) join() string {
	if len(n.kids) == 0 || fieldpath.IsIndex(n.kids[0].name) {
		return "[" + strings.Join(group.Each(n.kids, valueOf), ",") + "]"
	}
	rank := func(k *node) int {
		i := slices.Index(identifyingMembers, k.name)
		if i < 0 || len(k.kids) > 0 {
			return len(identifyingMembers)
		}
		return i
	}
	kids := slices.Clone(n.kids)
	slices.SortStableFunc(kids, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	var members []string // joined at once, so that a long text is copied once for each level
	for _, k := range kids {
		members = append(members, ",", quote(fieldpath.MemberName(k.name)), ":", k.value)
	}
	members[0] = "{"
	return strings.Join(append(members, "}"), "")
}

// member returns the value of the member with this name, or "".
func (n *node) member(name string) string {
	for _, k := range n.kids {
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

// align returns the pairs of equal elements of two lists that are in the same order, and for
// each element its twin: the equal element of the other list, which may be in any order.
func align(rec, inc []*node) (equal []pair, twin map[*node]*node) {
	for i := range min(len(rec), len(inc)) {
		if rec[i].value == inc[i].value {
			equal = append(equal, pair{i, i})
		}
	}
	// Prefer pairs of the same index unless a match finds more. After a swap of two elements,
	// only these two have moved, and not the elements between them.
	matched := match(group.Each(rec, valueOf), group.Each(inc, valueOf))
	if len(matched) > len(equal) {
		equal = matched
	}

	twin = map[*node]*node{}
	pairUp := func(r, i *node) {
		twin[r] = i
		twin[i] = r
	}
	for _, p := range equal {
		pairUp(rec[p.a], inc[p.b])
	}
	unpaired := map[string][]*node{} // recorded elements by value
	for _, n := range rec {
		if twin[n] == nil {
			unpaired[n.value] = append(unpaired[n.value], n)
		}
	}
	for _, n := range inc {
		same := unpaired[n.value]
		if twin[n] == nil && len(same) > 0 {
			pairUp(same[0], n)
			unpaired[n.value] = same[1:]
		}
	}
	return equal, twin
}

// maxPairs is the most pairs of elements that similar compares.
const maxPairs = 2_500

// alike is the least likeness of each element and the one at the same index in the other list,
// if no element was added or removed.
const alike = 0.75

// similar returns pairs of elements in order with the largest sum of likenesses, by dynamic
// programming. It pairs elements by their index in two cases: the lists are long, or they have
// the same length and each element is similar to the one at its index.
func similar(rec, inc []*node) (pairs []pair) {
	inPlace := slices.EqualFunc(rec, inc, func(r, i *node) bool {
		if len(rec) == 1 && sameKind(r, i) {
			return true
		}
		return likeness(newProfile(r.lines, len(r.path)), r, i) >= alike
	})
	if inPlace || len(rec)*len(inc) > maxPairs {
		for i := range min(len(rec), len(inc)) {
			pairs = append(pairs, pair{i, i})
		}
		return pairs
	}
	like := map[pair]float64{} // the likeness of two elements
	best := map[pair]float64{} // the largest sum of likenesses of pairs from these elements on
	for r := len(rec) - 1; r >= 0; r-- {
		p := newProfile(rec[r].lines, len(rec[r].path))
		for i := len(inc) - 1; i >= 0; i-- {
			at := pair{r, i}
			like[at] = likeness(p, rec[r], inc[i])
			best[at] = max(
				best[pair{r + 1, i}],
				best[pair{r, i + 1}],
				best[at.next()]+like[at],
			)
		}
	}
	for at := (pair{}); at.a < len(rec) && at.b < len(inc); {
		switch {
		case like[at] > 0 && best[at] == best[at.next()]+like[at]:
			pairs = append(pairs, at)
			at = at.next()
		case best[at] == best[pair{at.a + 1, at.b}]:
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
	share := p.share(inc.lines, len(inc.path))
	if kindOf(rec.value) != kindOf(inc.value) {
		return 0
	}
	if share < muchInCommon && !sameKind(rec, inc) {
		return 0
	}
	return max(share, 0.05) // elements of the same kind pair even if nothing else is equal
}

// sameKind reports whether two elements have the same kind, role, type and name.
func sameKind(rec, inc *node) bool {
	differs := func(name string) bool { return rec.member(name) != inc.member(name) }
	return kindOf(rec.value) == kindOf(inc.value) &&
		!slices.ContainsFunc(identifyingMembers, differs)
}
