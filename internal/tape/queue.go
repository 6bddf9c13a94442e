package tape

import (
	"context"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
)

// canceled is the error of a request that was given up by its caller, and not by a
// deadline.
var canceled = context.Canceled.Error()

// queues holds the recordings that are played, by the keys of their forms.
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

// A queue holds the recorded interactions of one form, in recorded order. Each is played
// once. Recordings of this run never join one.
//
// Requests of one form can still differ in what does not match. The traits in which the
// recordings differ divide them into kinds. A request takes the first recording of its
// own kind, or else of the nearest one. The kinds are made when they are needed: as long
// as everything that is recorded and asked is the same byte for byte, there is one kind.
type queue struct {
	recordings []*Recording
	played     int          // those before this one were played
	canceled   []*Recording // those without an answer, because somebody canceled them
	forms      sync.Once    // reads the forms of all
	exact      bool         // all are the same request, byte for byte
	asked      int          // how often the form was asked for

	varying canon.Varying // nil until the queue is sorted
	lent    []*Recording  // what was played for a request that differs, and was not reclaimed
}

// next returns the first recording that was not played, or nil if there is none.
func (q *queue) next() *Recording {
	for ; q.played < len(q.recordings); q.played++ {
		if rec := q.recordings[q.played]; !rec.used.Load() {
			return rec
		}
	}
	return nil
}

// readForms reads the forms that the other methods need. The caller must not hold the
// lock of the tape, under which nothing is read.
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

// takeExact returns the recording to play for a request that is recorded byte for byte as
// rec. It returns nil if the form is needed to find the recording, for instance if one of
// the same kind in another spelling stands before rec. With repeats, the last recording
// is played again and again.
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

// take returns the recording to play for a request of the form, or nil if there is none
// left. It also returns a contest if that request brings one to light.
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

// takeCanceled returns a recording that has no answer because somebody canceled its
// request, or nil if there is none left. It is for requests that have no other recording:
// which of two hedged requests is canceled depends on how long they take.
func (q *queue) takeCanceled() *Recording {
	for _, rec := range q.canceled {
		if !rec.used.Load() {
			rec.used.Store(true)
			return rec
		}
	}
	return nil
}

// reclaim returns a recording of this very request that was played for another one. It
// returns each only once. full is the kind that all traits of the request make, and kind
// is its kind in this queue.
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

// nearest returns the recording that is nearest to a kind, and how near it is (see
// [canon.Kind.Near]). Of several it returns the first one that was not played or, if
// played is set, the last one that was. found is nil if there is none.
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

// A Contest is a recording that answered another request than its own. Either it was
// played for a request that differs in what does not match, and its own request came
// later. Or it was played after a recording that was recorded later, for the same request
// in another spelling.
type Contest struct {
	Lent  *Recording
	Given *Recording  // what its own request got instead; nil if there was nothing left
	Late  *Recording  // what was played before Lent, although it was recorded later
	Field canon.Trait // in which Lent differs from the request that took it
}

// unfair reports whether it made a difference that a recording answered another request
// than its own. If nothing was left for that one, its miss says so.
func (c *Contest) unfair() bool {
	switch {
	case c.Given == nil:
		return false
	case c.Late != nil:
		return !sameAnswer(c.Lent, c.Late)
	}
	return !sameAnswer(c.Lent, c.Given)
}
