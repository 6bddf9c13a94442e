package tape

import (
	"fmt"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/order"
)

// Which recordings of the cassette are played.
type Playing int

const (
	PlayNone        Playing = iota
	PlayNotAccepted         // all but those that were accepted
	PlayAll
)

// Load puts the recordings of the cassette on the tape, to be played, or aside, to be
// replaced; frozen ones are always played. It does not read a recording whose seal tells
// what it answers, unless save says that this run is about to write the file. If a
// recording that is needed cannot be read, the error says why, and the tape is as if there
// were no cassette.
func (t *Tape) Load(play Playing, save bool) error {
	t.records = save
	if t.stored == nil {
		return nil
	}
	list := make([]Recording, t.stored.Len())
	for i := range list {
		t.place(&list[i], i, play)
		if save {
			list[i].Interaction()
		}
		if save && !t.Config.Plain {
			list[i].Form()
		}
	}
	if play == PlayAll {
		t.loaded = list
		t.order = order.New(len(list), func(i int) *interaction.Moments { return t.stored.Outline(i).Moments }, func(i int) bool { return t.stored.Outline(i).Within }, t.index.askedAgain())
	}
	err := t.Unreadable()
	if save || err != nil {
		t.stored.Close()
	}
	if err != nil {
		t.State = State{Cut: isCut(err)}
		t.stored, t.replaced, t.recordings, t.index, t.bySealDigest = nil, nil, nil, newIndex(), nil
		t.unread.Store(nil)
	}
	return err
}

// place puts the recording with this number in the cassette where it belongs on the tape.
func (t *Tape) place(rec *Recording, number int, play Playing) {
	var digest uint64
	rec.of, rec.number = t.source, number
	rec.key, digest, rec.sealed = t.stored.Hint(number)
	outline := t.stored.Outline(number)
	rec.outcome = outcomeOf(outline.GivenUp)
	rec.unknown, rec.accepted = outline.UnknownHeaders, outline.Accepted
	if (play == PlayNone || play == PlayNotAccepted && rec.accepted) && !t.isFrozen(rec) {
		t.replaced = append(t.replaced, rec)
		return
	}
	if rec.sealed && t.Config.Plain {
		rec.sealDigest = digest
	} else {
		rec.key = keyOf(rec.Form())
	}
	t.add(rec)
}

// add puts a recording on the tape, to be played.
func (t *Tape) add(rec *Recording) {
	t.recordings = append(t.recordings, rec)
	t.index.add(rec)
	if t.bySealDigest[rec.sealDigest] == nil && rec.sealDigest != 0 && rec.outcome != canceled {
		t.bySealDigest[rec.sealDigest] = rec
	}
}

// Resume prepares a run that saves. It puts on the tape, to be played once, what a killed
// run has left in the journal called name, goes on with that journal, and returns how many
// interactions it has. Failures that no retry overcame are asked for again, unless
// keepFailures is set. If wasSaved is true, everything in the journal stands in the cassette.
func (t *Tape) Resume(name string, keepFailures bool) (resumed int, wasSaved bool, err error) {
	t.version = versionOf(t.Config.Path)
	t.canSave = sync.OnceValue(func() error { return cassette.CanSave(t.Config.Path) })
	path := cassette.Beside(t.Config.Path, JournalSuffix)
	if err := cassette.Prepare(t.Config.Path, path, t.Failed()); err != nil {
		return 0, false, err
	}
	t.Journal.Path, t.Journal.policy = path, t.policy
	left, wasSaved, err := cassette.LoadJournal(path, t.Config.Path)
	if err != nil {
		return 0, false, fmt.Errorf("%s, which an earlier recording has left, cannot be read: %w. To record without it, delete it", name, err)
	}
	if len(left.Interactions) == 0 {
		return 0, wasSaved, cassette.Remove(path) // saved, or killed while it was created
	}
	recs := make([]*Recording, len(left.Interactions))
	for i, it := range left.Interactions {
		recs[i] = &Recording{of: t.source, number: len(t.recordings), resumed: true, outcome: outcomeOf(it.Response.GivenUp()), unknown: it.Request.UnknownHeaders}
		recs[i].interaction.Store(it)
		recs[i].key = keyOf(recs[i].Form())
	}
	later := succeededLater(recs)
	for i, rec := range recs {
		if left.Interactions[i].Response.LeftWaiting() {
			continue // most likely what has killed the run canceled it first
		}
		if keepFailures || !rec.Failed() || later[rec] {
			t.add(rec)
		}
	}
	t.Journal.goOn(left)
	return len(recs), wasSaved, nil
}
