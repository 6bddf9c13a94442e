package promptecho

import (
	"context"
	"strconv"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A slot is the place of one interaction on the tape. Places are taken in the
// order asked, before anything goes upstream, so that concurrent calls are
// saved in a stable order.
//
// An interaction of a cassette is read when it is needed: what the seal in the
// file vouches for is enough to find it, and its answer is enough to replay it.
type slot struct {
	in     *Recorder // whose cassette it is read from; nil if it was recorded in this run
	number int       // in the cassette
	sealed bool      // it is as it was written
	key    uint64    // of the form, if it is on the tape to be played
	digest uint64    // of the request, if the seal is used; else 0
	next   *slot     // recorded for the same form

	reading sync.Mutex // guards what follows, until it is set
	read    *interaction.Interaction
	err     error // why it could not be read
	asked   *canon.Form

	givenUp string      // why the request was given up before there was an answer
	kind    canon.Kind  // among the recordings of the form, when they are sorted
	used    bool        // an answer was replayed from it
	lent    *canon.Form // of the request it was played for, if that was of another kind
	fresh   bool        // recorded, or being recorded, in this run
	claimed bool        // its own request came after it was lent
	looked  bool        // it was looked through for secrets
	resumed bool        // recorded by a run that was killed, not in the cassette
	whole   bool        // fresh: the answer is complete as far as it will ever be

	concurrent bool // fresh: another request was open meanwhile

	item  *cassette.Item // as it will be written; nil if that is not settled
	known int            // credentials that were known when it was made
}

// it returns the interaction. One that cannot be read (its asset is gone, say) is
// empty; the recorder was told then.
func (s *slot) it() *interaction.Interaction {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.locked()
}

// loaded returns the interaction if it was read, nil if it was not yet.
func (s *slot) loaded() *interaction.Interaction {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.read
}

// locked is it for who holds the lock.
func (s *slot) locked() *interaction.Interaction {
	if s.read == nil {
		it, err := s.in.old.Interaction(s.number)
		if err != nil {
			s.err = s.in.unreadable(err)
			it = &interaction.Interaction{}
		}
		s.read = it
	}
	return s.read
}

// form returns the form of the request.
func (s *slot) form() *canon.Form {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.asked == nil {
		req := s.in.asked(s.locked(), s.sealed)
		s.asked = s.in.cfg.rules.Form(&req)
	}
	return s.asked
}

// response reads the recorded answer into resp, and returns its latency in
// milliseconds. It does not read the request. See [cassette.Stored.Response].
func (s *slot) response(resp *interaction.Response, in *cassette.Scratch) (latencyMS int64, err error) {
	if read := s.loaded(); read != nil {
		*resp, in.Ends = read.Response, nil
		return read.LatencyMS, nil
	}
	return s.in.old.Response(s.number, resp, in)
}

// line returns where the interaction starts in the cassette; 0 if it is not there.
func (s *slot) line() int {
	if read := s.loaded(); read != nil {
		return read.Line
	}
	return s.in.old.Line(s.number)
}

// failed reports whether what was recorded is a failure.
func (s *slot) failed() bool {
	resp := &s.it().Response
	return resp.Status >= 400 || resp.End == interaction.EndError || resp.End == interaction.EndCanceled && resp.Error == context.DeadlineExceeded.Error()
}

// canceled reports whether the request was given up before there was an answer.
func (s *slot) canceled() bool {
	return s.givenUp != "" || s.fresh && s.it().Response.End == interaction.EndCanceled
}

// A tape holds the interactions of a cassette in order, and which of them are
// to be played next. It is guarded by the recorder's mutex.
type tape struct {
	slots   []*slot
	queues  index[queue]   // by form key
	digests index[*slot]   // the first of each digest
	open    map[*slot]bool // that are being recorded
}

// A queue is the recorded interactions of one form, in recorded order. Each is
// played once. Recordings of this run never join one.
//
// Requests of one form can still differ, in what does not match. They fall into kinds by
// those of their traits in which the recordings differ, and a request takes the first of
// its own kind, else of the nearest. The kinds are made when they are needed: as long as
// all that is recorded and asked is the same byte for byte, there is one.
type queue struct {
	first, last *slot
	at          *slot // the first that was not played; nil after the last
	asked       int   // how often the form was asked for
	alike       bool  // all are the same request, byte for byte
	varying     canon.Varying
	kinds       map[int]map[uint64]*line // see agreeing
	lent        map[canon.Kind][]*slot   // played for a request that differs, by their kinds
	canceled    []*slot                  // that have no answer, since somebody canceled them
}

// A line is those recordings of a form that agree with a request in some traits; a
// kind agrees in all.
type line struct {
	slots []*slot
	at    int // slots before this one were played
}

// A kindKey tells the kinds of all forms apart.
type kindKey struct {
	form uint64
	kind canon.Kind
}

// kindKey returns of what kind a request is among all there are.
func (s *slot) kindKey() kindKey {
	f := s.form()
	return kindKey{keyOf(f), canon.KindOf(f.Traits)}
}

// keyOf returns the fingerprint of a form as a number.
func keyOf(form *canon.Form) uint64 {
	key, _ := strconv.ParseUint(form.Key(), 16, 64)
	return key
}

// add puts a recorded interaction on the tape.
func (t *tape) add(s *slot) {
	t.slots = append(t.slots, s)
	if s.givenUp == context.Canceled.Error() {
		q, _ := t.queues.put(s.key, queue{alike: true})
		q.canceled = append(q.canceled, s)
		return
	}
	switch q, ok := t.queues.put(s.key, queue{first: s, last: s, at: s, alike: true}); {
	case ok:
	case q.first == nil: // it had only what was canceled
		q.first, q.last, q.at = s, s, s
	default:
		q.alike = q.alike && s.digest != 0 && s.digest == q.first.digest
		q.last.next, q.last = s, s
	}
	if s.digest != 0 {
		t.digests.put(s.digest, s)
	}
}

// grow makes room for n recorded interactions.
func (t *tape) grow(n int) {
	t.slots = make([]*slot, 0, n)
	t.queues.grow(n)
	t.digests.grow(n)
}

// all returns the recordings of the form in order.
func (q *queue) all(yield func(*slot) bool) {
	for s := q.first; s != nil && yield(s); s = s.next {
	}
}

// ready reports whether take can tell the kinds apart: whether every form is known.
func (q *queue) ready() bool { return q.kinds != nil }

// sort makes it ready. The forms of its recordings were asked for before, so that
// nothing is read here.
func (q *queue) sort() {
	var traits [][]canon.Trait
	for s := range q.all {
		traits = append(traits, s.form().Traits)
	}
	q.varying = canon.VaryingOf(traits)
	for s := range q.all {
		s.kind = q.varying.Of(s.form().Traits)
	}
	q.kinds = map[int]map[uint64]*line{}
}

// agreeing returns the lines of recordings that are so near to one another.
func (q *queue) agreeing(near int) map[uint64]*line {
	lines := q.kinds[near]
	if lines == nil {
		lines = map[uint64]*line{}
		for s := range q.all {
			hash := s.kind.Agreed(near)
			if lines[hash] == nil {
				lines[hash] = &line{}
			}
			lines[hash].slots = append(lines[hash].slots, s)
		}
		q.kinds[near] = lines
	}
	return lines
}

// next returns the first recording of a line that was not played, nil if there is
// none.
func (l *line) next() *slot {
	if l == nil {
		return nil
	}
	for ; l.at < len(l.slots); l.at++ {
		if !l.slots[l.at].used {
			return l.slots[l.at]
		}
	}
	return nil
}

// same returns the recording to be played for a request that is recorded byte for
// byte as s, nil if that has to be found by the form. With repeats the last one is
// played again and again.
func (q *queue) same(s *slot, repeats bool) (next *slot) {
	switch {
	case !q.ready() && !q.alike, len(q.lent) > 0:
		return nil
	case !q.ready():
		next = q.at
	default:
		next = q.agreeing(canon.SameKind)[s.kind.Agreed(canon.SameKind)].next()
	}
	if next == nil && repeats && q.alike {
		next = q.last
	}
	if next == nil || next.digest != s.digest {
		return nil
	}
	q.asked++
	q.played(next)
	return next
}

// take returns the recording to be played for a request of the form, nil if there is
// none left, and a contest if one comes to light by it. The queue is ready.
func (q *queue) take(form *canon.Form, repeats bool) (s *slot, c *contest) {
	q.asked++
	asked := q.varying.Of(form.Traits)
	kind := q.agreeing(canon.SameKind)[asked.Agreed(canon.SameKind)]
	if lent := q.lentTo(form, asked); lent != nil {
		c = &contest{lent: lent, field: q.varying.Differing(lent.form().Traits, lent.lent.Traits)}
	}
	if s = kind.next(); s == nil && kind != nil {
		// SDKs try again after a deadline that was not theirs.
		if last := kind.slots[len(kind.slots)-1]; repeats || last.givenUp != "" {
			s = last
		}
	}
	if s == nil {
		if s = q.nearest(&asked, repeats); s == nil {
			return nil, c
		}
		if kind != nil && c == nil && kind.slots[0].number > s.number && asked.Agreed(canon.SpellingOnly) == s.kind.Agreed(canon.SpellingOnly) {
			c = &contest{lent: s, late: kind.slots[0]}
		}
	}
	if !s.used && canon.KindOf(form.Traits) != s.kindKey().kind {
		s.lent = form
		q.lend(s, s.kindKey().kind)
		if q.varying.Of(form.Traits) != s.kind {
			q.lend(s, s.kind)
		}
	}
	q.played(s)
	if c != nil {
		c.given = s
	}
	return s, c
}

// waiting returns a recording that has no answer, since somebody canceled its request,
// nil if there is none left. It is for requests that have no other one: which of two
// hedged requests is canceled depends on how long they take.
func (q *queue) waiting() *slot {
	for _, s := range q.canceled {
		if !s.used {
			s.used = true
			return s
		}
	}
	return nil
}

// lend remembers a recording that was played for a request that differs, under its kind
// among all there are, or among those that vary.
func (q *queue) lend(s *slot, kind canon.Kind) {
	if q.lent == nil {
		q.lent = map[canon.Kind][]*slot{}
	}
	q.lent[kind] = append(q.lent[kind], s)
}

// lentTo returns a recording of this very request that was played for another, once: one
// that is of its kind among all there are, or one that another of the kinds that vary has
// taken.
func (q *queue) lentTo(form *canon.Form, asked canon.Kind) *slot {
	for _, kind := range [...]canon.Kind{canon.KindOf(form.Traits), asked} {
		for len(q.lent[kind]) > 0 {
			s := q.lent[kind][0]
			q.lent[kind] = q.lent[kind][1:]
			if !s.claimed {
				s.claimed = true
				return s
			}
		}
	}
	return nil
}

// nearest returns the first recording that was not played of those nearest to a
// request of no kind that has one left; with repeats, the last of those that were
// played. What counts more is compared first, and what agrees in it before what does
// not: so a few lookups are enough, however many there are.
func (q *queue) nearest(asked *canon.Kind, repeats bool) *slot {
	left := q.at != nil
	if !left && !repeats || q.first == nil {
		return nil
	}
	found, near := q.agreeing(0)[asked.Agreed(0)], 0
	for level := (canon.SameKind + 1) / 2; level > 0; level /= 2 {
		l := q.agreeing(near | level)[asked.Agreed(near|level)]
		if l != nil && (!left || l.next() != nil) {
			found, near = l, near|level
		}
	}
	if !left {
		return found.slots[len(found.slots)-1]
	}
	return found.next()
}

// played marks a recording as used.
func (q *queue) played(s *slot) {
	s.used = true
	for q.at != nil && q.at.used {
		q.at = q.at.next
	}
}

// place takes the next place for a request that goes upstream.
func (t *tape) place(it *interaction.Interaction, form *canon.Form) *slot {
	s := &slot{read: it, asked: form, fresh: true, concurrent: len(t.open) > 0}
	for other := range t.open {
		other.concurrent = true
	}
	if t.open == nil {
		t.open = map[*slot]bool{}
	}
	t.open[s] = true
	t.slots = append(t.slots, s)
	return s
}

// count returns how many loaded interactions there are and how many were used.
func (t *tape) count() (loaded, used int) {
	for _, s := range t.slots {
		if s.fresh || s.resumed {
			continue
		}
		loaded++
		if s.used {
			used++
		}
	}
	return loaded, used
}

// overcome reports whether a later recording of the same form succeeded.
func (t *tape) overcome(s *slot) bool {
	after := false
	for _, other := range t.slots {
		if other == s {
			after = true
		} else if after && other.form().Key() == s.form().Key() && (!other.fresh || other.whole) && !other.failed() {
			return true
		}
	}
	return false
}

// An index finds values by hashes, which need no hashing: linear probing in a
// table at most half full. Two slices are all it costs, however many there are.
type index[V any] struct {
	entries []entry[V]
	table   []int32 // 1 + the place of the entry; 0 is free
}

type entry[V any] struct {
	hash  uint64
	value V
}

// grow makes room for n entries.
func (x *index[V]) grow(n int) {
	size := 8
	for size < 2*n {
		size *= 2
	}
	x.entries = append(make([]entry[V], 0, size/2), x.entries...)
	x.table = make([]int32, size)
	for i := range x.entries {
		x.table[x.find(x.entries[i].hash)] = int32(i + 1)
	}
}

// find returns the place of a hash in the table, or the free one for it.
func (x *index[V]) find(hash uint64) int {
	mask := uint64(len(x.table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if e := x.table[i]; e == 0 || x.entries[e-1].hash == hash {
			return int(i)
		}
	}
}

// get returns the value of a hash, nil if there is none.
func (x *index[V]) get(hash uint64) *V {
	if len(x.entries) == 0 {
		return nil
	}
	if e := x.table[x.find(hash)]; e > 0 {
		return &x.entries[e-1].value
	}
	return nil
}

// put adds a value, unless the hash has one: then it returns that, and ok is false.
func (x *index[V]) put(hash uint64, value V) (v *V, ok bool) {
	if len(x.entries) == cap(x.entries) {
		x.grow(2*len(x.entries) + 1)
	}
	at := x.find(hash)
	if e := x.table[at]; e > 0 {
		return &x.entries[e-1].value, false
	}
	x.entries = append(x.entries, entry[V]{hash, value})
	x.table[at] = int32(len(x.entries))
	return &x.entries[len(x.entries)-1].value, true
}
