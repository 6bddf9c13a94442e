// Package diff explains why a request does not match a recording: which recorded
// form is the nearest, which fields differ, and which words differ in a long text.
// It only describes differences, and does not decide whether a request matches.
//
// The same forms give the same text on every machine. A comparison of two texts
// takes O(n log n) time.
//
// From the bottom up: note.go has the kinds of differences and their words;
// summary.go writes values, and finds differences that are easy to overlook;
// text.go finds the common parts of two texts or lists; nearest.go finds the
// nearest recording; tree.go and compare.go find the edits of two forms; edit.go
// adds the contents of files and bodies; rows.go and write.go show edits.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
)

// Forms lists the differences of a recorded and an incoming form: the endpoint,
// the wire and the model first, then the other fields in canonical order. List
// elements are aligned, so an inserted message is one edit. The result is empty if
// and only if the forms have the same text.
func Forms(recorded, incoming *canon.Form) []Edit {
	var edits []Edit
	if recorded.Endpoint != incoming.Endpoint {
		edits = append(edits, Edit{
			Path:     "endpoint",
			Recorded: quote(recorded.Endpoint),
			Incoming: quote(incoming.Endpoint),
		})
	}
	if recorded.Wire != incoming.Wire {
		edits = append(edits, Edit{
			Path:     "stream",
			Recorded: quote(wires[recorded.Wire]),
			Incoming: quote(wires[incoming.Wire]),
			Note:     Note{Code: wireNote(recorded.Wire, incoming.Wire)},
		})
	}

	fields := compare(recorded.Lines(), incoming.Lines())
	for i := range fields {
		fields[i].addDefault(recorded, incoming)
	}
	model := slices.IndexFunc(fields, func(e Edit) bool { return e.Path == "body/model" })
	if model > 0 {
		edits = append(edits, fields[model])
		fields = slices.Delete(fields, model, model+1)
	}
	edits = append(edits, fields...)

	system := slices.IndexFunc(edits, func(e Edit) bool {
		return e.Path == "body/system" && e.onlyIn() != BothSides
	})
	for i := range edits {
		edits[i].useSentPaths(recorded, incoming)
	}
	if system >= 0 {
		return joinSystemMessage(edits, system)
	}
	return edits
}

// joinSystemMessage joins the edit of the system prompt, at index system, with the edit of a
// message of the same content, if there is one. A form has a system prompt at the start of the
// conversation in a field of its own. So a message whose role has changed, or that has moved
// there, is in two edits: one form has the field, the other has the message.
func joinSystemMessage(edits []Edit, system int) []Edit {
	prompt := edits[system]
	end := `,"content":` + cmp.Or(prompt.Recorded, prompt.Incoming) + "}"
	message := slices.IndexFunc(edits, func(e Edit) bool {
		isOnOtherSide := (e.Recorded == "") == (prompt.Incoming == "")
		return isOnOtherSide && strings.HasSuffix(cmp.Or(e.Recorded, e.Incoming), end)
	})
	if message < 0 {
		return edits
	}
	e := edits[message]
	recordedRole, incomingRole := roleOf(e.Recorded), roleOf(e.Incoming)
	if recordedRole != incomingRole {
		edits[system] = Edit{Path: e.Path + "/role", Recorded: recordedRole, Incoming: incomingRole}
	} else {
		from, to := strings.TrimSuffix(prompt.Path, "/content"), e.Path
		if prompt.Recorded == "" {
			from, to = to, from
		}
		text := e.Recorded + e.Incoming
		edits[system] = Edit{
			Path:     to,
			From:     from,
			Recorded: text,
			Incoming: text,
			Note:     Note{Code: Moved},
		}
	}
	return slices.Delete(edits, message, message+1)
}

// roleOf returns the role of a message as JSON. A value that is not a message is the system
// prompt, which has the role "system".
func roleOf(message string) string {
	role, _, _ := strings.Cut(strings.TrimPrefix(message, `{"role":`), `,"content":`)
	return cmp.Or(role, `"system"`)
}

// Drift lists the differences of the fields that matching ignores but that are reported
// when they change. Fields outside the body are only compared if the endpoint is the same.
func Drift(recorded, incoming *canon.Form) []Edit {
	edits := compare(recorded.Drift, incoming.Drift)
	for _, rec := range recorded.Orders {
		for _, inc := range incoming.Orders {
			if rec.Path != inc.Path {
				continue
			}
			note := textNote(rec.Value, inc.Value)
			if note.Code == OtherOrder {
				edits = append(edits, Edit{
					Path:     inc.Path,
					Recorded: rec.Value,
					Incoming: inc.Value,
					Note:     note,
				})
			}
		}
	}
	if recorded.Endpoint != incoming.Endpoint {
		return slices.DeleteFunc(edits, func(e Edit) bool { return fieldpath.Outside(e.Path) })
	}
	return edits
}

// Answers lists the differences of the fields of a recorded answer and of a live one.
func Answers(recorded, live []canon.Line) []Edit {
	edits := compare(recorded, live)
	for i := range edits {
		edits[i].Live = true
	}
	return edits
}
