// Package tape holds what a recorder has recorded and plays: the recordings of
// one cassette, in order, each read when it is needed. The tape says which of
// them answers a request (rules), which were used and what is left. It has the
// journal of a run that records, and the claim of one recorder on its file.
package tape

import (
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/sequence"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Tape holds the recordings of one cassette and of this run. All methods may
// be called concurrently once it is loaded.
//
// These are the locks of the package:
//
//	lock             guards                      taken under it
//	Tape.mu          the fields below it; of     the locks of package
//	                 candidates, the state of    sequence; carriedOver.mu
//	                 the replay; of recordings,
//	                 runState and live
//	Journal.mu       the fields below it; it is  the locks of package
//	                 held while the file is      redact
//	                 written
//	carriedOver.mu   the field below it          none
//	each sync.Once   its result                  Tape.mu, the locks of
//	                                             packages cassette and
//	                                             redact
//
// So nothing is read, written, redacted or matched while Tape.mu is held:
// content is read before that, and published atomically. After Close, only
// methods that need a closed tape change what Tape.mu guards, and they need no
// lock.
type Tape struct {
	*source
	Journal Journal // empty if this run does not save

	// Set by Claim, Load and Resume, before the first call.

	claim   *claim       // on the file; nil if there is none
	records bool         // this run records and saves
	version string       // of the cassette that was read, see versionOf
	loaded  []Recording  // all recordings of the cassette, if all may be played
	index   index        // the recordings that may be played, by match key
	canSave func() error // whether the folder can be written; nil if nothing is saved

	carriedValues interaction.RecordedValues // see CarryOver

	// bySealDigest has a recording of each digest that can be believed. It
	// leads to the others, which have the same match key.
	bySealDigest map[uint64]*Recording

	// Computed on first use, because each of them reads the whole cassette.

	issued           func() map[uint64]bool         // the IDs that first appeared in a response
	withPlaceholders func() []placeholderRecording  // the requests that have placeholders
	urlTemplates     func() []urlTemplate           // the URLs that have placeholders
	byURL            func() map[string][]*Recording // by the methods and URLs of requests

	count sequence.Count // of the events of this run

	// SecretLearned are the recordings of this run that Save has redacted
	// again, because a secret in their requests was not known when they were
	// sent. It is set by Save.
	SecretLearned []*Recording

	mu         sync.Mutex
	recordings []*Recording // in the order asked
	replaced   []*Recording // those of the cassette that this run records again
	conflicts  []*Conflict
	rounds     map[string]*Recording // what this run recorded, if Config.Rounds is set, by key
	missed     []missedCall          // see Miss
	calls      int                   // how many calls there were
	shiftedIDs shiftedIDs
	isStopped  bool // no more calls are answered
	isClosed   bool // nothing changes any more
}

// A missedCall is a call that nothing answered.
type missedCall struct {
	interaction *interaction.Interaction // the request, and an error in place of a response
	call        int                      // its number, from 1
	session     *Recording               // the session of which it is a message; nil for a request
}

// New returns an empty tape. It knows nothing of the cassette yet; see Open and
// Load.
func New(config Config, policy *redact.Policy) *Tape {
	t := &Tape{
		source:       &source{Config: config, policy: policy},
		index:        newIndex(),
		bySealDigest: map[uint64]*Recording{},
		rounds:       map[string]*Recording{},
		shiftedIDs:   shiftedIDs{},
	}
	t.issued = sync.OnceValue(func() map[uint64]bool {
		return issuedIDsOf(t.index.ambiguous(), t.Recordings())
	})
	t.withPlaceholders = sync.OnceValue(func() []placeholderRecording {
		return recordingsWithPlaceholders(t.playable())
	})
	t.urlTemplates = sync.OnceValue(func() []urlTemplate {
		return urlTemplatesOf(t.playable())
	})
	t.byURL = sync.OnceValue(func() map[string][]*Recording {
		return recordingsByURL(t.Recordings())
	})
	return t
}

// Claim reserves the cassette for this tape until [Tape.Free]. The error says
// that another recorder has it, or that its name differs only in case from
// another one.
func (t *Tape) Claim() error {
	var err error
	t.claim, err = newClaim(t.Config.Path, t.Config.Name)
	return err
}

// UsedBy notes that a test has used the cassette, and reports whether another
// test of this process had before. The name is "" if the test is not known. The
// tape must be claimed.
func (t *Tape) UsedBy(test string) (isShared bool) { return t.claim.usedBy(test) }

// IsBlank reports whether no recording can answer any call.
func (t *Tape) IsBlank() bool { return len(t.index.byKey) == 0 && !t.Config.Rounds }

// noteCall gives a recording the number of the first call that it answers, or
// for which it is made. It does nothing if the recording has one, or is nil.
// outer is the function that made the call; nil if none did. A run that records
// counts the events of the recording from now on. The caller holds the lock.
func (t *Tape) noteCall(rec, outer *Recording) {
	if rec == nil || rec.run.firstCall != 0 {
		return
	}
	t.calls++
	rec.run.firstCall = t.calls
	if t.Config.Snapshots {
		rec.run.goroutine = stack.ID()
	}

	countsEvents := rec.Fresh() || t.records && t.Config.InOrder
	if countsEvents {
		rec.run.mark = t.count.Ask(func(other *sequence.Mark) bool {
			return outer.isWithin(func(function *Recording) bool {
				return function.run.mark == other
			})
		})
	}
}

// Reserve takes the next place on the tape for a call that goes upstream. The
// recording of the match, if it has one, is replaced by the one that is made
// now. The error is [ErrClosed], or says why nothing can be saved.
func (t *Tape) Reserve(m Match) (*Recording, error) {
	if t.canSave != nil {
		if err := t.canSave(); err != nil {
			const text = "nothing is sent, because what it answers could not be saved: %w"
			return nil, finding.Errorf(finding.NotSent, t.Config.Name, text, err)
		}
	}

	it := &interaction.Interaction{Request: m.Request, Again: m.Retried}
	it.Kind, it.Boundary = m.Form.Kind()
	it.MatchKey = formOf(it).Key()
	rec := &Recording{
		entry: entry{of: t.source, number: -1},
		live:  &live{outer: m.Outer},
	}
	rec.run.replaces = m.Recording
	rec.content.interaction.Store(it)
	rec.content.form.Store(m.Form)

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isStopped {
		return nil, ErrClosed
	}

	t.noteCall(rec, m.Outer)
	if m.Recording != nil {
		m.Recording.run.replaced = true
	}
	t.recordings = append(t.recordings, rec)
	if m.conflict != nil {
		m.conflict.Instead = rec
	}
	return rec, nil
}

// Finish keeps what answered a request: it redacts it and puts it into the
// journal. The pieces of the response came at these moments. failed says that
// the response reports a failure. The tape owns the interaction from now on.
func (t *Tape) Finish(rec *Recording, it *interaction.Interaction, pieces []int, failed bool) {
	it.Concurrent = rec.run.mark.End(pieces)
	text, known := t.encodeNew(it)

	keepsText := text != nil && !t.Config.Rounds
	if keepsText {
		// The rest is in the text. Its memory is given back here, before the
		// journal takes some.
		it = it.Head()
	}
	t.Journal.add(text, known)

	t.change(func() {
		if keepsText {
			rec.content.encoded.Store(text)
			rec.content.form.Store(rec.Form().Bare())
		}
		rec.content.interaction.Store(it)
		rec.live.complete = true
		rec.live.failed = failed
		rec.live.encoded = text
		rec.live.knownSecrets = known
		if t.Config.Rounds {
			t.rounds[rec.Form().Key()] = rec
		}
	})
}

// encodeNew redacts the response of an interaction, and returns its text for
// the cassette and how many secrets were known when it was made. The text is
// nil if this run saves nothing, or the interaction cannot be written: Save
// says why.
func (t *Tape) encodeNew(it *interaction.Interaction) (text *cassette.Encoded, known int) {
	knownBefore := t.policy.Count()
	result := t.policy.Response(&it.Request, &it.Response)
	known = t.policy.Count()
	if !t.Journal.isStarted() {
		return nil, known
	}

	var err error
	if known > knownBefore {
		// The response has a new secret, and the request may have it, too.
		text, err = Encode(t.policy, t.Config.Name, it)
	} else {
		text, err = encode(t.policy, t.Config.Name, it, result)
	}
	if err != nil {
		return nil, known
	}
	return text, known
}

// Abandon removes the place of a request that got no response.
func (t *Tape) Abandon(rec *Recording) {
	rec.run.mark.Abandon()
	t.change(func() {
		rec.live.abandoned = true
		t.recordings = slices.DeleteFunc(t.recordings, func(other *Recording) bool {
			return other == rec
		})
	})
}

// KeepUnrecorded keeps what a request has and its recording has not.
func (t *Tape) KeepUnrecorded(rec *Recording, values Unrecorded) {
	t.change(func() { rec.run.unrecorded = values })
}

// change calls f, which changes what the lock guards, unless the tape is
// closed.
func (t *Tape) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isClosed {
		f()
	}
}

// Stop ends playing and recording: Take and Reserve return [ErrClosed] from now
// on. What is being recorded can still be finished.
func (t *Tape) Stop() { t.change(func() { t.isStopped = true }) }

// Close ends the journal. After Close, nothing on the tape changes.
func (t *Tape) Close() {
	t.Journal.close()
	t.change(func() {
		t.isClosed = true
		noteCarriedOver(t.recordings)
	})
}

// Free closes the cassette file and gives up the claim on it. It also gives
// back the memory of what this run has recorded, which is in the file by now: a
// test may keep its recorder for long. See Config.Snapshots for the exception.
func (t *Tape) Free() {
	t.stored.Close()
	t.claim.release()
	for _, rec := range t.Recordings() {
		if rec.live == nil {
			continue
		}
		rec.live.encoded = nil
		if !t.Config.Snapshots {
			rec.forget()
		}
	}
}

// Recordings returns the recordings of the cassette that are played and those
// of this run, in the order asked.
func (t *Tape) Recordings() []*Recording {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.recordings)
}

// Stored returns the recordings of the cassette that are played, in order.
func (t *Tape) Stored() []*Recording {
	return slices.DeleteFunc(t.Recordings(), func(rec *Recording) bool {
		return rec.Fresh() || rec.resumed
	})
}

// playable returns the recordings that this run did not make and may play.
func (t *Tape) playable() []*Recording {
	return slices.DeleteFunc(t.Recordings(), func(rec *Recording) bool {
		return rec.Fresh() || rec.resumed && !rec.Carried()
	})
}
