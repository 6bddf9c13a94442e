package report

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/tape"
)

// beside says that the order of two that ran side by side decided what was asked, and what to
// do about it, if that is what a request tells that is not recorded: it has the words of its
// nearest recording in another order, or was asked once more than that. It returns "" otherwise.
func (r *Run) beside(nearest *tape.Recording, edits []diff.Edit) string {
	one, other := r.Tape.Before(nearest)
	if one == nil {
		return ""
	}
	isReordered := len(edits) == 1 && edits[0].Note == diff.OtherOrder
	if isReordered {
		edits[0].Note = diff.OfOtherOrder
	}
	if !isReordered && !nearest.Used() && len(r.Tape.Late()) == 0 {
		return ""
	}
	return fmt.Sprintf("  if nothing was changed: %s:%d and %s:%d ran side by side, and what the program does in between, which no replay knows, decided which was done first.\n  Have the program not depend on it (results by index, not as they come), or play the recorded times with promptecho.Pace(1)\n",
		r.File, one.Line(), r.File, other.Line())
}

// late says which recordings came before others that they waited for in vain, and which requests
// came before what makes a secret in them known.
func (r *Run) late() (notes []string) {
	pairs := r.Tape.Late()
	for _, pair := range pairs[:min(len(pairs), alsoNamed)] {
		notes = append(notes, fmt.Sprintf("%s:%d waited in vain for %s:%d, which ran beside it when it was recorded: that one was not asked this time, or later than it was", r.File, pair[0].Line(), r.File, pair[1].Line()))
	}
	for _, rec := range r.Tape.WithLate() {
		req := rec.Interaction().Request
		notes = append(notes, fmt.Sprintf("%s: %s: what is a secret in it was not known when it was asked, so in replay it is answered whatever stands there. rec.Secret(NAME) before the first request, with the variable that has it, tells it from others", r.File, req.String()))
	}
	return notes
}
