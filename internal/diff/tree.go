package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/fieldpath"
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
		return "[" + strings.Join(each(n.kids, valueOf), ",") + "]"
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

// each returns what text returns of each node.
func each(nodes []*node, text func(*node) string) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = text(n)
	}
	return out
}

func valueOf(n *node) string { return n.value }

// kinds are the kinds of JSON values, by how they begin.
var kinds = map[byte]string{'"': "a string", '[': "a list", '{': "an object", 't': "a boolean", 'f': "a boolean", 'n': "null"}

// kindOf says what a JSON value is, in words.
func kindOf(value string) string { return cmp.Or(kinds[value[0]], "a number") }
