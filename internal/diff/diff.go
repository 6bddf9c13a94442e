// Package diff answers "why not": which recorded form is most like one that
// missed, which fields differ, and which words inside a long text. It reads
// forms and writes text for whoever was paged; it decides nothing.
//
// The same forms give the same text on every machine, and no text takes more than
// O(n log n) time.
//
// From the bottom up: note.go has the kinds of differences and their words;
// summary.go writes values, and finds differences that are easy to miss; text.go
// finds what two texts or lists have in common; nearest.go finds the nearest
// recording; tree.go and compare.go find the edits of two forms; edit.go adds
// what files and bodies say; rows.go and write.go show them.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
)

// Forms lists what differs between a recorded and an incoming form: endpoint,
// wire and model first, then the fields in canonical order. List elements are
// aligned, so an inserted message is one edit and those behind it none. The
// result is empty if and only if the forms have the same text.
func Forms(recorded, incoming *canon.Form) []Edit {
	fields := compare(recorded.Lines(), incoming.Lines())
	for i := range fields {
		fields[i].addDefault(recorded, incoming)
	}
	if i := slices.IndexFunc(fields, func(e Edit) bool { return e.Path == "body/model" }); i > 0 {
		model := fields[i]
		fields = slices.Insert(slices.Delete(fields, i, i+1), 0, model)
	}
	var edits []Edit
	if a, b := recorded.Endpoint, incoming.Endpoint; a != b {
		edits = append(edits, Edit{Path: "endpoint", Recorded: quote(a), Incoming: quote(b)})
	}
	if a, b := recorded.Wire, incoming.Wire; a != b {
		edits = append(edits, Edit{Path: "stream", Recorded: quote(wires[a]), Incoming: quote(wires[b]), Note: Note{Code: wireNote(a, b)}})
	}
	edits = append(edits, fields...)
	system := slices.IndexFunc(edits, func(e Edit) bool { return e.Path == "body/system" && e.onlyIn() != BothSides })
	for i := range edits {
		edits[i].spell(recorded, incoming)
	}
	if system >= 0 {
		return otherRole(edits, system)
	}
	return edits
}

// otherRole joins the two edits that say that the message of the system has another role or place
// now: in a form, what the system says first is no message.
func otherRole(edits []Edit, system int) []Edit {
	says := edits[system]
	end := `,"content":` + cmp.Or(says.Recorded, says.Incoming) + "}"
	message := slices.IndexFunc(edits, func(e Edit) bool {
		return (e.Recorded == "") == (says.Incoming == "") && strings.HasSuffix(cmp.Or(e.Recorded, e.Incoming), end)
	})
	if message < 0 {
		return edits
	}
	e := edits[message]
	was, is := roleOf(e.Recorded), roleOf(e.Incoming)
	edits[system] = Edit{Path: e.Path + "/role", Recorded: was, Incoming: is}
	if was == is { // it stands behind others now, or did
		from, to := strings.TrimSuffix(says.Path, "/content"), e.Path
		if says.Recorded == "" {
			from, to = to, from
		}
		text := e.Recorded + e.Incoming
		edits[system] = Edit{Path: to, From: from, Recorded: text, Incoming: text, Note: Note{Code: Moved}}
	}
	return slices.Delete(edits, message, message+1)
}

// roleOf returns the role of a message, that of the system's if there is none.
func roleOf(message string) string {
	role, _, _ := strings.Cut(strings.TrimPrefix(message, `{"role":`), `,"content":`)
	return cmp.Or(role, `"system"`)
}

// Drift lists what differs between the fields that do not match but are reported
// when they change. Those outside the body are of an endpoint: they say nothing of
// another.
func Drift(recorded, incoming *canon.Form) []Edit {
	edits := compare(recorded.Drift, incoming.Drift)
	for _, was := range recorded.Orders {
		for _, is := range incoming.Orders {
			if note := textNote(was.Value, is.Value); was.Path == is.Path && note.Code == OtherOrder {
				edits = append(edits, Edit{Path: is.Path, Recorded: was.Value, Incoming: is.Value, Note: note})
			}
		}
	}
	if recorded.Endpoint != incoming.Endpoint {
		return slices.DeleteFunc(edits, func(e Edit) bool { return fieldpath.Outside(e.Path) })
	}
	return edits
}

// Answers lists what differs between the fields of a recorded answer and of a live one.
func Answers(recorded, live []canon.Line) []Edit {
	edits := compare(recorded, live)
	for i := range edits {
		edits[i].Live = true
	}
	return edits
}
