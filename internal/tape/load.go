package tape

import (
	"fmt"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence"
)

// Playing says which recordings of the cassette are played.
type Playing int

const (
	PlayNone        Playing = iota
	PlayNotAccepted         // all but those that were accepted
	PlayAll
)

// Load puts the recordings of the cassette on the tape: those that play
// selects, and frozen ones, to be played, and all others to be replaced. save
// says that this run is about to write the file. Otherwise Load does not read a
// recording whose seal is enough to find it.
//
// If a recording that is needed cannot be read, the error says why, and the
// tape is left without a cassette.
func (t *Tape) Load(play Playing, save bool) error {
	t.records = save
	if t.stored == nil {
		return nil
	}

	list := make([]Recording, t.stored.Len())
	for i := range list {
		rec := &list[i]
		rec.entry = t.entryOf(i)
		t.playOrReplace(rec, play)
		if save {
			rec.Interaction() // the file is closed below, since it is going to be replaced
		}
		if save && !t.Config.Plain {
			rec.Form()
		}
	}
	if play == PlayAll {
		t.loaded = list
		moments := func(i int) *interaction.Moments { return t.stored.Outline(i).Moments }
		within := func(i int) bool { return t.stored.Outline(i).Within }
		t.order = sequence.New(len(list), moments, within, t.index.askedAgain())
	}

	err := t.Unreadable()
	if save || err != nil {
		t.stored.Close()
	}
	if err != nil {
		t.forgetCassette(err)
	}
	return err
}

// forgetCassette leaves the tape without a cassette, because of an error of
// reading it.
func (t *Tape) forgetCassette(err error) {
	t.State = State{Cut: isCut(err)}
	t.stored = nil
	t.replaced = nil
	t.recordings = nil
	t.index = newIndex()
	t.bySealDigest = nil
	t.unread.Store(nil)
}

// entryOf returns what the cassette says about the recording with a number.
func (t *Tape) entryOf(number int) entry {
	outline := t.stored.Outline(number)
	e := entry{
		of:             t.source,
		number:         number,
		outcome:        outcomeOf(outline.GivenUp),
		unknownHeaders: outline.UnknownHeaders,
		accepted:       outline.Accepted,
	}
	e.key, e.sealDigest, e.isSealed = t.stored.Hint(number)
	return e
}

// playOrReplace puts a recording of the cassette on the tape, to be played, or
// among those that this run replaces.
func (t *Tape) playOrReplace(rec *Recording, play Playing) {
	isSelected := play == PlayAll || play == PlayNotAccepted && !rec.accepted
	if !isSelected && !t.isFrozen(rec) {
		t.replaced = append(t.replaced, rec)
		return
	}

	// The seal has the match key that the recording has without options.
	isKeyOfThisRun := rec.isSealed && t.Config.Plain
	if !isKeyOfThisRun {
		rec.sealDigest = 0
		rec.key = keyOf(rec.Form())
	}
	t.add(rec)
}

// add puts a recording on the tape, to be played.
func (t *Tape) add(rec *Recording) {
	t.recordings = append(t.recordings, rec)
	t.index.add(rec, rec.key)

	isFirst := t.bySealDigest[rec.sealDigest] == nil
	if isFirst && rec.sealDigest != 0 && rec.outcome != canceled {
		t.bySealDigest[rec.sealDigest] = rec
	}
}

// isFrozen reports whether a recording is played in every run.
func (t *Tape) isFrozen(rec *Recording) bool {
	if len(t.Config.Frozen) == 0 {
		return false
	}
	function := rec.Head().Request.Within
	if t.Config.Frozen.Select(rec.Form().Name()) {
		return true
	}
	return function != "" && t.Config.Frozen.Select(function)
}

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
	path := cassette.Beside(t.Config.Path, JournalSuffix)
	if err := cassette.Prepare(t.Config.Path, path, t.Failed()); err != nil {
		return 0, false, err
	}

	t.Journal.start(path, t.policy)
	left, wasSaved, err := cassette.LoadJournal(path, t.Config.Path)
	if err != nil {
		const text = "%s, which an earlier recording has left, cannot be read: %w. " +
			"To record without it, delete it"
		return 0, false, fmt.Errorf(text, name, err)
	}
	if len(left.Interactions) == 0 {
		// It was saved, or the run was killed while it created the journal.
		return 0, wasSaved, cassette.Remove(path)
	}

	t.addResumed(left.Interactions, keepFailures)
	t.Journal.resume(left)
	return len(left.Interactions), wasSaved, nil
}

// addResumed puts the interactions of a killed run on the tape, except for
// those that this run asks for again.
func (t *Tape) addResumed(left []*interaction.Interaction, keepFailures bool) {
	var recs []*Recording
	for _, it := range left {
		recs = append(recs, t.newResumed(it))
	}

	retriedWell := succeededLater(recs)
	for i, rec := range recs {
		if left[i].Response.LeftWaiting() {
			continue // most likely what has killed the run canceled it first
		}
		if keepFailures || !rec.Failed() || retriedWell[rec] {
			t.add(rec)
		}
	}
}

// newResumed returns the recording of an interaction that another file has: the
// journal of a killed run, or another cassette.
func (t *Tape) newResumed(it *interaction.Interaction) *Recording {
	rec := &Recording{entry: entry{
		of:             t.source,
		number:         len(t.recordings),
		outcome:        outcomeOf(it.Response.GivenUp()),
		unknownHeaders: it.Request.UnknownHeaders,
		resumed:        true,
	}}
	rec.content.interaction.Store(it)
	rec.key = keyOf(rec.Form())
	return rec
}
