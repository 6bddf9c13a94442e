package tape

import (
	"fmt"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Resume prepares a run that saves. It puts on the tape, to be played once,
// what a killed run has left in the journal called name, and goes on with that
// journal. Failures that no retry overcame are asked for again, unless
// keepFailures is set.
//
// It returns how many interactions the journal has. If wasSaved is true, all of
// them stand in the cassette.
func (t *Tape) Resume(name string, keepFailures bool) (resumed int, wasSaved bool, err error) {
	t.version = versionOf(t.Config.Path)
	t.canSave = sync.OnceValue(func() error { return cassette.CanSave(t.Config.Path) })
	path := cassette.PathWithSuffix(t.Config.Path, JournalSuffix)
	if err := cassette.Prepare(t.Config.Path, path, t.Failed()); err != nil {
		return 0, false, err
	}

	t.Journal.start(path, t.policy)
	left, wasSaved, err := cassette.LoadJournal(path, t.Config.Path)
	if err != nil {
		const text = "%s, which an earlier recording " +
			"has left, cannot be read: %w. To record without it, delete it"
		return 0, false, fmt.Errorf(text, name, err)
	}
	if len(left.Interactions) == 0 {
		// It was saved, or the run was killed while it created the journal.
		return 0, wasSaved, cassette.Remove(path)
	}

	resumed = len(left.Interactions)
	// What is sent again leaves the journal, too: with the success that comes next, a failure would
	// look like one that the program itself has retried, and a later run would play both.
	left.Interactions = t.addResumed(left.Interactions, keepFailures)
	t.Journal.resume(left)
	return resumed, wasSaved, nil
}

// addResumed puts the interactions that a killed run has left on the tape, to be
// played, and returns them. It leaves out those that this run sends again:
//
//   - a response that was closed while its client waited for more
//   - a failure, unless keepFailures is set or a retry succeeded
func (t *Tape) addResumed(
	left []*interaction.Interaction, keepFailures bool,
) (kept []*interaction.Interaction) {
	var recs []*Recording
	for _, it := range left {
		recs = append(recs, t.newResumed(it))
	}

	hasSuccessfulRetry := succeededLater(recs)
	for i, rec := range recs {
		if left[i].Response.ClosedWhileWaiting() {
			continue // the end of the killed run has most likely canceled the request
		}
		isSentAgain := rec.Failed() && !keepFailures && !hasSuccessfulRetry[rec]
		if !isSentAgain {
			rec.number = len(t.recordings)
			t.add(rec)
			kept = append(kept, left[i])
		}
	}
	return kept
}

// newResumed returns the recording of an interaction that another file has: the
// journal of a killed run, or another cassette. The caller sets its number when
// it puts the recording on the tape.
func (t *Tape) newResumed(it *interaction.Interaction) *Recording {
	rec := &Recording{entry: entry{
		of:             t.source,
		outcome:        outcomeOf(it.Response.CancelCause()),
		unknownHeaders: it.Request.UnknownHeaders,
		resumed:        true,
	}}
	rec.content.interaction.Store(it)
	rec.key = keyOf(rec.Form())
	return rec
}
