package tape

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/order"
)

// canceled is the error of a request that was given up by its caller, and not by a
// deadline.
var canceled = context.Canceled.Error()

// A queue holds the recorded interactions of one form, in recorded order. Each is played
// once. Recordings of this run never join one.
//
// Requests of one form can still differ in what does not match. The traits in which the
// recordings differ divide them into kinds. A request takes the first recording of its
// own kind, or else of the nearest one. The kinds are made when they are needed: as long
// as everything that is recorded and asked is the same byte for byte, there is one kind.
type queue struct {
	line
	forms    sync.Once // reads the forms of all
	exact    bool      // all are the same request, byte for byte
	asked    int       // how often the form was asked for
	canceled line      // those without an answer, because somebody canceled them

	linked bool // the requests have ids that their client counts
	given  bool // ids that answers gave out tell the recordings apart

	varying canon.Varying
	all     canon.Varying                      // of those that were canceled, too; nil until it is needed
	same    map[uint64]*line                   // those that are one request byte for byte, by its digest
	kinds   map[agreement]map[canon.Kind]*line // nil until the queue is sorted
	lent    map[canon.Kind][]*Recording        // what was played for a request that differs, by kind
}

// add puts a recording behind the others.
func (q *queue) add(rec *Recording) {
	if rec.givenUp == canceled {
		q.canceled.recordings = append(q.canceled.recordings, rec)
		return
	}
	q.recordings = append(q.recordings, rec)
	q.exact = q.exact && (len(q.recordings) == 1 || rec.digest != 0 && rec.digest == q.recordings[0].digest)
}

// A line holds recordings in recorded order. Each is played once.
type line struct {
	recordings []*Recording
	at         int // those before this one were played
}

// next returns the first recording that was not played, or nil if there is none.
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

// last returns the last recording, played or not, or nil if there is none.
func (l *line) last() *Recording {
	if l == nil || len(l.recordings) == 0 {
		return nil
	}
	return l.recordings[len(l.recordings)-1]
}

// readForms reads the forms that the other methods need, and what else chooses; given returns the
// ids that answers gave out. The caller must not hold the lock of the tape, under which nothing is read.
func (q *queue) readForms(given func() map[uint64]bool) {
	q.forms.Do(func() {
		for _, rec := range q.canceled.recordings {
			rec.Form()
		}
		for _, rec := range q.recordings {
			q.linked = rec.Form().Linked()
			if q.linked || !q.exact {
				req := rec.Request()
				rec.exactly, rec.given = rec.of.Config.digest(&req), givenIn(&req, given())
				q.given = q.given || rec.given != nil
			}
		}
	})
}

// sort makes the kinds.
func (q *queue) sort() {
	var traits [][]canon.Trait
	q.same = map[uint64]*line{}
	for _, rec := range q.recordings {
		traits = append(traits, rec.traits())
		if rec.exactly != 0 {
			file(q.same, rec.exactly, rec)
		}
	}
	q.varying = canon.VaryingOf(traits)
	for i, rec := range q.recordings {
		rec.kind = q.varying.Of(traits[i])
	}
	q.kinds, q.lent = map[agreement]map[canon.Kind]*line{}, map[canon.Kind][]*Recording{}
}

// file puts a recording behind the others of its line.
func file[K comparable](lines map[K]*line, key K, rec *Recording) {
	if lines[key] == nil {
		lines[key] = &line{}
	}
	lines[key].recordings = append(lines[key].recordings, rec)
}

// An agreement is what recordings agree in with a request: levels (see [canon.SameKind]), and in
// these the traits of some paths, or of all that vary.
type agreement struct {
	paths string // "" for all
	near  int
}

// mostAgreements is how many of them keep what they found: requests can change in any part of their traits.
const mostAgreements = 100

// agreeing returns the recordings that agree so with a kind, in recorded order; it may be nil if there are
// none. The traits that count are those of varying.
func (q *queue) agreeing(in agreement, varying canon.Varying, kind canon.Kind) *line {
	agreed := func(rec *Recording) canon.Kind {
		if in.paths == "" {
			return rec.kind.Agreed(in.near)
		}
		return varying.Of(rec.traits()).Agreed(in.near)
	}
	lines := q.kinds[in]
	if lines == nil && len(q.kinds) >= mostAgreements {
		others := func(rec *Recording) bool { return agreed(rec) != kind.Agreed(in.near) }
		return &line{recordings: slices.DeleteFunc(slices.Clone(q.recordings), others)}
	}
	if lines == nil {
		lines = map[canon.Kind]*line{}
		for _, rec := range q.recordings {
			file(lines, agreed(rec), rec)
		}
		q.kinds[in] = lines
	}
	return lines[kind.Agreed(in.near)]
}

// takeExact returns the recording to play for a request that is recorded byte for byte as
// rec. It returns nil if the form is needed to find the recording. If repeats says so, the last
// recording is played again and again.
func (q *queue) takeExact(rec *Recording, repeats func() bool) (next *Recording) {
	switch {
	case len(q.lent) > 0:
		return nil
	case q.exact:
		next = q.next()
	case q.kinds != nil && !q.linked:
		next = q.same[rec.exactly].next()
	}
	if next == nil && q.exact && repeats() {
		next = q.last()
	}
	if next == nil {
		return nil
	}
	q.asked++
	next.used.Store(true)
	return next
}

// takeCanceled returns the next recording that was canceled, of those of the same request, if it is its turn. If others of
// these were under way beside it, which of them is canceled depends on how long they take: one of them must be under way
// now, and the next one be of later. Else it comes before the next one, unless all that was beside it, and may have
// canceled it, is over. o is nil if nothing is kept in order.
func (q *queue) takeCanceled(a *asking, repeats bool, o *order.Order) *Recording {
	next := func(l *line) *Recording {
		isNext := func(rec *Recording) bool { return !rec.used.Load() && !rec.replaced && q.isSame(a, rec) }
		if i := slices.IndexFunc(l.recordings, isNext); i >= 0 {
			return l.recordings[i]
		}
		return nil
	}
	rec, answered := next(&q.canceled), next(&q.line)
	if rec == nil || answered == nil && repeats {
		return nil
	}
	beside := o.Company(rec.number, false)
	isOpen := func(number int) bool { return !o.IsOver(number) }
	isRival := func(of *Recording) bool { return slices.Contains(beside, of.number) && q.isSame(a, of) }
	isTurn := (answered == nil || rec.number < answered.number) && (len(beside) == 0 || slices.ContainsFunc(beside, isOpen))
	if slices.ContainsFunc(q.recordings, isRival) {
		isTurn = slices.ContainsFunc(q.recordings, func(of *Recording) bool {
			isLater := answered == nil || !slices.Contains(o.Company(of.number, false), answered.number)
			return of.used.Load() && isRival(of) && isOpen(of.number) && isLater
		})
	}
	if !isTurn {
		return nil
	}
	q.asked++
	rec.used.Store(true)
	return rec
}

// isSame reports whether a recording is of the same request. If all that was recorded went to one local server, its port is
// another one in each run.
func (q *queue) isSame(a *asking, rec *Recording) bool {
	host := func(traits []canon.Trait) (host canon.Trait) { // where the origin does not match, the first says only that it is local
		if i := slices.IndexFunc(traits, func(t canon.Trait) bool { return t.Path == "host" }); i >= 0 {
			host = traits[i]
		}
		return host
	}
	hasMoved := a.form.Local && q.ofAll()["host"] == nil
	return (hasMoved || host(a.traits()) == host(rec.traits())) && a.hasTraitsOf(rec)
}

// ofAll returns in which traits the recordings differ, also those that were canceled.
func (q *queue) ofAll() canon.Varying {
	if q.all == nil {
		q.all = canon.VaryingOf(group.Each(slices.Concat(q.recordings, q.canceled.recordings), (*Recording).traits))
	}
	return q.all
}

// take returns the recording to play for a request of the form, or nil if there is none
// left. It also returns a contest if that request brings one to light.
func (q *queue) take(a *asking, repeats bool) (rec *Recording, c *Contest) {
	if q.kinds == nil {
		q.sort()
	}
	q.asked++
	traits := a.traits()
	full, kind := canon.KindOf(traits), q.varying.Of(traits)
	if lent := q.reclaim(full, kind); lent != nil {
		c = &Contest{Lent: lent, Field: q.varying.Differing(lent.traits(), lent.lentFor.traits())}
	}
	own := q.agreeing(agreement{near: canon.SameKind}, q.varying, kind)
	rec = own.next()
	if same := q.same[a.digest].next(); same != nil && (rec == nil || !q.linked || !a.counted.has(rec.Interaction().Request.Body)) {
		rec = same
	}
	if last := own.last(); rec == nil && last != nil && (repeats || last.givenUp != "") {
		rec = last // SDKs try again after a deadline that was not theirs
	}
	if rec == nil {
		if rec = q.nearest(traits, repeats); rec == nil {
			return nil, c
		}
		late := own != nil && own.recordings[0].number > rec.number
		if late && c == nil && kind.Agreed(canon.SpellingOnly) == rec.kind.Agreed(canon.SpellingOnly) {
			c = &Contest{Lent: rec, Late: own.recordings[0]}
		}
	}
	q.lend(rec, a, full, kind)
	rec.used.Store(true)
	if c != nil {
		c.Given = rec
	}
	return rec, c
}

// hasMoved reports whether a request differs from a recording only in the port of the local server that all recordings
// have. It is another one in each run, and an answer may name the one of the recording.
func (q *queue) hasMoved(rec *Recording, a *asking) bool {
	return a.form.Local && q.varying["host"] == nil && a.hasTraitsOf(rec)
}

// hasTraitsOf reports whether a recording has the same traits, but for the host.
func (a *asking) hasTraitsOf(rec *Recording) bool {
	isOther := func(t canon.Trait) bool { return t.Path != "host" && !slices.Contains(rec.traits(), t) }
	return len(a.traits()) == len(rec.traits()) && !slices.ContainsFunc(a.traits(), isOther)
}

// lend remembers a recording that is played for a request that differs from its own. It
// files the recording under the kind that all its traits make. If the request is of
// another kind of this queue, it also files the recording under its kind here.
func (q *queue) lend(rec *Recording, a *asking, full, kind canon.Kind) {
	own := canon.KindOf(rec.traits())
	if rec.used.Load() || own == full {
		return
	}
	rec.lentFor = a
	if q.hasMoved(rec, a) {
		return
	}
	q.lent[own] = append(q.lent[own], rec)
	if rec.kind != kind {
		q.lent[rec.kind] = append(q.lent[rec.kind], rec)
	}
}

// reclaim returns a recording of this very request that was played for another one. It
// returns each only once. full is the kind that all traits of the request make, and kind
// is its kind in this queue.
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

// nearest returns a recording for a request of these traits whose own kind has none left: the
// first one that was not played among those nearest to it. If all were played and repeats is
// set, it returns the last of the nearest ones. It compares the more important levels
// first, so a few look-ups are enough, no matter how many recordings there are.
func (q *queue) nearest(traits []canon.Trait, repeats bool) *Recording {
	left := q.next() != nil
	if !left && !repeats {
		return nil
	}
	known := q.varying.Known(traits)
	if len(known) == 0 {
		return cmp.Or(q.next(), q.last())
	}
	kind, in := known.Of(traits), agreement{}
	if len(known) < len(q.varying) {
		in.paths = strings.Join(slices.Sorted(maps.Keys(known)), " ")
	}
	found := &q.line
	for level := (canon.SameKind + 1) / 2; level > 0; level /= 2 {
		nearer := agreement{in.paths, in.near | level}
		if l := q.agreeing(nearer, known, kind); l.last() != nil && (!left || l.next() != nil) {
			found, in = l, nearer
		}
	}
	return cmp.Or(found.next(), found.last())
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
	return c.Given != nil && !sameAnswer(c.Lent, cmp.Or(c.Late, c.Given))
}
