package tape

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/group"
)

// candidates are the recordings with one match key, in recorded order. Each of
// them can answer any request with that key; choose says which one does.
// Recordings of this run are never among them.
type candidates struct {
	answered queue        // those with a response, and those that timed out
	canceled []*Recording // those that their caller canceled before a response
	allEqual bool         // the answered ones are one request, byte for byte

	// Set by readRequests.

	reading      sync.Once
	isNumbered   bool // the client numbers its requests, as JSON-RPC does
	hasIssuedIDs bool // IDs that first appeared in a response tell the recordings apart

	// Set by sortByTraits, which runs when the first request comes that is not
	// recorded byte for byte. The queues of byAgreement are added when choose
	// needs them.

	varying             canon.Varying // the traits in which the answered recordings differ
	varyingWithCanceled canon.Varying // the same, the canceled recordings included
	byDigest            map[uint64]*queue
	byAgreement         map[agreement]map[canon.Variant]*queue

	// State of the replay. The lock of the tape guards it.

	requests int // how many there were with this match key

	// The recordings that were played for a request that differs from their
	// own, by the traits of their own request: by all of them and by the
	// selecting ones.
	playedForOther map[canon.Variant][]*Recording
}

// A queue holds recordings in recorded order. Each of them is played once. A
// nil queue is empty.
type queue struct {
	recordings []*Recording

	// All recordings before this index were played. It only saves time: without
	// it, the n-th request of n equal ones would look at n recordings.
	played int
}

// firstUnused returns the first recording that was not played, or nil.
func (q *queue) firstUnused() *Recording {
	if q == nil {
		return nil
	}
	for q.played < len(q.recordings) && q.recordings[q.played].run.used.Load() {
		q.played++
	}
	if q.played == len(q.recordings) {
		return nil
	}
	return q.recordings[q.played]
}

// rewind makes each queue look at its recordings from the first one again, because one of them is
// not played any more. The caller holds the lock of the tape.
func (c *candidates) rewind() {
	c.answered.played = 0
	for _, q := range c.byDigest {
		q.played = 0
	}
	for _, queues := range c.byAgreement {
		for _, q := range queues {
			q.played = 0
		}
	}
}

// last returns the last recording, whether it was played or not, or nil.
func (q *queue) last() *Recording {
	if q == nil {
		return nil
	}
	return last(q.recordings)
}

// firstUnused returns the first recording that was not played, or nil. It is
// for canceled recordings: a queue cannot hold them, because TakeInstead
// returns one that was played.
func firstUnused(recordings []*Recording) *Recording {
	return find(recordings, func(rec *Recording) bool { return !rec.run.used.Load() })
}

// last returns the last of the recordings, or nil.
func last(recordings []*Recording) *Recording {
	if len(recordings) == 0 {
		return nil
	}
	return recordings[len(recordings)-1]
}

// add adds a recording behind the others.
func (c *candidates) add(rec *Recording) {
	if rec.outcome == canceled {
		c.canceled = append(c.canceled, rec)
		return
	}

	c.answered.recordings = append(c.answered.recordings, rec)
	first := c.answered.recordings[0]
	equalsFirst := rec == first || rec.sealDigest != 0 && rec.sealDigest == first.sealDigest
	c.allEqual = c.allEqual && equalsFirst
}

// readRequests reads what choose compares: the forms of the recordings and, if
// they are not all one request, their digests and issued IDs. issued returns
// the IDs that first appeared in a recorded response.
//
// The caller must not hold the lock of the tape, because nothing is read under
// it.
func (c *candidates) readRequests(issued func() map[uint64]bool) {
	c.reading.Do(func() {
		for _, rec := range c.canceled {
			rec.Form() // reads the form, and keeps it
		}
		for _, rec := range c.answered.recordings {
			// The same for all of them: requests with one match key are of one API.
			c.isNumbered = rec.Form().Linked()
			if c.allEqual && !c.isNumbered {
				continue
			}
			req := rec.Request()
			rec.selection.matchDigest = rec.of.Config.digest(&req)
			rec.selection.issuedIDs = issuedIDsIn(&req, issued())
			c.hasIssuedIDs = c.hasIssuedIDs || rec.selection.issuedIDs != nil
		}
	})
}

// isSorted reports whether sortByTraits has run.
func (c *candidates) isSorted() bool { return c.byAgreement != nil }

// sortByTraits finds the traits in which the recordings differ, and sorts the
// recordings by them and by their digests. It does nothing if they are sorted.
// The caller holds the lock of the tape.
func (c *candidates) sortByTraits() {
	if c.isSorted() {
		return
	}

	c.byDigest = map[uint64]*queue{}
	c.byAgreement = map[agreement]map[canon.Variant]*queue{}
	c.playedForOther = map[canon.Variant][]*Recording{}

	c.varying = canon.VaryingOf(group.Each(c.answered.recordings, (*Recording).traits))
	c.varyingWithCanceled = c.varying
	if len(c.canceled) > 0 {
		all := slices.Concat(c.answered.recordings, c.canceled)
		c.varyingWithCanceled = canon.VaryingOf(group.Each(all, (*Recording).traits))
	}
	for _, rec := range c.answered.recordings {
		rec.selection.variant = c.varying.Of(rec.traits())
		if rec.selection.matchDigest != 0 {
			enqueue(c.byDigest, rec.selection.matchDigest, rec)
		}
	}
}

// enqueue adds a recording to the queue of its key.
func enqueue[K comparable](queues map[K]*queue, key K, rec *Recording) {
	if queues[key] == nil {
		queues[key] = &queue{}
	}
	queues[key].recordings = append(queues[key].recordings, rec)
}

// withTraitsOf returns the recordings with the selecting traits of a request,
// or nil if there are none.
func (c *candidates) withTraitsOf(req *request) *queue {
	return c.agreeing(agreement{levels: canon.SameVariant}, c.varying, c.varying.Of(req.traits()))
}

// An agreement says in which traits recordings are compared with a request.
type agreement struct {
	paths  string // of the traits; "" for all in which the recordings differ
	levels int    // a bit for each level of traits, see [canon.SameVariant]
}

// pathsOf returns the paths of those traits that count, as an agreement has
// them.
func pathsOf(traits, all canon.Varying) string {
	if len(traits) == len(all) {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(traits)), " ")
}

// maxAgreements is how many agreements keep their queues. Each one refers to
// all recordings, and requests that change any part of their traits could make
// a new one each time. More than that are computed when they are needed.
const maxAgreements = 100

// agreeing returns the recordings that agree with a variant in some of the traits,
// in recorded order, or nil if there are none. traits are those that in.paths
// names.
func (c *candidates) agreeing(in agreement, traits canon.Varying, variant canon.Variant) *queue {
	agreed := func(rec *Recording) canon.Variant {
		if in.paths == "" {
			return rec.selection.variant.Agreed(in.levels)
		}
		return traits.Of(rec.traits()).Agreed(in.levels)
	}
	want := variant.Agreed(in.levels)

	if queues, ok := c.byAgreement[in]; ok {
		return queues[want]
	}

	if len(c.byAgreement) >= maxAgreements {
		queues := map[canon.Variant]*queue{}
		for _, rec := range c.answered.recordings {
			if agreed(rec) == want {
				enqueue(queues, want, rec)
			}
		}
		return queues[want]
	}

	queues := map[canon.Variant]*queue{}
	for _, rec := range c.answered.recordings {
		enqueue(queues, agreed(rec), rec)
	}
	c.byAgreement[in] = queues
	return queues[want]
}

// find returns the first of the recordings that ok accepts, or nil.
func find(recordings []*Recording, ok func(*Recording) bool) *Recording {
	i := slices.IndexFunc(recordings, ok)
	if i < 0 {
		return nil
	}
	return recordings[i]
}
