package tape

import (
	"context"
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
		q.canceled.recordings = append(q.canceled.recordings, rec)
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
	line
	forms    sync.Once // reads the forms of all
	exact    bool      // all are the same request, byte for byte
	asked    int       // how often the form was asked for
	canceled line      // that have no answer, since somebody canceled them

	varying canon.Varying
	kinds   map[int]map[uint64]*line    // see agreeing; nil until the queue is sorted
	lent    map[canon.Kind][]*Recording // played for a request that differs, by their kinds
}

// A line is recordings in recorded order, each of which is played once.
type line struct {
	recordings []*Recording
	at         int // those before this one were played
}

// next returns the first recording that was not played, nil if there is none.
func (l *line) next() *Recording {
	if l == nil {
		return nil
	}
	for ; l.at < len(l.recordings); l.at++ {
		if rec := l.recordings[l.at]; !rec.used.Load() {
			return rec
		}
	}
	return nil
}

// last returns the last recording, played or not; nil if there is none.
func (l *line) last() *Recording {
	if l == nil || len(l.recordings) == 0 {
		return nil
	}
	return l.recordings[len(l.recordings)-1]
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
		rec.kind = q.varying.Of(traits[i])
	}
	q.kinds = map[int]map[uint64]*line{}
}

// agreeing returns the recordings that are so near to a kind, in recorded order; nil if
// there are none.
func (q *queue) agreeing(kind *canon.Kind, near int) *line {
	lines := q.kinds[near]
	if lines == nil {
		lines = map[uint64]*line{}
		for _, rec := range q.recordings {
			hash := rec.kind.Agreed(near)
			if lines[hash] == nil {
				lines[hash] = &line{}
			}
			lines[hash].recordings = append(lines[hash].recordings, rec)
		}
		q.kinds[near] = lines
	}
	return lines[kind.Agreed(near)]
}

// takeExact returns the recording to be played for a request that is recorded byte for
// byte as rec, nil if that has to be found by the form: if one of the same kind stands
// before rec that is written otherwise, say. With repeats the last one is played again
// and again.
func (q *queue) takeExact(rec *Recording, repeats bool) (next *Recording) {
	switch {
	case len(q.lent) > 0:
		return nil
	case q.kinds != nil:
		next = q.agreeing(&rec.kind, canon.SameKind).next()
	case q.exact:
		next = q.next()
	default:
		return nil
	}
	if next == nil && repeats && q.exact {
		next = q.last()
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
	if q.kinds == nil {
		q.sort()
	}
	q.asked++
	full, kind := canon.KindOf(form.Traits), q.varying.Of(form.Traits)
	if lent := q.reclaim(full, kind); lent != nil {
		c = &Contest{Lent: lent, Field: q.varying.Differing(lent.Form().Traits, lent.lentFor.Traits)}
	}
	own := q.agreeing(&kind, canon.SameKind)
	rec = own.next()
	if last := own.last(); rec == nil && last != nil && (repeats || last.givenUp != "") {
		rec = last // SDKs try again after a deadline that was not theirs
	}
	if rec == nil {
		if rec = q.nearest(&kind, repeats); rec == nil {
			return nil, c
		}
		late := own != nil && own.recordings[0].number > rec.number
		if late && c == nil && kind.Agreed(canon.SpellingOnly) == rec.kind.Agreed(canon.SpellingOnly) {
			c = &Contest{Lent: rec, Late: own.recordings[0]}
		}
	}
	q.lend(rec, form, full, kind)
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
	rec := q.canceled.next()
	if rec != nil {
		rec.used.Store(true)
	}
	return rec
}

// lend remembers a recording that is played for a request that differs from its own,
// under its kind among all that there are, and under that among those that vary.
func (q *queue) lend(rec *Recording, form *canon.Form, full, kind canon.Kind) {
	own := canon.KindOf(rec.Form().Traits)
	if rec.used.Load() || own == full {
		return
	}
	if q.lent == nil {
		q.lent = map[canon.Kind][]*Recording{}
	}
	rec.lentFor = form
	q.lent[own] = append(q.lent[own], rec)
	if rec.kind != kind {
		q.lent[rec.kind] = append(q.lent[rec.kind], rec)
	}
}

// reclaim returns a recording of this very request that was played for another, once: one
// that is of its kind among all that there are, or one that another of the kinds that
// vary has taken.
func (q *queue) reclaim(full, kind canon.Kind) *Recording {
	for _, k := range [...]canon.Kind{full, kind} {
		for i, rec := range q.lent[k] {
			if !rec.claimed {
				rec.claimed = true
				q.lent[k] = q.lent[k][i+1:]
				return rec
			}
		}
	}
	return nil
}

// nearest returns the first recording that was not played of those nearest to a
// request of no kind that has one left; with repeats, the last of those that were
// played. What counts more is compared first, and what agrees in it before what does
// not: so a few lookups are enough, however many there are.
func (q *queue) nearest(kind *canon.Kind, repeats bool) *Recording {
	left := q.next() != nil
	if !left && !repeats {
		return nil
	}
	found, near := &q.line, 0
	for level := (canon.SameKind + 1) / 2; level > 0; level /= 2 {
		l := q.agreeing(kind, near|level)
		if l != nil && (!left || l.next() != nil) {
			found, near = l, near|level
		}
	}
	if !left {
		return found.last()
	}
	return found.next()
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
