package promptecho

import (
	"strconv"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
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
	read    *cassette.Interaction
	err     error // why it could not be read
	asked   *canon.Form
	answer  *answer

	used    bool // an answer was replayed from it
	fresh   bool // recorded, or being recorded, in this run
	near    bool // a miss was compared with it
	looked  bool // it was looked through for secrets
	resumed bool // recorded by a run that was killed, not in the cassette
	whole   bool // fresh: the answer is complete as far as it will ever be

	item  *cassette.Item // as it will be written; nil if that is not settled
	known int            // credentials that were known when it was made
}

// it returns the interaction. One that cannot be read (its asset is gone, say) is
// empty; the recorder was told then.
func (s *slot) it() *cassette.Interaction {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.locked()
}

// loaded returns the interaction if it was read, nil if it was not yet.
func (s *slot) loaded() *cassette.Interaction {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.read
}

// locked is it for who holds the lock.
func (s *slot) locked() *cassette.Interaction {
	if s.read == nil {
		it, err := s.in.old.Interaction(s.number)
		if err != nil {
			s.err = s.in.unreadable(err)
			it = &cassette.Interaction{}
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
func (s *slot) response(resp *cassette.Response, in *cassette.Scratch) (latencyMS int64, err error) {
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
	return resp.Status >= 400 || resp.End == cassette.EndError
}

// A tape holds the interactions of a cassette in order, and which of them are
// to be played next. It is guarded by the recorder's mutex.
type tape struct {
	slots   []*slot
	queues  index[queue] // by form key
	digests index[*slot] // the first of each digest
}

// A queue is the recorded interactions of one form: played in recorded order,
// each once. Recordings of this run never join one.
type queue struct {
	first, last *slot
	at          *slot // to be played next; nil after the last
	asked       int   // how often the form was asked for
}

// keyOf returns the fingerprint of a form as a number.
func keyOf(form *canon.Form) uint64 {
	key, _ := strconv.ParseUint(form.Key(), 16, 64)
	return key
}

// add puts a recorded interaction on the tape.
func (t *tape) add(s *slot) {
	t.slots = append(t.slots, s)
	if q, ok := t.queues.put(s.key, queue{s, s, s, 0}); !ok {
		q.last.next, q.last = s, s
		if q.at == nil {
			q.at = s
		}
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

// playable returns the interaction to be played next, nil if there is none. With
// repeats the last one is played again and again.
func (q *queue) playable(repeats bool) *slot {
	if q.at == nil && repeats {
		return q.last
	}
	return q.at
}

// peek returns what take would, and takes nothing.
func (t *tape) peek(key uint64, repeats bool) *slot {
	if q := t.queues.get(key); q != nil {
		return q.playable(repeats)
	}
	return nil
}

// take returns the next interaction to be played for a form, nil if there is none;
// see playable.
func (t *tape) take(key uint64, repeats bool) *slot {
	q := t.queues.get(key)
	if q == nil {
		return nil
	}
	q.asked++
	s := q.playable(repeats)
	if s == nil {
		return nil
	}
	if q.at != nil {
		q.at = s.next
	}
	s.used = true
	return s
}

// place takes the next place for a request that goes upstream.
func (t *tape) place(it *cassette.Interaction, form *canon.Form) *slot {
	s := &slot{read: it, asked: form, fresh: true}
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
