package tape

import (
	"context"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
)

// canceled is what a request says that was given up by its caller, not by a deadline.
var canceled = context.Canceled.Error()

// queues holds the recordings that are played, by the key of their form.
type queues map[uint64]*queue

// add puts a recording behind the others of its form.
func (qs queues) add(rec *Recording) {
	q := qs[rec.key]
	if q == nil {
		q = &queue{exact: true}
		qs[rec.key] = q
	}
	if rec.givenUp == canceled {
		q.canceled = append(q.canceled, rec)
		return
	}
	q.recordings = append(q.recordings, rec)
	q.exact = q.exact && (len(q.recordings) == 1 || rec.digest != 0 && rec.digest == q.recordings[0].digest)
}

// A queue is the recorded interactions of one form, in recorded order. Each is played
// once. Recordings of this run never join one.
//
// Requests of one form can still differ, in what does not match. They fall into kinds by
// those of their traits in which the recordings differ, and a request takes the first of
// its own kind, else of the nearest. The kinds are made when they are needed: as long as
// all that is recorded and asked is the same byte for byte, there is one.
type queue struct {
	recordings []*Recording
	played     int          // those before this one were played
	canceled   []*Recording // that have no answer, since somebody canceled them
	forms      sync.Once    // reads the forms of all
	exact      bool         // all are the same request, byte for byte
	asked      int          // how often the form was asked for

	varying canon.Varying // nil until the queue is sorted
	lent    []*Recording  // played for a request that differs, and not reclaimed
}

// next returns the first recording that was not played, nil if there is none.
func (q *queue) next() *Recording {
	for ; q.played < len(q.recordings); q.played++ {
		if rec := q.recordings[q.played]; !rec.used.Load() {
			return rec
		}
	}
	return nil
}

// readForms reads the forms that the other methods need. It is called without the lock of
// the tape, which is not taken under that of forms.
func (q *queue) readForms() {
	q.forms.Do(func() {
		for _, rec := range q.recordings {
			rec.Form()
		}
	})
}

// sort makes the kinds.
func (q *queue) sort() {
	var traits [][]canon.Trait
	for _, rec := range q.recordings {
		traits = append(traits, rec.Form().Traits)
	}
	q.varying = canon.VaryingOf(traits)
	for i, rec := range q.recordings {
		rec.kind, rec.fullKind = q.varying.Of(traits[i]), canon.KindOf(traits[i])
	}
}

// takeExact returns the recording to be played for a request that is recorded byte for
// byte as rec, nil if that has to be found by the form: if one of the same kind stands
// before rec that is written otherwise, say. With repeats the last one is played again
// and again.
func (q *queue) takeExact(rec *Recording, repeats bool) (next *Recording) {
	switch {
	case len(q.lent) > 0:
		return nil
	case q.exact:
		next = q.next()
	case q.varying != nil:
		next, _ = q.nearest(&rec.kind, false)
	default:
		return nil
	}
	if next == nil && repeats && q.exact {
		next = q.recordings[len(q.recordings)-1]
	}
	if next == nil || next.digest != rec.digest {
		return nil
	}
	q.asked++
	next.used.Store(true)
	return next
}

// take returns the recording to be played for a request of the form, nil if there is
// none left, and a contest if one comes to light by it.
func (q *queue) take(form *canon.Form, repeats bool) (rec *Recording, c *Contest) {
	if q.varying == nil {
		q.sort()
	}
	q.asked++
	full, kind := canon.KindOf(form.Traits), q.varying.Of(form.Traits)
	if lent := q.reclaim(full, kind); lent != nil {
		c = &Contest{Lent: lent, Field: q.varying.Differing(lent.Form().Traits, lent.lentFor.Traits)}
	}
	rec, near := q.nearest(&kind, false)
	if near < canon.SameKind {
		// SDKs try again after a deadline that was not theirs.
		last, lastNear := q.nearest(&kind, true)
		if rec == nil && repeats || lastNear == canon.SameKind && (repeats || last.givenUp != "") {
			rec = last
		}
	}
	if rec == nil {
		return nil, c
	}
	if c == nil && near == canon.SpellingOnly {
		first := slices.IndexFunc(q.recordings, func(own *Recording) bool { return own.kind == kind })
		if first >= 0 && q.recordings[first].number > rec.number {
			c = &Contest{Lent: rec, Late: q.recordings[first]}
		}
	}
	if !rec.used.Load() && rec.fullKind != full {
		rec.lentFor = form
		q.lent = append(q.lent, rec)
	}
	rec.used.Store(true)
	if c != nil {
		c.Given = rec
	}
	return rec, c
}

// takeCanceled returns a recording that has no answer, since somebody canceled its
// request, nil if there is none left. It is for requests that have no other one: which of
// two hedged requests is canceled depends on how long they take.
func (q *queue) takeCanceled() *Recording {
	for _, rec := range q.canceled {
		if !rec.used.Load() {
			rec.used.Store(true)
			return rec
		}
	}
	return nil
}

// reclaim returns a recording of this very request that was played for another, once: one
// that is of its kind among all that there are, or one that another of the kinds that
// vary has taken.
func (q *queue) reclaim(full, kind canon.Kind) *Recording {
	i := slices.IndexFunc(q.lent, func(rec *Recording) bool { return rec.fullKind == full })
	if i < 0 {
		i = slices.IndexFunc(q.lent, func(rec *Recording) bool {
			return rec.kind == kind && q.varying.Of(rec.lentFor.Traits) != kind
		})
	}
	if i < 0 {
		return nil
	}
	rec := q.lent[i]
	q.lent = slices.Delete(q.lent, i, i+1)
	return rec
}

// nearest returns the first of those recordings that are nearest to a request, or of those
// that were played the last, and how near it is; nil if there are none.
func (q *queue) nearest(kind *canon.Kind, played bool) (found *Recording, near int) {
	from := 0
	if q.next(); !played {
		from = q.played
	}
	for _, rec := range q.recordings[from:] {
		if rec.used.Load() != played {
			continue
		}
		n := rec.kind.Near(kind)
		if found == nil || n > near || n == near && played {
			found, near = rec, n
		}
		if n == canon.SameKind && !played {
			break
		}
	}
	return found, near
}

// A Contest is a recording that a request took which differs from it in what does not
// match, before the request came that it was recorded for; or after one came that
// differs only in how it is written and was recorded later.
type Contest struct {
	Lent  *Recording
	Given *Recording  // what its own request got instead; nil if there was nothing left
	Late  *Recording  // what was played before Lent, although it was recorded later
	Field canon.Trait // in which Lent differs from the request that took it
}

// unfair reports whether it made a difference that a recording answered another request
// than its own. Where nothing was left, the miss says it.
func (c *Contest) unfair() bool {
	switch {
	case c.Given == nil:
		return false
	case c.Late != nil:
		return !sameAnswer(c.Lent, c.Late)
	}
	return !sameAnswer(c.Lent, c.Given)
}
