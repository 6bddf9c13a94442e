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

// movedNote is the note of a list element that is the same at another place.
const movedNote = "moved"

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
