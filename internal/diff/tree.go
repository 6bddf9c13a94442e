package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
)

// A node is one field of a form with everything below it.
type node struct {
	name  string // the last segment of its path
	path  string
	value string       // compact JSON
	kids  []*node      // the members of an object, the elements of a list
	lines []canon.Line // what it is made of
}

// tree returns the field at path, which is made of these lines. They are sorted,
// so those of one member follow each other.
func tree(name, path string, lines []canon.Line) *node {
	n := &node{name: name, path: path, lines: lines}
	start := 0 // of the members' names in the paths
	if path != "" {
		start = len(path) + 1
	}
	for len(lines) > 0 {
		first := lines[0]
		name, _, deeper := strings.Cut(first.Path[start:], "/")
		if !deeper {
			n.kids = append(n.kids, &node{name: name, path: first.Path, value: first.Value, lines: lines[:1]})
			lines = lines[1:]
			continue
		}
		end := start + len(name)
		count := 1
		for count < len(lines) && strings.HasPrefix(lines[count].Path, first.Path[:end+1]) {
			count++
		}
		n.kids = append(n.kids, tree(name, first.Path[:end], lines[:count]))
		lines = lines[count:]
	}
	n.value = n.join()
	return n
}

// tellingMembers are the members that tell a reader what an object is.
var tellingMembers = []string{"role", "type", "name"}

// join makes the JSON of a list or an object of that of its kids: the telling
// members first, the others in canonical order.
func (n *node) join() string {
	var b strings.Builder
	if !slices.ContainsFunc(n.kids, func(k *node) bool { return !isNumber(k.name) }) {
		for i, k := range n.kids {
			b.WriteByte("[,"[min(i, 1)])
			b.WriteString(k.value)
		}
		return b.String() + "]"
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
	for i, k := range kids {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(quote(memberName(k.name)) + ":" + k.value)
	}
	return b.String() + "}"
}

// memberName undoes what canon does to write a name as a path segment.
func memberName(segment string) string {
	if s, ok := canon.Unquote(segment); ok {
		segment = s
	}
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
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

// fields returns what stands for the node if only one side has it: itself, or
// the members of "body", "header" and "query", which are no fields.
func (n *node) fields() []*node {
	if n.path == n.name && len(n.kids) > 0 {
		return n.kids
	}
	return []*node{n}
}

// kindOf says what a JSON value is, in words.
func kindOf(value string) string {
	switch value[0] {
	case '"':
		return "a string"
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// compareNames orders path segments as canon does: numbers by value.
func compareNames(a, b string) int {
	if isNumber(a) && isNumber(b) {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	return strings.Compare(a, b)
}
