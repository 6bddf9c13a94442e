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
	lines []canon.Line // what it is made of
}

// tree returns the root of these lines, which are in canonical order.
func tree(lines []canon.Line) *node {
	root := &node{lines: lines}
	root.grow(0)
	return root
}

// grow adds what is below a node; in the paths of its lines that begins at an offset. The
// lines of one member follow each other.
func (n *node) grow(below int) {
	for lines := n.lines; len(lines) > 0; {
		first, count := lines[0], 1
		name, _, deeper := strings.Cut(first.Path[below:], "/")
		end := below + len(name)
		for deeper && count < len(lines) && strings.HasPrefix(lines[count].Path, first.Path[:end+1]) {
			count++
		}
		kid := &node{name: name, path: first.Path[:end], value: first.Value, lines: lines[:count]}
		if deeper {
			kid.grow(end + 1)
			kid.value = kid.join()
		}
		n.kids = append(n.kids, kid)
		lines = lines[count:]
	}
}

// tellingMembers are the members that tell a reader what an object is.
var tellingMembers = []string{"role", "type", "name"}

// join makes the JSON of a list or an object of that of its kids: the telling
// members first, the others in canonical order.
func (n *node) join() string {
	if len(n.kids) == 0 || fieldpath.IsIndex(n.kids[0].name) {
		return "[" + strings.Join(group.Each(n.kids, valueOf), ",") + "]"
	}
	rank := func(k *node) int {
		i := slices.Index(tellingMembers, k.name)
		if i < 0 || len(k.kids) > 0 {
			return len(tellingMembers)
		}
		return i
	}
	kids := slices.Clone(n.kids)
	slices.SortStableFunc(kids, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	var members []string // joined at once: a long text is copied once for each level
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
	exactjson.Null: "null", exactjson.Bool: "a boolean", exactjson.Number: "a number",
	exactjson.String: "a string", exactjson.Array: "a list", exactjson.Object: "an object",
}

// align returns the pairs of elements of two lists that are equal and stand in the same
// order, and for each element the equal one of the other list, wherever that stands.
func align(rec, inc []*node) (equal []pair, twin map[*node]*node) {
	for i := range min(len(rec), len(inc)) {
		if rec[i].value == inc[i].value {
			equal = append(equal, pair{i, i})
		}
	}
	if most := match(group.Each(rec, valueOf), group.Each(inc, valueOf)); len(most) > len(equal) {
		equal = most // else, two that changed places moved, not all between them
	}
	twin = map[*node]*node{}
	for _, p := range equal {
		twin[rec[p.a]], twin[inc[p.b]] = inc[p.b], rec[p.a]
	}
	loose := map[string][]*node{} // recorded, by value
	for _, n := range rec {
		if twin[n] == nil {
			loose[n.value] = append(loose[n.value], n)
		}
	}
	for _, n := range inc {
		if same := loose[n.value]; twin[n] == nil && len(same) > 0 {
			twin[n], twin[same[0]] = same[0], n
			loose[n.value] = same[1:]
		}
	}
	return equal, twin
}

// maxPairs bounds how many pairs of elements are looked at closely in one gap.
const maxPairs = 2_500

// alike is how much each two elements of one place have in common if nothing was put in or
// taken out between them.
const alike = 0.75

// similar pairs elements so that the pairs are in order and as alike as possible,
// by dynamic programming; in a large gap by their indexes, and also where as many stand as
// stood there and each is like the one at its place, as after one edit of all.
func similar(rec, inc []*node) (pairs []pair) {
	inPlace := slices.EqualFunc(rec, inc, func(r, i *node) bool {
		return len(rec) == 1 && sameKind(r, i) || likeness(newProfile(r.lines, len(r.path)), r, i) >= alike
	})
	if inPlace || len(rec)*len(inc) > maxPairs {
		for i := range min(len(rec), len(inc)) {
			pairs = append(pairs, pair{i, i})
		}
		return pairs
	}
	like := map[pair]float64{} // how well two elements pair
	best := map[pair]float64{} // the largest sum of likenesses of pairs from these on
	for r := len(rec) - 1; r >= 0; r-- {
		p := newProfile(rec[r].lines, len(rec[r].path))
		for i := len(inc) - 1; i >= 0; i-- {
			at := pair{r, i}
			like[at] = likeness(p, rec[r], inc[i])
			best[at] = max(best[pair{r + 1, i}], best[pair{r, i + 1}], best[at.next()]+like[at])
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

// likeness says how well two elements pair; 0 is not at all. Elements of
// another role, type or name must have much in common.
func likeness(p *profile, rec, inc *node) float64 {
	share := p.share(inc.lines, len(inc.path))
	if kindOf(rec.value) != kindOf(inc.value) || share < 0.6 && !sameKind(rec, inc) {
		return 0
	}
	return max(share, 0.05)
}

// sameKind reports whether two elements are of the same role, type and name, as far as they have one.
func sameKind(rec, inc *node) bool {
	other := func(name string) bool { return rec.member(name) != inc.member(name) }
	return kindOf(rec.value) == kindOf(inc.value) && !slices.ContainsFunc(tellingMembers, other)
}
