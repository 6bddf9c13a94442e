package report

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/tape"
)

// beside says that the order of what ran side by side decided what was asked, and what to do
// about it, if that is what a request tells that is not recorded: it has what its nearest
// recording has in another order, or was asked once more than that. It returns "" otherwise.
func (r *Run) beside(nearest *tape.Recording, edits []diff.Edit) string {
	before := r.Tape.Before(nearest)
	if len(before) == 0 {
		return ""
	}
	isReordered := len(edits) == 1 && edits[0].IsOrder()
	if isReordered && edits[0].Note == diff.OtherOrder {
		edits[0].Note = diff.OfOtherOrder
	}
	if !isReordered && !nearest.Used() && len(r.Tape.Late()) == 0 {
		return ""
	}
	var places []string
	for _, rec := range before[:min(len(before), alsoNamed)] {
		places = append(places, fmt.Sprintf("%s:%d", r.File, rec.Line()))
	}
	if n := len(before) - len(places); n > 0 {
		places = append(places, fmt.Sprintf("%d more", n))
	}
	return "  if you changed nothing, the order of what ran side by side decided this request: " + strings.Join(places, ", ") + ".\n" +
		"  Replay answers in the recorded order, but takes no time, and cannot wait for a program that sleeps or asks something that is not recorded.\n" +
		"  Keep results by index and not as they come, tell equal requests apart with promptecho.WithName, or play the recorded times with promptecho.Pace(1)\n"
}

// late says which recordings came before others that they waited for in vain.
func (r *Run) late() (notes []string) {
	pairs := r.Tape.Late()
	for _, pair := range pairs[:min(len(pairs), alsoNamed)] {
		notes = append(notes, fmt.Sprintf("%s:%d was to come after %s:%d, which ran side by side with it when it was recorded, and waited in vain: that one was not asked this time, or later", r.File, pair[0].Line(), r.File, pair[1].Line()))
	}
	return notes
}
