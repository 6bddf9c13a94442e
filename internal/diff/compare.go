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
	// Only the form of a request with a multipart or URL-encoded body has this line.
	isEncoding := func(l canon.Line) bool { return l.Path == "encoding" }
	c := comparer{isFormData: slices.ContainsFunc(incoming, isEncoding)}
	c.compareObjects(tree(recorded), tree(incoming))
	return c.edits
}

// compareFields compares one field that both sides have. The order of the cases matters: the
// description of a file is an object, too.
func (c *comparer) compareFields(rec, inc *node) {
	recKind, incKind := kindOf(rec.value), kindOf(inc.value)
	switch {
	case rec.value == inc.value:
		// No edit.
	case recKind != incKind:
		c.addChange(rec, inc, Note{Code: DifferentKinds})
	case recKind == exactjson.Array:
		c.compareLists(rec, inc)
	case isFile(rec) && isFile(inc):
		c.addChange(describeFile(rec), describeFile(inc), anotherFile(inc.children[0].value))
	case recKind == exactjson.Object:
		c.compareObjects(rec, inc)
	case isBodyDigest(rec):
		c.addChange(rec, inc, Note{Code: NotJSON})
	default:
		c.addChange(rec, inc, textNote(rec.value, inc.value))
	}
}

// isBodyDigest reports whether a field is the digest that a form has in the place of a body that
// is not JSON.
func isBodyDigest(n *node) bool {
	return n.path == "body" && strings.HasPrefix(n.value, `"sha256:`)
}

// hashPrefix is the start of the placeholder for a value that package redact replaces by a hash.
const hashPrefix = "[REDACTED-"

// addChange adds an edit of a field that both sides have.
func (c *comparer) addChange(rec, inc *node, note Note) {
	if strings.Contains(rec.value, hashPrefix) && strings.Contains(inc.value, hashPrefix) {
		note = Note{Code: MaybeCredential}
	}
	e := Edit{Path: inc.path, Recorded: rec.value, Incoming: inc.value, Note: note}
	if rec.path != inc.path {
		e.From = rec.path
	}
	c.edits = append(c.edits, e)
}

// compareObjects compares two objects, member by member.
func (c *comparer) compareObjects(rec, inc *node) {
	name := func(n *node) string { return n.name }
	pairs := match(group.Each(rec.children, name), group.Each(inc.children, name))
	c.comparePaired(rec.children, inc.children, pairs)
}

// compareLists compares two lists:
//
//	short lists of scalars                    one edit with both lists
//	objects with names, in another order      one edit with both lists of names
//	all other lists                           element by element
func (c *comparer) compareLists(rec, inc *node) {
	isReordered := hasSameElements(rec, inc)
	switch {
	case isShortScalarList(rec) && isShortScalarList(inc):
		isOnlyValue := c.isFormData || !strings.HasPrefix(inc.path, "body/")
		if isOnlyValue && len(rec.children) == 1 && len(inc.children) == 1 {
			// A field of a form, a header or a query parameter is a list, which has one
			// value in most cases. Show the value.
			rec = &node{path: rec.path, value: rec.children[0].value}
			inc = &node{path: inc.path, value: inc.children[0].value}
			c.addChange(rec, inc, textNote(rec.value, inc.value))
			return
		}
		note := Note{}
		if isReordered {
			note.Code = ElementOrder
		}
		c.addChange(rec, inc, note)
	case isReordered && !slices.Contains(group.Each(rec.children, nameOf), ""):
		c.addChange(namesOf(rec), namesOf(inc), Note{Code: ElementOrder})
	default:
		c.compareElements(rec.children, inc.children)
	}
}

// isShortScalarList reports whether a list has only scalars, and no long strings. Such a list is
// easier to read as a whole than element by element.
func isShortScalarList(list *node) bool {
	size := 0
	for _, k := range list.children {
		if len(k.children) > 0 {
			return false
		}
		if kindOf(k.value) == exactjson.String {
			size += len(k.value)
		}
	}
	return size <= shortText
}

// hasSameElements reports whether two lists have the same elements in any order.
func hasSameElements(rec, inc *node) bool {
	a, b := group.Each(rec.children, valueOf), group.Each(inc.children, valueOf)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// namesOf returns a list of the names of the elements, in the place of the list.
func namesOf(list *node) *node {
	joined := strings.Join(group.Each(list.children, nameOf), ",")
	return &node{path: list.path, value: "[" + joined + "]"}
}

func nameOf(n *node) string { return n.member("name") }

// compareElements compares the elements of two lists. Equal elements in the same order divide the
// lists into stretches. In each stretch it first adds the edits of elements that have moved there,
// and then compares the elements that have no equal one in the other list.
func (c *comparer) compareElements(rec, inc []*node) {
	equal, equalOf := pairEqual(rec, inc)
	hasEqual := func(n *node) bool { return equalOf[n] != nil }
	end := pair{len(rec), len(inc)}
	var from pair
	for _, to := range append(equal, end) {
		recStretch := rec[from.a:to.a]
		incStretch := inc[from.b:to.b]
		for _, n := range incStretch {
			if hasEqual(n) && equalOf[n].path != n.path {
				c.addChange(equalOf[n], n, Note{Code: Moved})
			}
		}
		recRest := slices.DeleteFunc(slices.Clone(recStretch), hasEqual)
		incRest := slices.DeleteFunc(slices.Clone(incStretch), hasEqual)
		c.comparePaired(recRest, incRest, pairSimilar(recRest, incRest))
		from = to.next()
	}
}

// comparePaired compares members or elements that belong together in pairs. Members or elements
// before a pair that are in no pair were removed or added: it adds their edits before those of
// the pair.
func (c *comparer) comparePaired(rec, inc []*node, pairs []pair) {
	removed := func(n *node) Edit { return Edit{Path: n.path, Recorded: n.value} }
	added := func(n *node) Edit { return Edit{Path: n.path, Incoming: n.value} }
	end := pair{len(rec), len(inc)}
	var from pair
	for _, to := range append(pairs, end) {
		c.addOneSided(rec[from.a:to.a], removed)
		c.addOneSided(inc[from.b:to.b], added)
		if to != end {
			c.compareFields(rec[to.a], inc[to.b])
		}
		from = to.next()
	}
}

// addOneSided adds an edit for each node, which only one side has. The nodes "body", "header" and
// "query" at the top are not fields, so their members get the edits.
func (c *comparer) addOneSided(nodes []*node, edit func(*node) Edit) {
	for _, n := range nodes {
		isTop := n.path == n.name
		if isTop && len(n.children) > 0 {
			c.addOneSided(n.children, edit)
			continue
		}
		c.edits = append(c.edits, edit(n))
	}
}
