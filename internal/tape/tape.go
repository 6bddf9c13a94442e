// Package tape holds what a recorder has recorded and plays: the recordings of one
// cassette, in order, each read when it is needed. The tape says which of them answers a
// request, which were used and what is left. It has the journal of a run that records,
// and the claim of one recorder on its file.
package tape

import (
	"fmt"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/order"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Tape holds the recordings of one cassette and of this run. All methods may be called
// concurrently once it is loaded.
//
// Its lock guards which recordings there are, which were used, and the fields of a
// [Recording] that are marked so. The lock is not held while anything is read, written,
// redacted or matched: an interaction and its form are read before that, and published
// atomically. No other lock is taken under it. After Close nothing that it guards changes
// any more, and all of it is read without the lock.
type Tape struct {
	*source
	Journal Journal // empty if this run does not save

	records bool                   // this run records and saves
	canSave func() error           // whether the folder can be written, which is tried once; nil if nothing is saved
	version string                 // the version of the cassette that was read; see versionOf
	release func()                 // gives up the claim on the file
	usedBy  func(test string) bool // see UsedBy

	// WithLate are the recordings that this run has saved of requests with a secret that it did not know
	// yet when they were asked.
	WithLate []*Recording
	loaded   []Recording // all of the cassette, if all may be played
	count    order.Count // of what this run records

	carriedGiven interaction.Given // see CarryOver

	// Each is found by who needs it first, since it reads the cassette.

	issued           func() map[uint64]bool         // the IDs that first appeared in a recorded response
	withPlaceholders func() []placeholderRecording  // the recordings of requests that have placeholders
	urlTemplates     func() []urlTemplate           // the URLs of recordings that have placeholders
	asks             func() map[string][]*Recording // the recordings, by the methods and URLs of their requests

	mu           sync.Mutex
	recordings   []*Recording // in the order asked
	replaced     []*Recording // those of the cassette that this run records again
	index        index
	bySealDigest map[uint64]*Recording // the first recording of each digest that can be believed
	conflicts    []*Conflict
	rounds       map[string]*Recording // what this run recorded, if it is played again, by the keys of forms
	missed       []Step                // see Miss
	asked        int                   // how many calls there were
	shiftedIDs   shiftedIDs
	stopped      bool // no more requests
	closed       bool // nothing changes any more
}

// New returns an empty tape. It knows nothing of the cassette yet; see Open and Load.
func New(config Config, policy *redact.Policy) *Tape {
	t := &Tape{
		source:       &source{Config: config, policy: policy},
		release:      func() {},
		index:        newIndex(),
		bySealDigest: map[uint64]*Recording{},
		rounds:       map[string]*Recording{},
		shiftedIDs:   shiftedIDs{},
	}
	t.issued = sync.OnceValue(func() map[uint64]bool { return issuedIDsOf(t.index.ambiguous(), t.Recordings()) })
	t.withPlaceholders = sync.OnceValue(func() []placeholderRecording { return recordingsWithPlaceholders(t.playable()) })
	t.urlTemplates = sync.OnceValue(func() []urlTemplate { return urlTemplatesOf(t.playable()) })
	t.asks = sync.OnceValue(func() map[string][]*Recording { return asksOf(t.Recordings()) })
	return t
}

// IsBlank reports whether no recording can answer any call.
func (t *Tape) IsBlank() bool { return len(t.index.byKey) == 0 && !t.Config.Rounds }

// number gives a recording the number of the first call that it answers, or for
// which it is reserved. It does nothing if the recording has one, or is nil. outer
// is the function that made the call; nil if none did. A run that records counts
// the events of the recording from now on. The caller holds the lock.
func (t *Tape) number(rec, outer *Recording) {
	if rec == nil || rec.asked != 0 {
		return
	}
	t.asked++
	rec.asked = t.asked
	if t.Config.Snapshots {
		rec.goroutine = stack.ID()
	}
	if rec.fresh || t.records && t.Config.InOrder {
		rec.mark = t.count.Ask(func(other *order.Mark) bool {
			return outer.isWithin(func(function *Recording) bool { return function.mark == other })
		})
	}
}

// Reserve takes the next place on the tape for a call that goes upstream. The
// recording of the match, if it has one, is replaced by the one that is made now.
// The error is [ErrClosed], or says why nothing can be saved.
func (t *Tape) Reserve(m Match) (*Recording, error) {
	if t.canSave != nil {
		err := t.canSave()
		if err != nil {
			const text = "%s: nothing is sent, because what it answers could not be saved: %w"
			return nil, fmt.Errorf(text, t.Config.Name, err)
		}
	}

	it := &interaction.Interaction{Request: m.Request, Again: m.Retried}
	it.Kind, it.Boundary = m.Form.Kind()
	it.MatchKey = formOf(it).Key()
	rec := &Recording{of: t.source, number: -1, fresh: true, outer: m.Outer}
	rec.interaction.Store(it)
	rec.form.Store(m.Form)

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return nil, ErrClosed
	}

	t.number(rec, m.Outer)
	if m.Recording != nil {
		m.Recording.replaced = true
		rec.number = m.Recording.number
	}
	t.recordings = append(t.recordings, rec)
	if m.conflict != nil {
		m.conflict.Instead = rec
	}
	return rec, nil
}

// Settle keeps what answered a request: it redacts it and puts it into the journal. Its
// pieces came at these moments, and it may say that it failed. Nobody else may use the interaction.
func (t *Tape) Settle(rec *Recording, it *interaction.Interaction, pieces []int, failed bool) {
	it.Concurrent = rec.mark.End(pieces)
	before := t.policy.Count()
	result := t.policy.Response(&it.Request, &it.Response)
	known := t.policy.Count()
	var text *cassette.Encoded
	switch {
	case t.Journal.policy == nil: // this run saves nothing
	case known > before: // the request may have it, too
		text, _ = Encode(t.policy, t.Config.Name, it)
	default: // Save finds out why it cannot be written
		text, _ = encode(t.policy, t.Config.Name, it, result)
	}
	isWhole := text == nil || t.Config.Rounds
	if !isWhole {
		it = it.Head() // the memory of the rest is given back before the journal takes some
	}
	t.Journal.add(text, known)
	t.change(func() {
		if !isWhole {
			rec.whole.Store(text)
			rec.form.Store(rec.Form().Bare())
		}
		rec.interaction.Store(it)
		rec.complete, rec.failed, rec.text, rec.known = true, failed, text, known
		if t.Config.Rounds {
			t.rounds[rec.form.Load().Key()] = rec
		}
	})
}

// GiveUp removes a place whose request got no answer.
func (t *Tape) GiveUp(rec *Recording) {
	rec.mark.GiveUp()
	t.change(func() {
		rec.abandoned = true
		t.recordings = slices.DeleteFunc(t.recordings, func(o *Recording) bool { return o == rec })
	})
}

// Ask keeps what a request has and its recording has not.
func (t *Tape) Ask(rec *Recording, has Unsaid) { t.change(func() { rec.unsaid = has }) }

// change changes what the lock guards, unless the tape is closed.
func (t *Tape) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		f()
	}
}

// Stop ends playing and recording: Take and Reserve return [ErrClosed] from now on. What
// is being recorded can still be settled.
func (t *Tape) Stop() { t.change(func() { t.stopped = true }) }

// Close ends the journal. After Close, nothing on the tape changes.
func (t *Tape) Close() {
	t.Journal.close()
	t.change(func() {
		t.closed = true
		noteCarriedOver(t.recordings)
	})
}

// Free closes the cassette file and gives up the claim on it, and the memory of what this run
// has recorded, which is in the file by now: a test may keep its recorder for long. Only
// snapshots read a tape after that.
func (t *Tape) Free() {
	t.stored.Close()
	t.release()
	for _, rec := range t.Recordings() {
		if rec.text = nil; rec.fresh && !t.Config.Snapshots {
			rec.interaction.Store(new(interaction.Interaction))
			rec.form.Store(nil)
			rec.whole.Store(nil)
		}
	}
}

// Recordings returns the recordings of the cassette that are played and those of this
// run, in the order asked.
func (t *Tape) Recordings() []*Recording {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.recordings)
}

// Stored returns the recordings of the cassette that are played, in order.
func (t *Tape) Stored() []*Recording {
	return slices.DeleteFunc(t.Recordings(), func(rec *Recording) bool { return rec.fresh || rec.resumed })
}

// playable returns the recordings that this run did not make and may play.
func (t *Tape) playable() []*Recording {
	return slices.DeleteFunc(t.Recordings(), func(rec *Recording) bool {
		return rec.fresh || rec.resumed && !rec.Carried()
	})
}
