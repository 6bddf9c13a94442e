// Package diff answers "why not": which recorded form is most like one that
// missed, which fields differ, and which words inside a long text. It reads
// forms and writes text for whoever was paged; it decides nothing.
//
// Everything in it is deterministic and bounded by counted steps, never by
// time: the same forms give the same text on every machine.
package diff

import (
	"cmp"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
)

// A Candidate is a recorded form that could have been meant.
type Candidate struct {
	Form *canon.Form
	Used bool // it has answered a request already
}

// An Edit is one difference between a recorded and an incoming form: a field
// with two values, or a field, list element or object that only one side has.
type Edit struct {
	Path     string // as the incoming request has it, or the recorded one if only that has it; "endpoint" and "wire" for those
	Recorded string // canonical value, compact JSON of an object or list; "" if only the incoming request has the field
	Incoming string // the same of the incoming request; "" if only the recording has the field
	From     string // the recorded path, if it is another; else ""
	Note     string // what kind of difference it is, "differs only in white space"; "" if the values say it
}

// ToolOrder is the note of an edit of a tool list that has the same tools in
// another order.
const ToolOrder = "differs only in tool order"

// Forms lists what differs between a recorded and an incoming form: endpoint,
// wire and model first, then the fields in canonical order. List elements are
// aligned, so an inserted message is one edit and those behind it none. The
// result is empty if and only if the forms have the same text.
func Forms(recorded, incoming *canon.Form) []Edit {
	c := comparer{}
	if recorded.Endpoint != incoming.Endpoint {
		c.edits = append(c.edits, Edit{Path: "endpoint", Recorded: quote(recorded.Endpoint), Incoming: quote(incoming.Endpoint)})
	}
	if recorded.Wire != incoming.Wire {
		c.edits = append(c.edits, Edit{Path: "wire", Recorded: quote(recorded.Wire), Incoming: quote(incoming.Wire), Note: wireNote(recorded.Wire, incoming.Wire)})
	}
	first := len(c.edits)
	c.lines(recorded.Lines(), incoming.Lines())
	if i := slices.IndexFunc(c.edits, func(e Edit) bool { return e.Path == "body/model" }); i > first {
		model := c.edits[i]
		c.edits = slices.Insert(slices.Delete(c.edits, i, i+1), first, model)
	}
	for i := range c.edits {
		c.edits[i].spell(recorded, incoming)
	}
	return c.edits
}

// spell gives an edit the paths that the requests have, where the forms know
// them: those are what a user can find in the program and in the cassette.
func (e *Edit) spell(recorded, incoming *canon.Form) {
	from := cmp.Or(e.From, e.Path)
	if e.Incoming == "" && e.Recorded != "" {
		e.Path = recorded.Sent(from)
		return
	}
	e.Path = incoming.Sent(e.Path)
	if e.From = ""; e.Recorded != "" && recorded.Sent(from) != e.Path {
		e.From = recorded.Sent(from)
	}
}

// Drift lists what differs between the fields that do not match but are reported
// when they change. Those outside the body are of an endpoint: they say nothing of
// another.
func Drift(recorded, incoming *canon.Form) []Edit {
	c := comparer{}
	c.lines(recorded.Drift, incoming.Drift)
	if recorded.Endpoint != incoming.Endpoint {
		return slices.DeleteFunc(c.edits, func(e Edit) bool { return canon.Outside(e.Path) })
	}
	return c.edits
}

// comparer collects the edits of one comparison.
type comparer struct {
	edits []Edit
}

func (c *comparer) lines(recorded, incoming []canon.Line) {
	if slices.Equal(recorded, incoming) {
		return
	}
	before := len(c.edits)
	c.object(tree(recorded), tree(incoming))
	if len(c.edits) == before {
		// Unreachable for forms that canon made: their lines are sorted.
		c.edits = append(c.edits, Edit{Path: "body", Note: "differs only in the order of its fields"})
	}
}

// node compares one field that both sides have.
func (c *comparer) node(rec, inc *node) {
	switch rk, ik := rec.kind(), inc.kind(); {
	case rec.hash == inc.hash:
	case rk == listKind && ik == listKind:
		c.list(rec, inc)
	case rk == objectKind && ik == objectKind:
		c.object(rec, inc)
	default:
		e := Edit{Path: inc.path, Recorded: rec.json(), Incoming: inc.json()}
		if rk != ik {
			e.Note = "the recording has " + rk.String() + ", the request " + ik.String()
		} else if rk == stringKind {
			e.Note = textNote(rec.value, inc.value)
			if e.Path == "body" {
				e.Note = "not JSON, compared by its SHA-256"
			}
		}
		c.add(e, rec)
	}
}

// add adds an edit of a field; a recorded path that is not the incoming one is
// kept beside it.
func (c *comparer) add(e Edit, rec *node) {
	if rec.path != e.Path {
		e.From = rec.path
	}
	c.edits = append(c.edits, e)
}

func (c *comparer) removed(n *node) {
	for _, f := range n.fields() {
		c.edits = append(c.edits, Edit{Path: f.path, Recorded: f.json()})
	}
}

func (c *comparer) added(n *node) {
	for _, f := range n.fields() {
		c.edits = append(c.edits, Edit{Path: f.path, Incoming: f.json()})
	}
}

// object compares members by name. Both sides are in the order of canon, so
// one pass over both finds the pairs; members of equal name pair in order.
func (c *comparer) object(rec, inc *node) {
	r, i := rec.kids, inc.kids
	for len(r) > 0 && len(i) > 0 {
		switch order := compareSegments(r[0].seg, i[0].seg); {
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
