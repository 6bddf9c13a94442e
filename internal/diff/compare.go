package diff

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// comparer collects the edits of one comparison.
type comparer struct {
	form  bool // the fields of the body are lists of what a form has under their names
	edits []Edit
}

// compare compares the fields of two requests or answers.
func compare(recorded, incoming []canon.Line) []Edit {
	c := comparer{form: slices.ContainsFunc(incoming, func(l canon.Line) bool { return l.Path == "encoding" })}
	c.object(tree(recorded), tree(incoming))
	return c.edits
}

// node compares one field that both sides have.
func (c *comparer) node(rec, inc *node) {
	recKind, incKind := kindOf(rec.value), kindOf(inc.value)
	switch {
	case rec.value == inc.value:
	case recKind != incKind:
		c.changed(rec, inc, Note{Code: DifferentKinds})
	case recKind == exactjson.Array:
		c.list(rec, inc)
	case isFile(rec) && isFile(inc):
		c.changed(file(rec), file(inc), anotherFile(inc.kids[0].value))
	case recKind == exactjson.Object:
		c.object(rec, inc)
	case inc.path == "body" && strings.HasPrefix(rec.value, `"sha256:`):
		c.changed(rec, inc, Note{Code: NotJSON})
	default:
		c.changed(rec, inc, textNote(rec.value, inc.value))
	}
}

// hashed begins what package redact writes for a value that it hashes.
const hashed = "[REDACTED-"

// changed adds an edit of a field that both sides have.
func (c *comparer) changed(rec, inc *node, note Note) {
	if strings.Contains(rec.value, hashed) && strings.Contains(inc.value, hashed) {
		note = Note{Code: MaybeCredential}
	}
	e := Edit{Path: inc.path, Recorded: rec.value, Incoming: inc.value, Note: note}
	if rec.path != inc.path {
		e.From = rec.path
	}
	c.edits = append(c.edits, e)
}

// object compares members by name.
func (c *comparer) object(rec, inc *node) {
	name := func(n *node) string { return n.name }
	c.kids(rec.kids, inc.kids, match(group.Each(rec.kids, name), group.Each(inc.kids, name)))
}

// list compares two lists: short ones as a whole, those whose elements have names by these
// if only the order is another, and all others element by element.
func (c *comparer) list(rec, inc *node) {
	note := Note{}
	if sameElements(rec, inc) {
		note.Code = ElementOrder
	}
	switch {
	case scalars(rec) && scalars(inc):
		if len(rec.kids) == 1 && len(inc.kids) == 1 && (c.form || !strings.HasPrefix(inc.path, "body/")) {
			// A field of a form, a header or a query parameter with one value, as nearly all have.
			rec = &node{path: rec.path, value: rec.kids[0].value}
			inc = &node{path: inc.path, value: inc.kids[0].value}
			note = textNote(rec.value, inc.value)
		}
		c.changed(rec, inc, note)
	case note.Code == ElementOrder && !slices.Contains(group.Each(rec.kids, nameOf), ""):
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
		if kindOf(k.value) == exactjson.String {
			size += len(k.value)
		}
	}
	return size <= shortText
}

// sameElements reports whether two lists differ in their order at most.
func sameElements(rec, inc *node) bool {
	a, b := group.Each(rec.kids, valueOf), group.Each(inc.kids, valueOf)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// names returns a list of the names of the elements.
func names(list *node) *node {
	return &node{path: list.path, value: "[" + strings.Join(group.Each(list.kids, nameOf), ",") + "]"}
}

func nameOf(n *node) string { return n.member("name") }

// elements compares the elements of two lists, between those that are equal. Of these
// stretches, it first tells what came from elsewhere.
func (c *comparer) elements(rec, inc []*node) {
	equal, twin := align(rec, inc)
	moved := func(n *node) bool { return twin[n] != nil }
	var from pair
	for _, to := range append(equal, pair{len(rec), len(inc)}) {
		was, is := slices.Clone(rec[from.a:to.a]), slices.Clone(inc[from.b:to.b])
		for _, n := range is {
			if moved(n) && twin[n].path != n.path { // else it is where it was, between others that are told
				c.changed(twin[n], n, Note{Code: Moved})
			}
		}
		was, is = slices.DeleteFunc(was, moved), slices.DeleteFunc(is, moved)
		c.kids(was, is, similar(was, is))
		from = to.next()
	}
}

// kids compares members or elements, of which pairs belong together. Before each pair it
// tells what was removed, and then what was added there.
func (c *comparer) kids(rec, inc []*node, pairs []pair) {
	var from pair
	for _, to := range append(pairs, pair{len(rec), len(inc)}) {
		c.only(rec[from.a:to.a], func(n *node) Edit { return Edit{Path: n.path, Recorded: n.value} })
		c.only(inc[from.b:to.b], func(n *node) Edit { return Edit{Path: n.path, Incoming: n.value} })
		if to.a < len(rec) {
			c.node(rec[to.a], inc[to.b])
		}
		from = to.next()
	}
}

// only tells what one side alone has. "body", "header" and "query" are no fields, their
// members are.
func (c *comparer) only(nodes []*node, edit func(*node) Edit) {
	for _, n := range nodes {
		if n.path == n.name && len(n.kids) > 0 {
			c.only(n.kids, edit)
		} else {
			c.edits = append(c.edits, edit(n))
		}
	}
}
