package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
)

// rules says which of the candidates for a request is played: the one that the
// first rule finds. The recordings with the match key of a request are its
// candidates, so that each of them can answer it. own are those candidates that
// have the selecting traits of the request; nil if there are none.
//
// Traits are the fields that matching ignores, such as the host, a seed and the
// spelling. Those traits select in which the candidates differ (package canon).
// The first ones are issued IDs, which first appeared in a recorded response: a
// request that sends one back continues the conversation of that response.
//
// The user's view of these rules is docs/MATCHING.md, "Which of several
// recordings".
var rules = []struct {
	rule rule
	find func(c *candidates, req *request, own *queue) *Recording
}{
	// A program cancels parallel calls when one of them fails, and sends all of
	// them again. Each call has to get the canceled recording and the response
	// in the recorded order.
	{canceledInTurn, (*candidates).findCanceledInTurn},

	// Five samples of one prompt have five seeds, and are sent in another order
	// than recorded. Each of them has its own recording.
	{byteForByte, (*candidates).findEqual},

	// The same five samples, after something else changed in all of them: they
	// go through a gateway, or have another max_tokens.
	{sameTraits, (*candidates).findSameTraits},

	// Replay returns a recorded timeout at once if the deadline is more than
	// two seconds away (docs/MATCHING.md). An SDK whose deadline has not passed
	// then retries, which it did not do when this was recorded.
	{timedOutAgain, (*candidates).findTimedOut},

	// A poll is sent more often than recorded, and AllowRepeats selects it.
	{repeated, (*candidates).findRepeated},

	// The temperature was changed in the code, so no recording has the new one.
	{nearest, (*candidates).findNearest},

	// The same for a poll that is sent more often than recorded.
	{nearestRepeated, (*candidates).findNearestRepeated},

	// Two requests are hedged: the program cancels the slower one when the
	// other one has its response. In replay, the second one may be sent when
	// that response is complete. Then the turn of its canceled recording is
	// over, and the program is about to cancel it.
	{canceledAnyTime, (*candidates).findCanceled},
}

// choose returns the recording to play for a request, by the first rule that
// finds one. It changes nothing: markPlayed records the choice. The recordings
// are sorted by traits. The caller holds the lock of the tape, because choose
// reads what was played and fills caches.
func (c *candidates) choose(req *request) choice {
	own := c.withTraitsOf(req)

	var chosen choice
	for _, r := range rules {
		rec := r.find(c, req, own)
		if rec != nil {
			chosen.rule = r.rule
			chosen.recording = rec
			break
		}
	}

	chosen.conflict = c.findConflict(req, own, chosen)
	return chosen
}

// chooseByDigest returns the recording to play for a request with the same
// bytes as the recording equal. It is a shortcut: it needs no canonical form,
// so nothing of the cassette is read. It chooses what choose would choose, or
// nothing if only the form can tell.
func (c *candidates) chooseByDigest(equal *Recording, repeats func() bool) choice {
	formDecides := firstUnused(c.canceled) != nil || len(c.playedForOther) > 0
	if formDecides {
		return choice{}
	}

	var rec *Recording
	switch {
	case c.allEqual:
		rec = c.answered.firstUnused()
	case c.isSorted() && !c.isNumbered:
		rec = c.byDigest[equal.selection.matchDigest].firstUnused()
	}
	if rec != nil {
		return choice{rule: byteForByte, recording: rec}
	}

	if c.allEqual && repeats() {
		return choice{rule: repeated, recording: c.answered.last()}
	}
	return choice{}
}

// findEqual returns the first unused recording of a request with the same
// bytes.
//
// JSON-RPC clients number their requests. If the program sends one call more
// than it did when recorded, each later call has the ID that was recorded for
// another one. So if the ID of the next recording with the same traits was
// already sent in another request of this run, the bytes are equal by
// coincidence, and the recordings are played in order instead.
func (c *candidates) findEqual(req *request, own *queue) *Recording {
	next := own.firstUnused()
	if next != nil && c.isNumbered && req.shiftedIDs.has(next.Interaction().Request.Body) {
		return nil
	}
	return c.byDigest[req.digest].firstUnused()
}

// findSameTraits returns the first unused recording with the same traits.
func (c *candidates) findSameTraits(_ *request, own *queue) *Recording {
	return own.firstUnused()
}

// findTimedOut returns the last recording with the same traits if its request
// timed out.
func (c *candidates) findTimedOut(_ *request, own *queue) *Recording {
	last := own.last()
	if last == nil || last.outcome != timedOut {
		return nil
	}
	return last
}

// findRepeated returns the last recording with the same traits if the request
// may be repeated.
func (c *candidates) findRepeated(req *request, own *queue) *Recording {
	if !req.repeats {
		return nil
	}
	return own.last()
}

// findNearest returns the first unused recording of those nearest to a request.
func (c *candidates) findNearest(req *request, _ *queue) *Recording {
	hasUnused := func(q *queue) bool { return q.firstUnused() != nil }
	return c.nearestTo(req, hasUnused).firstUnused()
}

// findNearestRepeated returns the last recording of those nearest to a request
// if the request may be repeated.
func (c *candidates) findNearestRepeated(req *request, _ *queue) *Recording {
	if !req.repeats {
		return nil
	}
	hasAny := func(q *queue) bool { return q.last() != nil }
	return c.nearestTo(req, hasAny).last()
}

// nearestTo returns the recordings that are nearest to a request, in recorded
// order, of those that hasEnough accepts.
//
// It compares the levels of traits from the most important one on, and requires
// each level that a remaining recording agrees in. So it needs one lookup for a
// level, however many recordings there are (BenchmarkUnrecordedSeed).
//
// A trait in which the request has a value that no recording has says nothing
// about which is meant, and is left out: a new temperature must not hide an old
// seed.
func (c *candidates) nearestTo(req *request, hasEnough func(*queue) bool) *queue {
	traits := req.traits()
	known := c.varying.Known(traits)
	if len(known) == 0 {
		return &c.answered
	}

	variant := known.Of(traits)
	agreed := agreement{paths: pathsOf(known, c.varying)}
	found := &c.answered
	for level := (canon.SameVariant + 1) / 2; level > 0; level /= 2 {
		closer := agreement{agreed.paths, agreed.levels | level}
		q := c.agreeing(closer, known, variant)
		if hasEnough(q) {
			found = q
			agreed = closer
		}
	}
	return found
}

// findCanceled returns the first unused canceled recording. A run that records
// sends the request instead.
func (c *candidates) findCanceled(req *request, _ *queue) *Recording {
	if req.records {
		return nil
	}
	return firstUnused(c.canceled)
}

// findCanceledInTurn returns the next canceled recording of the same request,
// or nil if it is not its turn. Only a request that can be canceled gets one.
func (c *candidates) findCanceledInTurn(req *request, _ *queue) *Recording {
	if !req.cancelable {
		return nil
	}
	isNext := func(rec *Recording) bool {
		return !rec.run.used.Load() && !rec.run.replaced && c.isSameRequest(req, rec)
	}
	rec := find(c.canceled, isNext)
	if rec == nil {
		return nil
	}

	next := find(c.answered.recordings, isNext)
	if next == nil && req.repeats {
		return nil // AllowRepeats plays the last response again
	}
	if !c.isTurn(rec, next, req) {
		return nil
	}
	return rec
}

// isTurn reports whether it is the turn of rec, a canceled recording of a
// request; next is the next unused recording of the same request that was not
// canceled, or nil.
//
// A request that gets a canceled recording waits until it is canceled. If it
// gets one too early, nothing cancels it, and the program hangs. If it gets one
// too late, it has a response when it should be canceled. What overlapped rec
// when it was recorded decides:
//
//	overlapped rec             it is its turn
//	nothing                    before next
//	other requests             before next, while one of them is under
//	                           way: most likely, one of them made the
//	                           program cancel rec
//	an answered recording of   while such a recording is under way that
//	the same request           next did not overlap: which of two hedged
//	(hedging)                  requests is canceled depends on how long
//	                           they take
func (c *candidates) isTurn(rec, next *Recording, req *request) bool {
	overlapping := req.sequence.Overlapping(rec.number)
	isUnderWay := func(number int) bool { return !req.sequence.IsOver(number) }

	var hedges []*Recording
	for _, other := range c.answered.recordings {
		if slices.Contains(overlapping, other.number) && c.isSameRequest(req, other) {
			hedges = append(hedges, other)
		}
	}
	if len(hedges) > 0 {
		return slices.ContainsFunc(hedges, func(hedge *Recording) bool {
			isOpen := hedge.run.used.Load() && isUnderWay(hedge.number)
			nextOverlapped := next != nil &&
				slices.Contains(req.sequence.Overlapping(hedge.number), next.number)
			return isOpen && !nextOverlapped
		})
	}

	isBeforeNext := next == nil || rec.number < next.number
	canBeCanceled := len(overlapping) == 0 || slices.ContainsFunc(overlapping, isUnderWay)
	return isBeforeNext && canBeCanceled
}

// isSameRequest reports whether a recording has all the traits of a request.
// The port of the only local server is not compared: it is another one in each
// run.
func (c *candidates) isSameRequest(req *request, rec *Recording) bool {
	sameHost := hostTrait(req.traits()) == hostTrait(rec.traits())
	onlyPortCanDiffer := req.form.Local && c.varyingWithCanceled["host"] == nil
	return (sameHost || onlyPortCanDiffer) && sameTraitsButHost(req, rec)
}

// differsOnlyInPort reports whether a request differs from a recording only in
// the port of the only local server, which is another one in each run.
func (c *candidates) differsOnlyInPort(req *request, rec *Recording) bool {
	oneServer := req.form.Local && c.varying["host"] == nil
	return oneServer && sameTraitsButHost(req, rec)
}

// hostTrait returns the first trait that is a host; the zero value if there is
// none. Where the origin does not match, this one only says that it is local.
func hostTrait(traits []canon.Trait) canon.Trait {
	for _, t := range traits {
		if t.Path == "host" {
			return t
		}
	}
	return canon.Trait{}
}

// sameTraitsButHost reports whether a request and a recording have the same
// traits, apart from the host.
func sameTraitsButHost(req *request, rec *Recording) bool {
	want := req.traits()
	have := rec.traits()
	if len(want) != len(have) {
		return false
	}
	for _, t := range want {
		if t.Path != "host" && !slices.Contains(have, t) {
			return false
		}
	}
	return true
}
