package diff

import (
	"cmp"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/fieldpath"
)

// An Edit is one difference between a recorded and an incoming form, or between a recorded
// and a live answer: a field with two values, or a field, list element or object that only
// one side has.
type Edit struct {
	Path     string // as the incoming request has it, or the recorded one if only that has it; "endpoint" and "wire" for those
	Recorded string // canonical value, compact JSON of an object or list; "" if only the incoming request has the field
	Incoming string // the same of the incoming request; "" if only the recording has the field
	From     string // the recorded path, if it is another; else ""
	Note     string // what kind of difference it is, "differs only in white space"; "" if the values say it
	Name     string // of the file that the incoming request has there; "" if it has none
	Live     bool   // Incoming is of a live answer, and not of a request
}

const elementOrder = "differs only in the order of its elements"

// movedNote is the note of a list element that is the same at another place.
const movedNote = "moved"

// IsOrder reports whether an edit says that the same is there in another order.
func (e *Edit) IsOrder() bool { return e.Note == OtherOrder || e.Note == movedNote }

// List returns the list of which only the order of the elements differs, if that is what an edit
// says; else "".
func (e *Edit) List() string {
	if e.Note == elementOrder {
		return e.Path
	}
	to, from := e.Path[:strings.LastIndexByte(e.Path, '/')+1], e.From[:strings.LastIndexByte(e.From, '/')+1]
	if e.Note != movedNote || to != from {
		return ""
	}
	return strings.TrimSuffix(to, "/")
}

// spell gives an edit the paths that the requests have, where the forms know
// them: those are what a user can find in the program and in the cassette.
func (e *Edit) spell(recorded, incoming *canon.Form) {
	from := recorded.Sent(cmp.Or(e.From, e.Path))
	if e.Incoming == "" {
		e.Path = from
		return
	}
	e.Path, e.From = incoming.Sent(e.Path), from
	if e.Recorded == "" || e.From == e.Path {
		e.From = ""
	}
}

// list names the list and the side that alone has this element of it, "" if the
// edit is of anything else.
func (e *Edit) list() string {
	i := strings.LastIndexByte(e.Path, '/') + 1
	if e.onlyIn() == "" || !fieldpath.IsIndex(e.Path[i:]) {
		return ""
	}
	return e.Path[:i] + e.onlyIn()
}

// onlyIn names the side that alone has the field, "" if both have it.
func (e *Edit) onlyIn() string {
	switch {
	case e.Recorded != "" && e.Incoming != "":
		return ""
	case e.Recorded != "":
		return "the recording"
	case e.Live:
		return "the live answer"
	}
	return "the incoming request"
}
