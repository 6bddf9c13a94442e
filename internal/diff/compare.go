package diff

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
)

// comparer collects the edits of one comparison.
type comparer struct {
	live  bool // answers are compared, and not requests
	edits []Edit
}

// lines compares two requests or answers, or parts of them.
func (c *comparer) lines(recorded, incoming []canon.Line) {
	c.object(tree("", "", recorded), tree("", "", incoming))
}

// node compares one field that both sides have.
func (c *comparer) node(rec, inc *node) {
	recKind, incKind := kindOf(rec.value), kindOf(inc.value)
	switch {
	case rec.value == inc.value:
	case recKind != incKind:
		c.changed(rec, inc, "the recording has "+recKind+", "+c.other()+" "+incKind)
	case recKind == "a list":
		c.list(rec, inc)
	case isFile(rec) && isFile(inc):
		c.edits = append(c.edits, Edit{Path: inc.path, Recorded: file(rec), Incoming: file(inc), Note: fileNote})
	case recKind == "an object":
		c.object(rec, inc)
	case inc.path == "body" && strings.HasPrefix(rec.value, `"sha256:`):
		c.changed(rec, inc, "not JSON, compared by its SHA-256")
	default:
		c.changed(rec, inc, textNote(rec.value, inc.value, c.other()))
	}
}

// hashed begins what package redact writes for a value that it hashes.
const hashed = "[REDACTED-"

// other names what is compared with the recording.
func (c *comparer) other() string {
	if c.live {
		return "the live answer"
	}
	return "the request"
}

// changed adds an edit of a field that both sides have.
func (c *comparer) changed(rec, inc *node, note string) {
	if strings.Contains(rec.value, hashed) && strings.Contains(inc.value, hashed) {
		note = "kept as a hash, since it may be a credential"
	}
	e := Edit{Path: inc.path, Recorded: rec.value, Incoming: inc.value, Note: note, Live: c.live}
	if rec.path != inc.path {
		e.From = rec.path
	}
	c.edits = append(c.edits, e)
}

func (c *comparer) removed(n *node) {
	for _, f := range n.fields() {
		c.edits = append(c.edits, Edit{Path: f.path, Recorded: f.value, Live: c.live})
	}
}

func (c *comparer) added(n *node) {
	for _, f := range n.fields() {
		c.edits = append(c.edits, Edit{Path: f.path, Incoming: f.value, Live: c.live})
	}
}

// object compares members by name. Both sides are in the order of canon, so
// one pass over both finds the pairs; members of equal name pair in order.
func (c *comparer) object(rec, inc *node) {
	r, i := rec.kids, inc.kids
	for len(r) > 0 && len(i) > 0 {
		switch order := compareNames(r[0].name, i[0].name); {
		case order < 0:
			c.removed(r[0])
			r = r[1:]
		case order > 0:
			c.added(i[0])
			i = i[1:]
		default:
			c.node(r[0], i[0])
			r, i = r[1:], i[1:]
		}
	}
	for _, n := range r {
		c.removed(n)
	}
	for _, n := range i {
		c.added(n)
	}
}

// list compares two lists: short ones as a whole, lists of tools by their names
// if only the order is another, and all others element by element.
func (c *comparer) list(rec, inc *node) {
	reordered := sameElements(rec.kids, inc.kids)
	switch {
	case scalars(rec) && scalars(inc):
		if len(rec.kids) == 1 && len(inc.kids) == 1 && !strings.HasPrefix(inc.path, "body/") {
			// A header or a query parameter with one value, as nearly all have.
			rec = &node{path: rec.path, value: rec.kids[0].value}
			inc = &node{path: inc.path, value: inc.kids[0].value}
		}
		note := ""
		if reordered {
			note = elementOrder
		}
		c.changed(rec, inc, note)
	case reordered && named(rec):
		note := elementOrder
		if inc.name == "tools" {
			note = ToolOrder
		}
		c.changed(names(rec), names(inc), note)
	default:
		c.elements(rec.kids, inc.kids)
	}
}

// scalars reports whether a list is one of short values or of numbers, which
// is easier to read as a whole than element by element.
func scalars(list *node) bool {
	size := 0
	for _, k := range list.kids {
		if len(k.kids) > 0 {
			return false
		}
		if kindOf(k.value) == "a string" {
			size += len(k.value)
		}
	}
	return size <= shortText
}

// sameElements reports whether two lists differ in their order at most.
func sameElements(rec, inc []*node) bool {
	a, b := values(rec), values(inc)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// named reports whether all elements have a name.
func named(list *node) bool {
	return !slices.ContainsFunc(list.kids, func(k *node) bool { return k.member("name") == "" })
}

// names returns a list of the names of the elements.
func names(list *node) *node {
	var all []string
	for _, k := range list.kids {
		all = append(all, k.member("name"))
	}
	return &node{path: list.path, value: "[" + strings.Join(all, ",") + "]"}
}

// elements compares the elements of two lists. Before each pair it tells what was
// removed, and then what was added there or came from elsewhere.
func (c *comparer) elements(rec, inc []*node) {
	pairs, moved := align(rec, inc)
	end := pair{len(rec), len(inc)}
	r, i := 0, 0
	for _, p := range append(pairs, end) {
		for ; r < p.a; r++ {
			if moved[rec[r]] == nil {
				c.removed(rec[r])
			}
		}
		for ; i < p.b; i++ {
			if from := moved[inc[i]]; from != nil {
				c.changed(from, inc[i], movedNote)
			} else {
				c.added(inc[i])
			}
		}
		if p != end {
			c.node(rec[r], inc[i])
			r, i = r+1, i+1
		}
	}
}
