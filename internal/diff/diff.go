// Package diff answers "why not": which recorded form is most like one that
// missed, which fields differ, and which words inside a long text. It reads
// forms and writes text for whoever was paged; it decides nothing.
//
// The same forms give the same text on every machine, and no text takes more than
// O(n log n) time.
//
// From the bottom up: escape.go and summary.go write values; words.go and match.go
// find what two texts or lists have in common; note.go names differences that are
// easy to miss; profile.go and nearest.go find the nearest recording; tree.go, align.go,
// edit.go and compare.go find the edits of two forms; text.go, rows.go and write.go show
// them.
package diff

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
)

// Forms lists what differs between a recorded and an incoming form: endpoint,
// wire and model first, then the fields in canonical order. List elements are
// aligned, so an inserted message is one edit and those behind it none. The
// result is empty if and only if the forms have the same text.
func Forms(recorded, incoming *canon.Form) []Edit {
	c := comparer{other: "the request"}
	if a, b := recorded.Endpoint, incoming.Endpoint; a != b {
		c.edits = append(c.edits, Edit{Path: "endpoint", Recorded: quote(a), Incoming: quote(b)})
	}
	if a, b := recorded.Wire, incoming.Wire; a != b {
		c.edits = append(c.edits, Edit{Path: "wire", Recorded: quote(a), Incoming: quote(b), Note: wireNote(a, b)})
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

// Drift lists what differs between the fields that do not match but are reported
// when they change. Those outside the body are of an endpoint: they say nothing of
// another.
func Drift(recorded, incoming *canon.Form) []Edit {
	c := comparer{other: "the request"}
	c.lines(recorded.Drift, incoming.Drift)
	if recorded.Endpoint != incoming.Endpoint {
		return slices.DeleteFunc(c.edits, func(e Edit) bool { return canon.Outside(e.Path) })
	}
	return c.edits
}

// Answers lists what differs between the fields of a recorded answer and of a live one.
func Answers(recorded, live []canon.Line) []Edit {
	c := comparer{other: "the live answer"}
	c.lines(recorded, live)
	for i := range c.edits {
		c.edits[i].Live = true
	}
	return c.edits
}
