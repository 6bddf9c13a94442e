// Package tape holds what a recorder has recorded and plays: the recordings of one
// cassette, in order, each read when it is needed. The tape says which of them answers a
// request, which were used and what is left. It has the journal of a run that records,
// and the claim of one recorder on its file.
package tape

import (
	"fmt"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/order"
	"github.com/promptecho/promptecho/internal/redact"
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

	given     func() map[uint64]bool         // the ids that answers gave out
	hidden    func() []hidden                // the recordings of requests that have placeholders
	templates func() []urlTemplate           // the URLs of recordings that have placeholders
	asks      func() map[string][]*Recording // the recordings, by the methods and URLs of their requests

	mu         sync.Mutex
	recordings []*Recording // in the order asked
	replaced   []*Recording // those of the cassette that this run records again
	shelf      shelf
	exact      map[uint64]*Recording // the first recording of each digest
	contests   []*Contest
	rounds     map[string]*Recording // what this run recorded, if it is played again, by the keys of forms
	missed     []Step                // see Miss
	asked      int                   // how many calls there were
	counted    counted
	stopped    bool // no more requests
	closed     bool // nothing changes any more
}

// New returns an empty tape. It knows nothing of the cassette yet; see Open and Load.
func New(config Config, policy *redact.Policy) *Tape {
	t := &Tape{
		source:  &source{Config: config, policy: policy},
		release: func() {},
		shelf:   shelf{queues: map[uint64]*queue{}},
		exact:   map[uint64]*Recording{},
		rounds:  map[string]*Recording{},
		counted: counted{},
	}
	t.given = sync.OnceValue(func() map[uint64]bool { return givenOut(t.shelf.choices(), t.Recordings()) })
	t.hidden = sync.OnceValue(func() []hidden { return hiddenOf(t.playable()) })
	t.templates = sync.OnceValue(func() []urlTemplate { return urlTemplates(t.playable()) })
	t.asks = sync.OnceValue(func() map[string][]*Recording { return asksOf(t.Recordings()) })
	return t
}

// Take returns the recording that answers a call, or nil if there is none left. It marks
// the recording as used. The error is [ErrClosed], or says why the recording cannot be
// played.
func (t *Tape) Take(c *Call) (*Recording, error) {
	if rec := t.takeExact(c); rec != nil {
		return rec, nil
	}
	c.Request.Body = redact.Own(c.Request.Body)
	if err := t.policy.RedactBody(&c.Request); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Config.Name, err)
	}
	c.Form = t.Config.Options.Form(&c.Request)
	rec, err := t.takeAlike(c)
	if rec == nil && err == nil {
		rec, err = t.takeGiven(c)
	}
	if rec == nil && err == nil {
		rec, err = t.takeFilled(c)
	}
	if rec == nil && err == nil {
		rec = t.takeLate(c)
	}
	if rec == nil || err != nil {
		return nil, err
	}
	return rec, t.checkMatchKey(rec, c.As)
}

// takeGiven returns the recording to play for a request that sends back a placeholder which an answer gave it.
func (t *Tape) takeGiven(c *Call) (rec *Recording, err error) {
	body, form := c.Request.Body, c.Form
	given := redact.Disown(body)
	if len(given) == len(body) {
		return nil, nil
	}
	c.Request.Body = given
	c.Form = t.Config.Options.Form(&c.Request)
	if rec, err = t.takeAlike(c); rec == nil {
		c.Request.Body, c.Form = body, form
	}
	return rec, err
}

// takeLate returns the recording to play for a request that has a text where the recording has
// a placeholder, and differs in nothing else. That stands for any text: whoever recorded it knew
// of the secret there, perhaps by a request that came later. What stands there in a request of
// this run is a secret from then on.
func (t *Tape) takeLate(c *Call) (rec *Recording) {
	asked, known := c.spelled(), t.policy.Count()
	for _, h := range t.hidden() {
		recorded := h.text
		if recorded == "" {
			recorded = h.spelled()
		}
		if recorded == asked || !t.policy.Reveal(recorded, asked) {
			continue
		}
		a := &asking{form: h.Form(), counted: t.counted}
		t.mu.Lock()
		if q := t.shelf.queues[h.key]; q != nil && !t.stopped {
			rec = t.takeFrom(q, a, c)
			t.number(rec, c.Outer)
		}
		t.mu.Unlock()
		if rec != nil {
			c.As, c.Late = a.form, true
			break
		}
	}
	if t.policy.Count() > known {
		t.again(c)
	}
	return rec
}

// takeFilled returns the recording to play for a request that differs from it only in what stands
// in its URL where the recording has placeholders.
func (t *Tape) takeFilled(c *Call) (*Recording, error) {
	for _, tmpl := range t.templates() {
		url, ok := tmpl.fill(c.Request.URL)
		if !ok || url == c.Request.URL {
			continue
		}
		filled := *c
		filled.Request.URL = url
		filled.Form = t.Config.Options.Form(&filled.Request)
		rec, err := t.takeAlike(&filled)
		if rec == nil && err == nil {
			continue
		}
		c.Form, c.As, c.contest = filled.Form, filled.As, filled.contest
		return rec, err
	}
	return nil, nil
}

// again redacts a call with what has become known since, and makes its form again.
func (t *Tape) again(c *Call) {
	t.redactNew(&c.Request)
	c.Form = t.Config.Options.Form(&c.Request)
}

// takeExact returns the recording to play for a request that is recorded byte for byte.
// It returns nil if that is not known, and the form has to be made.
func (t *Tape) takeExact(c *Call) *Recording {
	digest := c.Request.Digest()
	t.mu.Lock()
	defer t.mu.Unlock()
	first := t.exact[digest]
	if first == nil || t.stopped {
		return nil
	}
	q := t.shelf.queues[first.key]
	if q.canceled.next() != nil {
		return nil
	}
	rec := q.takeExact(first, func() bool { return t.Config.Repeats.Select(first.Form().Name()) })
	t.number(rec, c.Outer)
	return rec
}

// IsBlank reports whether no recording can answer any call.
func (t *Tape) IsBlank() bool { return len(t.shelf.queues) == 0 && !t.Config.Rounds }

// find returns the queues whose recordings can answer a call. It needs no lock: the shelf
// does not change once requests come.
func (t *Tape) find(c *Call) []found { return t.shelf.find(c.Form, &c.Request, t.Config.Options) }

// takeAlike returns the recording to play for a request of a form.
func (t *Tape) takeAlike(c *Call) (rec *Recording, err error) {
	queues, digest := t.find(c), t.Config.digest(&c.Request)
	var given []canon.Trait
	for _, q := range queues {
		if q.readForms(t.given); q.given && given == nil {
			given = givenIn(&c.Request, t.given())
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return nil, ErrClosed
	}
	for i := 0; rec == nil && i < len(queues); i++ {
		a := &asking{queues[i].form, digest, given, t.counted}
		rec, c.As = t.takeFrom(queues[i].queue, a, c), a.form
	}
	if rec == nil && t.rounds[c.Form.Key()] != nil {
		rec, c.As = t.rounds[c.Form.Key()], c.Form
	}
	if c.Form.Linked() && (rec == nil || rec.exactly != digest) {
		t.counted.add(c.Request.Body)
	}
	t.number(rec, c.Outer)
	return rec, nil
}

// takeFrom returns the recording of a queue to play for a call, which asks for it so.
// The caller holds the lock.
func (t *Tape) takeFrom(q *queue, a *asking, c *Call) *Recording {
	repeats := t.Config.Repeats.Select(c.Form.Name())
	if !c.Lasts {
		if rec := q.takeCanceled(a, repeats, t.playing()); rec != nil {
			return rec
		}
	}
	rec, contest := q.take(a, repeats)
	if contest != nil {
		t.contests = append(t.contests, contest)
		c.contest = contest
	}
	if rec == nil && !t.records { // which of two hedged requests is canceled depends on how long they take
		if rec = q.canceled.next(); rec != nil {
			rec.used.Store(true)
		}
	}
	return rec
}

// Asker, if a test has set it, tells which goroutine calls. It is set before any call.
var Asker func() uint64

// number gives a recording that is played or reserved for the first time the number of the
// call, which a function may have made; rec may be nil. A run that records counts what happens to it from
// now on. The caller holds the lock.
func (t *Tape) number(rec, outer *Recording) {
	if rec == nil || rec.asked != 0 {
		return
	}
	t.asked++
	rec.asked = t.asked
	if Asker != nil {
		rec.asker = Asker()
	}
	if rec.fresh || t.records && t.Config.InOrder {
		rec.mark = t.count.Ask(func(other *order.Mark) bool {
			return outer.isWithin(func(function *Recording) bool { return function.mark == other })
		})
	}
}

// checkMatchKey returns an error if a recording that was found by the key in its file is
// not of the form that was asked for.
func (t *Tape) checkMatchKey(rec *Recording, form *canon.Form) error {
	if rec.digest == 0 || rec.Form().Key() == form.Key() {
		return nil
	}
	it, err := rec.Load()
	if err != nil {
		return err
	}
	if keyOf(formOf(it)) == rec.key {
		return nil // a secret has become known since
	}
	// Only a forged file gets here.
	return t.unreadable(fmt.Errorf("%s:%d: under \"seals:\", at the end of the file, the line of this recording belongs to another request: promptecho verify -w rewrites those lines", t.Config.Name, rec.Line()))
}

// Reserve takes the next place for a call that goes upstream. The error is [ErrClosed], or says why nothing can be saved.
func (t *Tape) Reserve(c *Call) (*Recording, error) {
	if t.canSave != nil {
		if err := t.canSave(); err != nil {
			return nil, fmt.Errorf("%s: nothing is sent, because what it answers could not be saved: %w", t.Config.Name, err)
		}
	}
	it := &interaction.Interaction{Request: c.Request, Again: c.Again}
	it.Kind, it.Boundary = c.Form.Kind()
	it.MatchKey = formOf(it).Key()
	rec := &Recording{of: t.source, number: -1, fresh: true, outer: c.Outer}
	rec.interaction.Store(it)
	rec.form.Store(c.Form)

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return nil, ErrClosed
	}
	t.number(rec, c.Outer)
	if c.Instead != nil {
		c.Instead.replaced, rec.number = true, c.Instead.number
	}
	t.recordings = append(t.recordings, rec)
	if c.contest != nil {
		c.contest.Given = rec
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
		if rec.text = nil; rec.fresh && Asker == nil {
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
