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
	isFormData bool // the body is a form: its fields are lists of the values of one name
	edits      []Edit
}

// compare compares the fields of two requests or answers.
func compare(recorded, incoming []canon.Line) []Edit {
	isEncoding := func(l canon.Line) bool { return l.Path == "encoding" }
	c := comparer{isFormData: slices.ContainsFunc(incoming, isEncoding)}
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

// hashed is the start of the placeholder for a value that package redact replaces by a hash.
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
	pairs := match(group.Each(rec.kids, name), group.Each(inc.kids, name))
	c.kids(rec.kids, inc.kids, pairs)
}

// list compares two lists. Short lists of scalars are one edit. So are lists of objects with
// names that differ only in their order; the edit has the names. All other lists are compared
// element by element.
func (c *comparer) list(rec, inc *node) {
	isReordered := sameElements(rec, inc)
	switch {
	case scalars(rec) && scalars(inc):
		isOnlyValue := c.isFormData || !strings.HasPrefix(inc.path, "body/")
		if isOnlyValue && len(rec.kids) == 1 && len(inc.kids) == 1 {
			// A field of a form, a header or a query parameter is a list, which has one
			// value in most cases. Show the value.
			rec = &node{path: rec.path, value: rec.kids[0].value}
			inc = &node{path: inc.path, value: inc.kids[0].value}
			c.changed(rec, inc, textNote(rec.value, inc.value))
			return
		}
		note := Note{}
		if isReordered {
			note.Code = ElementOrder
		}
		c.changed(rec, inc, note)
	case isReordered && !slices.Contains(group.Each(rec.kids, nameOf), ""):
		c.changed(names(rec), names(inc), Note{Code: ElementOrder})
	default:
		c.elements(rec.kids, inc.kids)
	}
}

// scalars reports whether a list has only scalars, and no long strings. Such a list is easier
// to read as a whole than element by element.
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

// sameElements reports whether two lists have the same elements in any order.
func sameElements(rec, inc *node) bool {
	a, b := group.Each(rec.kids, valueOf), group.Each(inc.kids, valueOf)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// names returns a list of the names of the elements.
func names(list *node) *node {
	joined := strings.Join(group.Each(list.kids, nameOf), ",")
	return &node{path: list.path, value: "[" + joined + "]"}
}

func nameOf(n *node) string { return n.member("name") }

// elements compares the elements of two lists: the stretches between equal elements. In each
// stretch it first adds the edits of elements that have moved there.
func (c *comparer) elements(rec, inc []*node) {
	equal, twin := align(rec, inc)
	hasTwin := func(n *node) bool { return twin[n] != nil }
	var from pair
	for _, to := range append(equal, pair{len(rec), len(inc)}) {
		recRest := slices.Clone(rec[from.a:to.a])
		incRest := slices.Clone(inc[from.b:to.b])
		for _, n := range incRest {
			if hasTwin(n) && twin[n].path != n.path {
				c.changed(twin[n], n, Note{Code: Moved})
			}
		}
		recRest = slices.DeleteFunc(recRest, hasTwin)
		incRest = slices.DeleteFunc(incRest, hasTwin)
		c.kids(recRest, incRest, similar(recRest, incRest))
		from = to.next()
	}
}

// kids compares members or elements, of which pairs belong together. Before each pair it adds
// the edits of removed ones, and then those of added ones.
func (c *comparer) kids(rec, inc []*node, pairs []pair) {
	removed := func(n *node) Edit { return Edit{Path: n.path, Recorded: n.value} }
	added := func(n *node) Edit { return Edit{Path: n.path, Incoming: n.value} }
	var from pair
	for _, to := range append(pairs, pair{len(rec), len(inc)}) {
		c.only(rec[from.a:to.a], removed)
		c.only(inc[from.b:to.b], added)
		if to.a < len(rec) {
			c.node(rec[to.a], inc[to.b])
		}
		from = to.next()
	}
}

// only adds an edit for each node, which only one side has. The nodes "body", "header" and
// "query" at the top are not fields, so their members get the edits.
func (c *comparer) only(nodes []*node, edit func(*node) Edit) {
	for _, n := range nodes {
		isTop := n.path == n.name
		if isTop && len(n.kids) > 0 {
			c.only(n.kids, edit)
			continue
		}
		c.edits = append(c.edits, edit(n))
	}
}
