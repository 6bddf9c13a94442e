package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/fieldpath"
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
	return "  if you changed nothing, this request depends on the order of calls that ran in parallel: " + r.places(before) + ".\n" +
		"  Replay answers in the recorded order, but takes no time: it cannot wait for a program that sleeps or makes calls that are not recorded.\n" +
		"  Keep results by index, not in the order of arrival; tell equal requests apart with promptecho.WithName; or play the recorded times with promptecho.Pace(1)\n"
}

// late says which recordings came before others that they waited for in vain, and which requests
// came before what makes a secret in them known.
func (r *Run) late() (notes []string) {
	pairs := r.Tape.Late()
	for _, pair := range pairs[:min(len(pairs), alsoNamed)] {
		notes = append(notes, fmt.Sprintf("%s:%d waited for %s:%d, which ran in parallel with it when recorded, but that request came later this time, or not at all", r.File, pair[0].Line(), r.File, pair[1].Line()))
	}
	return notes
}

// bothOrders says that a run which records has sent a list in two orders, of which each list
// matches: most likely a program ranges over a map.
func (r *Run) bothOrders() (notes []string) {
	sent := map[string]string{} // the first order, by the path and the elements
	for _, rec := range r.Tape.Recordings() {
		if !rec.Fresh() {
			continue
		}
		for _, o := range rec.Form().Orders {
			elements := strings.Split(strings.Trim(o.Value, `"`), ", ")
			slices.Sort(elements)
			key := o.Path + " " + strings.Join(elements, ", ")
			if first, ok := sent[key]; !ok {
				sent[key] = o.Value
			} else if first != o.Value && first != "" {
				sent[key] = ""
				notes = append(notes, fmt.Sprintf("%s: recorded with %s as %s and as %s: the program most likely ranges over a map, or takes results in the order of arrival. Replay accepts any order, but a provider's prompt cache needs a fixed one: sort them", r.File, fieldpath.Selector(o.Path), first, o.Value))
			}
		}
	}
	for _, rec := range r.Tape.WithLate() {
		req := rec.Interaction().Request
		notes = append(notes, fmt.Sprintf("%s: %s: when this request was sent, a text in it was not yet known to be a secret, so replay accepts any text there. Call rec.Secret(NAME), with the name of the secret's environment variable, before the first request", r.File, req.String()))
	}
	return notes
}
