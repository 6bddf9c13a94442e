package diff

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
)

// seed makes hashes that are only compared with each other, in one process.
var seed = maphash.MakeSeed()

// A node is one field of a form with everything below it.
type node struct {
	seg   string // the last segment of its path
	path  string
	value string // canonical JSON; empty if it has kids
	kids  []*node
	lines []canon.Line // the lines it is made of
	hash  uint64       // of everything below it, not of its own name
	list  bool         // its kids are numbered, not named
}

// kind is what a node's JSON value is.
type kind string

const (
	nullKind   kind = "null"
	boolKind   kind = "a boolean"
	numberKind kind = "a number"
	stringKind kind = "a string"
	listKind   kind = "a list"
	objectKind kind = "an object"
)

func (k kind) String() string { return string(k) }

func (n *node) kind() kind {
	if n.value != "" {
		return kindOf(n.value)
	}
	if n.list {
		return listKind
	}
	return objectKind
}

func kindOf(value string) kind {
	switch value[0] {
	case '"':
		return stringKind
	case '[':
		return listKind
	case '{':
		return objectKind
	case 't', 'f':
		return boolKind
	case 'n':
		return nullKind
	}
	return numberKind
}

// tree builds the fields that sorted lines are made of.
func tree(lines []canon.Line) *node {
	root := &node{}
	open := []*node{root}
	starts := []int{0}
	closeTo := func(depth, at int) {
		for len(open) > depth {
			n := open[len(open)-1]
			n.lines = lines[starts[len(starts)-1]:at]
			n.finish()
			open, starts = open[:len(open)-1], starts[:len(starts)-1]
		}
	}
	for i, l := range lines {
		depth, rest, at := 1, l.Path, 0
		for {
			seg, after, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			at += len(seg)
			if depth < len(open) && open[depth].seg != seg {
				closeTo(depth, i)
			}
			if depth == len(open) {
				n := &node{seg: seg, path: l.Path[:at]}
				open[depth-1].kids = append(open[depth-1].kids, n)
				open, starts = append(open, n), append(starts, i)
			}
			depth, rest, at = depth+1, after, at+1
		}
		closeTo(depth, i)
		value := l.Value
		if value == "" {
			value = "null" // unreachable for forms that canon made
		}
		leaf := &node{seg: rest, path: l.Path, value: value, lines: lines[i : i+1], hash: maphash.String(seed, value)}
		open[depth-1].kids = append(open[depth-1].kids, leaf)
	}
	closeTo(1, len(lines))
	root.lines = lines
	return root
}

// finish computes what depends on the kids, which are complete.
func (n *node) finish() {
	n.list = true
	for _, k := range n.kids {
		n.list = n.list && isIndex(k.seg)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, k := range n.kids {
		if !n.list {
			h.WriteString(k.seg)
		}
		h.WriteByte('/')
		var sum [8]byte
		binary.LittleEndian.PutUint64(sum[:], k.hash)
		h.Write(sum[:])
	}
	n.hash = h.Sum64()
}

// kid returns the value of the scalar member named name, or "".
func (n *node) kid(name string) string {
	for _, k := range n.kids {
		if k.seg == name {
			return k.value
		}
	}
	return ""
}

// fields returns what stands for the node if only one side has it: itself, or
// the members of "body", "header" and "query", which are no fields.
func (n *node) fields() []*node {
	if n.path == n.seg && len(n.kids) > 0 {
		return n.kids
	}
	return []*node{n}
}

// json returns the node as compact JSON. What tells a reader what an object is
// comes first, the other members in canonical order.
func (n *node) json() string {
	if n.value != "" {
		return n.value
	}
	return string(n.appendJSON(nil))
}

var firstMembers = []string{"role", "type", "name"}

func (n *node) appendJSON(b []byte) []byte {
	if n.value != "" {
		return append(b, n.value...)
	}
	if n.list {
		b = append(b, '[')
		for i, k := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = k.appendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	comma := false
	member := func(k *node) {
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(append(b, quote(memberName(k.seg))...), ':')
		b = k.appendJSON(b)
	}
	first := func(k *node) bool {
		for _, name := range firstMembers {
			if k.seg == name && k.value != "" {
				return true
			}
		}
		return false
	}
	for _, name := range firstMembers {
		for _, k := range n.kids {
			if k.seg == name && first(k) {
				member(k)
			}
		}
	}
	for _, k := range n.kids {
		if !first(k) {
			member(k)
		}
	}
	return append(b, '}')
}

// memberName undoes what canon does to write a name as a path segment.
func memberName(seg string) string {
	if s, ok := canon.Unquote(seg); ok {
		seg = s
	}
	return strings.ReplaceAll(strings.ReplaceAll(seg, "~1", "/"), "~0", "~")
}

func isIndex(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// compareSegments orders segments as canon does: indexes by value.
func compareSegments(a, b string) int {
	if a != b && isIndex(a) && isIndex(b) {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	return strings.Compare(a, b)
}
