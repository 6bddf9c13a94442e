package tape

import (
	"github.com/promptecho/promptecho/internal/sequence"
)

// Playing says which recordings of the cassette are played.
type Playing int

const (
	PlayNone        Playing = iota
	PlayNotAccepted         // all but those that were accepted
	PlayNotOlder            // all but those that were recorded before Config.Since; see selectNotOlder
	PlayBeforeFork          // those before number Config.Fork
	PlayAll
)

// Load puts the recordings of the cassette on the tape. A recording that play
// selects, or that is frozen, is played in this run. This run replaces the others.
//
// save says that this run is going to write the file. Then Load reads each
// recording in full, and closes the file. Otherwise it reads only the seal of a
// recording if the seal has its match key, and the rest when a request needs it.
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
		list[i].entry = t.entryOf(i)
	}
	isSelected := t.selector(play, list)
	for i := range list {
		rec := &list[i]
		t.playOrReplace(rec, isSelected(rec))
		if save {
			rec.Interaction() // reads and keeps it: the file is closed below
			if !t.Config.Plain {
				rec.Form() // computes and keeps it
			}
		}
	}
	if play == PlayAll {
		t.loaded = list
		t.order = sequence.New(t.sequenceCalls())
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

// sequenceCalls returns the recordings of the cassette as package sequence
// wants them.
func (t *Tape) sequenceCalls() []sequence.Call {
	askedAgain := t.index.askedAgain()
	calls := make([]sequence.Call, t.stored.Len())
	for i := range calls {
		outline := t.stored.Outline(i)
		calls[i] = sequence.Call{
			Moments:    outline.Moments,
			IsNested:   outline.Within, // within a function
			AskedAgain: askedAgain[i],
		}
	}
	return calls
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
		outcome:        outcomeOf(outline.CancelCause),
		unknownHeaders: outline.UnknownHeaders,
		accepted:       outline.Accepted,
		isFake:         outline.Fake,
		hasAge:         outline.HasAge(),
		recorded:       outline.Recorded,
	}
	e.key, e.sealDigest, e.isSealed = t.stored.SealedRequest(number)
	return e
}

// selector returns a function that reports whether play selects a recording of the cassette; list
// has all of them.
func (t *Tape) selector(play Playing, list []Recording) func(*Recording) bool {
	switch play {
	case PlayNone:
		return func(*Recording) bool { return false }
	case PlayNotAccepted:
		return func(rec *Recording) bool { return !rec.accepted }
	case PlayBeforeFork:
		return func(rec *Recording) bool { return rec.number < t.Config.Fork-1 }
	case PlayNotOlder:
		return t.selectNotOlder(list)
	}
	return func(*Recording) bool { return true }
}

// selectNotOlder returns the selector of PlayNotOlder. If one session is older, none is selected:
// sessions that are opened by the same request are told apart by their messages only, so one that
// is left could be played for one that is not there.
func (t *Tape) selectNotOlder(list []Recording) func(*Recording) bool {
	isOlder := func(rec *Recording) bool { return rec.hasAge && rec.recorded < t.Config.Since }
	hasOlderSession := false
	for i := range list {
		if isOlder(&list[i]) && list[i].IsSession() {
			hasOlderSession = true
		}
	}
	return func(rec *Recording) bool {
		if isOlder(rec) {
			return false
		}
		return !hasOlderSession || !rec.IsSession()
	}
}

// playOrReplace puts a recording of the cassette on the tape if it is selected or frozen. This run
// replaces any other one.
func (t *Tape) playOrReplace(rec *Recording, isSelected bool) {
	if !isSelected && !t.isFrozen(rec) {
		t.replaced = append(t.replaced, rec)
		return
	}

	// entryOf has read the match key from the seal. A recording that was edited
	// has another one, and so has a run whose options change what matches.
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

	if rec.sealDigest != 0 && rec.outcome != canceled {
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
