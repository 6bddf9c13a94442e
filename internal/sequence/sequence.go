// Package sequence keeps the order of concurrent calls. A run that records
// counts the events of its calls (Count, Mark). A replay lets an event of a
// response come when everything has happened that happened before it in the
// recording (Sequence, Turn). The package knows nothing of requests, responses
// and files. docs/design/concurrency.md explains it.
//
// These are its words:
//
//	event    what happens in a call: its request is sent (asked), the headers
//	         of the response come (answered), a piece of its body comes, the
//	         body ends
//	moment   the number of an event in the order of all events of concurrent
//	         calls. Events of one call have the same moment if no event of
//	         another call came between them
//	step     a moment in a replay: which recording it belongs to, and how many of
//	         its events have not happened
//	series   recordings that wait for each other, and for no others
//	group    recordings that overlapped, directly or through others of the group
//	pending  a request that was abandoned, and that the program may still send
//	far      the client of a call reads through a socket, so it is most likely
//	         in another process
//
// These are the locks of the package:
//
//	lock             guards                   taken under it
//	Sequence.mu      the fields below it,     widths.mu
//	                 waits, pools, the
//	                 progress of series and
//	                 turns
//	Count.idleWait   nothing: it is held      Count.mu, the lock of
//	                 while a mark waits for   package idle
//	                 the program to be idle
//	Count.mu         the fields below it,     none
//	                 and those of marks
//	widths.mu        the field below it       none
//
// No lock but Count.idleWait is held during a wait. Count.mu and Sequence.mu may
// be taken under a lock of the caller.
package sequence

import (
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence/idle"
)

const (
	// cancelBudget is how long all calls of a run together wait to be canceled,
	// see WaitForCancel. A second: not measured.
	cancelBudget = 10 * idle.Longest

	// pendingLimit is how long a stream waits for a pending request, see
	// Turn.AnswersOthers. Half a second: not measured.
	pendingLimit = 5 * idle.Longest

	// maxSteps is how many moments of a group are kept: a cassette that was
	// edited may claim more than there is memory for. Not measured.
	maxSteps = 1 << 20
)

// A Sequence is the recorded order of calls, and how much of it has happened in
// this replay. A nil Sequence has no recordings. Its methods may be called
// concurrently.
type Sequence struct {
	recorded []recording // by number

	mu           sync.Mutex
	steps        []step         // of all series; a moment is the index of its step plus 1
	states       []state        // of the recordings
	lastIsFar    bool           // the client of the last event is far
	timeoutsHeld int            // above 0, no wait times out, see hold
	timedOut     []TimedOutWait // in the order of their timeouts
	pool         pool           // the workers that send requests
	cancelTime   time.Duration  // the rest of cancelBudget
	pendingTime  time.Duration  // pendingLimit, until the first such wait has timed out; then 0
}

// A recording is a recorded call, as the cassette has it.
type recording struct {
	events          // empty if series is nil
	series  *series // nil if the recording waits for nothing and nothing waits for it
	group   int     // the number of the first recording of its group
	isAlone bool    // no call overlapped it; all its events have one moment
}

// A state is what has happened to a recording in this replay.
type state struct {
	isAsked     bool // its request has been sent
	isAbandoned bool // no event waits for it, see abandon
	isOver      bool // all its events have happened
}

// A step is a moment in this replay.
type step struct {
	number int // of the recording; -1 if the cassette has no event of this moment
	left   int // how many of its events have not happened
}

// A series is recordings that wait for each other, and for no others: all
// recordings of a cassette, if some of them overlapped, because calls that
// goroutines send at once may run alone by chance. If none overlapped, those
// from a call whose client waited before it asked again to that second call.
type series struct {
	first, last int // the numbers of its recordings
	end         int // the index behind its last step

	// The lock of the sequence guards what follows.

	done  int // the index of its first step that has not happened
	waits queue
}

// A Call is a recorded call.
type Call struct {
	// Moments are those of the cassette: nil if the call ran alone. Asked is 0
	// if the call overlapped others and the cassette does not say when.
	Moments *interaction.Moments

	// IsNested is set if a recorded function made the call. Nothing waits for
	// such a call, because a function that is played does not make it.
	IsNested bool

	// AskedAgain is the number of the next recording of the same request, if
	// the client waited in between and other calls were made; 0 if not.
	AskedAgain int
}

// overlaps reports whether the call overlapped others at known moments.
func (c Call) overlaps() bool { return c.Moments != nil && c.Moments.Asked > 0 }

// isOfUnknownTime reports whether the call overlapped others at moments that the
// cassette does not say.
func (c Call) isOfUnknownTime() bool { return c.Moments != nil && c.Moments.Asked == 0 }

// New returns the sequence of recorded calls; nil if none overlapped and no
// client waited before it asked again.
func New(calls []Call) *Sequence {
	b := builder{lastOfGroup: -1, lastOfSeries: -1}
	for _, call := range calls {
		b.hasOverlaps = b.hasOverlaps || call.overlaps()
	}
	for number, call := range calls {
		if call.isOfUnknownTime() {
			continue
		}
		b.endSeries(number, call)
		inGroup := b.continuesGroup(call)
		if b.isKept(call) {
			b.add(number, call, inGroup, len(calls))
		}
		if call.Moments == nil && !call.IsNested {
			b.lastOfGroup = -1
		}
	}
	return b.sequence
}

// A builder makes a sequence.
type builder struct {
	sequence     *Sequence // nil until a call is kept
	series       *series   // the one that goes on; nil if none does
	hasOverlaps  bool      // some calls overlapped
	base         int       // how many steps come before the moments of the group
	lastOfGroup  int       // the last recording of the group that goes on; -1 if none does
	lastOfSeries int       // the last recording that asks again, of those before it
}

// endSeries ends the series that goes on if a call does not belong to it.
func (b *builder) endSeries(number int, call Call) {
	isBehind := number > b.lastOfSeries
	if !b.hasOverlaps && isBehind && !call.IsNested {
		b.series = nil
	}
}

// continuesGroup reports whether a call belongs to the group that goes on. The
// moments of each group count from 1.
func (b *builder) continuesGroup(call Call) bool {
	if call.Moments == nil || b.lastOfGroup < 0 {
		return false
	}
	lastAsked := b.sequence.recorded[b.lastOfGroup].asked()
	return b.base+call.Moments.Asked > lastAsked
}

// isKept reports whether a call is kept in sequence.
func (b *builder) isKept(call Call) bool {
	if call.Moments != nil {
		return true
	}
	isInSeries := b.series != nil || b.hasOverlaps || call.AskedAgain != 0
	return isInSeries && !call.IsNested
}

// add adds a call of count to the sequence.
func (b *builder) add(number int, call Call, inGroup bool, count int) {
	if b.sequence == nil {
		b.sequence = &Sequence{
			recorded:    make([]recording, count),
			states:      make([]state, count),
			cancelTime:  cancelBudget,
			pendingTime: pendingLimit,
		}
	}
	s := b.sequence
	if b.series == nil {
		b.series = &series{first: number, done: len(s.steps)}
	}

	rec := &s.recorded[number]
	rec.series = b.series
	rec.group = number
	if inGroup {
		rec.group = s.recorded[b.lastOfGroup].group
	} else {
		b.base = len(s.steps)
	}

	moments := call.Moments
	b.lastOfGroup = number
	if moments == nil {
		moments = &interaction.Moments{Asked: 1, Answered: 1, Ended: 1}
		rec.isAlone = true
	}
	rec.events = eventsOf(moments, b.base)
	s.addSteps(number, b.base, call.IsNested)

	b.series.last = number
	b.series.end = len(s.steps)
	b.lastOfSeries = max(b.lastOfSeries, call.AskedAgain)
}

// addSteps adds the steps of a recording whose group begins after base steps.
// Nothing waits for the events of a nested call.
func (s *Sequence) addSteps(number, base int, isNested bool) {
	for _, moment := range s.recorded[number].events {
		for len(s.steps) < moment && len(s.steps)-base < maxSteps {
			s.steps = append(s.steps, step{number: -1})
		}
		if moment > len(s.steps) {
			continue
		}
		step := &s.steps[moment-1]
		step.number = number
		if !isNested {
			step.left++
		}
	}
}

// recording returns a recording that is kept in sequence; nil if it is not.
func (s *Sequence) recording(number int) *recording {
	if s == nil || number < 0 || number >= len(s.recorded) {
		return nil
	}
	rec := &s.recorded[number]
	if rec.series == nil {
		return nil
	}
	return rec
}

// mostOpen returns how many of the recorded calls were open at once at most. The
// caller holds the lock.
func (s *Sequence) mostOpen() int {
	changes := make([]int, len(s.steps)+2) // of the number of open calls, by moment
	for i := range s.recorded {
		rec := &s.recorded[i]
		if rec.series == nil {
			continue
		}
		changes[min(rec.asked(), len(s.steps))]++
		changes[min(rec.ended(), len(s.steps))+1]--
	}

	open, most := 0, 0
	for _, change := range changes {
		open += change
		most = max(most, open)
	}
	return most
}

// hold keeps waits from timing out until release: a turn waits for the program
// to be idle, or for a pending request, and what comes then may be what the
// others wait for. The caller holds the lock.
func (s *Sequence) hold() { s.timeoutsHeld++ }

// release is the end of a hold. The caller holds the lock.
func (s *Sequence) release() { s.timeoutsHeld-- }

// wake ends the waits of a series that may be over, after an event. The caller
// holds the lock.
func (s *Sequence) wake(series *series) {
	for series.done < series.end && s.steps[series.done].left <= 0 {
		series.done++
	}
	nextMoment := series.done + 1
	series.waits.wake(nextMoment)
}
