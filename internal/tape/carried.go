package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// CarryOver puts the recordings of other cassettes on the tape, each to be
// played once, as if a killed run of this test had made them. What is played is
// saved as a recording of this run, with its answer and times; the rest is not
// saved. It is called after [Tape.Resume], in a run that saves.
//
// Several tests may share the recordings of one cassette, because one test was
// split into them. Where several recordings answer one request, a test first
// gets those that no earlier test of this process has used.
func (t *Tape) CarryOver(paths []string) error {
	var unused, usedBefore []*Recording
	for _, path := range paths {
		f, err := cassette.Load(path)
		if err != nil {
			return err
		}
		t.carriedGiven = t.carriedGiven.Or(f.Given)
		for i, it := range f.Interactions {
			rec := t.newCarried(it, place{path, i})
			if isCarriedOver(rec.carriedFrom) {
				usedBefore = append(usedBefore, rec)
			} else {
				unused = append(unused, rec)
			}
		}
	}
	for _, rec := range slices.Concat(unused, usedBefore) {
		rec.number = len(t.recordings)
		t.add(rec)
	}
	return nil
}

// newCarried returns the recording of an interaction of another cassette.
func (t *Tape) newCarried(it *interaction.Interaction, from place) *Recording {
	rec := t.newResumed(it)
	rec.carriedFrom = from
	return rec
}

// CarriedGiven returns the values that the cassettes of [Tape.CarryOver] give
// their tests.
func (t *Tape) CarriedGiven() interaction.Given { return t.carriedGiven }
