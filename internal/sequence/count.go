package sequence

import (
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Count numbers the events of the calls of a run that records. The zero value
// is ready to use. Its methods may be called concurrently.
type Count struct {
	// idleWait is held while a mark waits for the program to be idle. Marks wait
	// one after the other, because the event of each makes all others wait
	// again.
	idleWait sync.Mutex

	mu     sync.Mutex
	moment int            // of the last event, from 1 in each span
	events int            // how many there were
	span   int            // the number of the current span, see Mark.Span
	last   *Mark          // the call of the last event
	open   map[*Mark]bool // the calls that were asked and have not ended
}

// A Mark counts the events of one call, which is recorded, or played by a run
// that records others.
type Mark struct {
	// Span is the number of the span of time in which the call was under way: a
	// span begins when a call is asked while no other is under way.
	Span int

	count     *Count
	goroutine uint64 // the one that asked

	// followsOtherGoroutine says that the last event before the call was of a
	// call of another goroutine.
	followsOtherGoroutine bool

	// The lock of the count guards what follows, until the call has ended.

	far        bool // the client reads through a socket
	overlapped bool // another call was under way that neither made this one nor was made by it
	moments    interaction.Moments
}

// Ask records that the calling goroutine sends a request, and returns the mark of
// the call. The call overlaps all calls that are under way, except those that
// isCaller reports.
//
// A recorder can record functions of the program as calls, too. isCaller reports
// whether another call is a running function that has made this call: an agent,
// for example, that asks a model. A function and the calls it makes do not count
// as concurrent. isCaller must not use the Count.
func (c *Count) Ask(isCaller func(other *Mark) bool) *Mark {
	goroutine := stack.ID()
	c.mu.Lock()
	defer c.mu.Unlock()

	isFirstOfSpan := len(c.open) == 0
	if isFirstOfSpan {
		c.beginSpan()
	}
	follows := c.last != nil && c.last.goroutine != goroutine // before add sets c.last
	m := &Mark{
		Span:                  c.span,
		count:                 c,
		goroutine:             goroutine,
		followsOtherGoroutine: follows,
	}
	for other := range c.open {
		if !isCaller(other) {
			m.overlapped = true
			other.overlapped = true
		}
	}
	c.open[m] = true
	m.moments.Asked = c.add(m)
	return m
}

// beginSpan begins a span, see [Mark.Span]. Its first moment will be 1. The
// caller holds the lock.
func (c *Count) beginSpan() {
	c.span++
	c.moment = 0
	c.open = map[*Mark]bool{}
}

// add counts an event of a call, and returns its moment. Events of one call
// without an event of another call between them have the same moment. The caller
// holds the lock.
func (c *Count) add(m *Mark) int {
	c.events++
	if c.last != m {
		c.moment++
		c.last = m
	}
	return c.moment
}

// Far sets whether the client reads the response through a socket. It is called
// before an event of the response.
func (m *Mark) Far(far bool) {
	m.count.mu.Lock()
	defer m.count.mu.Unlock()
	m.far = far
}

// Now waits until the program has dealt with the last event. Then it counts a
// piece of a response that the program is about to see, and returns its moment.
func (m *Mark) Now() int { return m.now(true) }

func (m *Mark) now(isPiece bool) int {
	m.count.mu.Lock()
	defer m.count.mu.Unlock()
	m.waitForProgram(isPiece)
	return m.count.add(m)
}

// waitForProgram waits until the program has dealt with the last event, if that
// was one of another call. If more events come during the wait, it waits for
// those as well. A piece of a stream does not wait for a reader behind a socket.
// The caller holds the lock, which is released in between.
func (m *Mark) waitForProgram(isPiece bool) {
	if !m.mustWait() {
		return
	}
	c := m.count
	if !bubble.In() { // the clock of a bubble stops while a goroutine waits for a lock
		c.mu.Unlock()
		c.idleWait.Lock()
		defer c.idleWait.Unlock()
		c.mu.Lock()
	}
	seen := -1
	for c.events != seen && m.mustWait() {
		seen = c.events
		far := c.last.far && !isPiece
		c.mu.Unlock()
		idle.Wait(idle.Record, far)
		c.mu.Lock()
	}
}

// mustWait reports whether the program may still deal with the last event of
// another call: this call overlapped others, or follows one of another goroutine,
// which may have ended and still be dealt with. The caller holds the lock.
func (m *Mark) mustWait() bool {
	lastIsOther := m.overlapped && m.count.last != m
	followsOther := m.followsOtherGoroutine && m.moments.Answered == 0
	return lastIsOther || followsOther
}

// Answered counts that the headers of a response came, or that the request was
// canceled, which waits for nothing.
func (m *Mark) Answered(isCanceled bool) {
	m.count.mu.Lock()
	defer m.count.mu.Unlock()
	if m.moments.Answered != 0 {
		return
	}
	if !isCanceled {
		m.waitForProgram(false)
	}
	m.moments.Answered = m.count.add(m)
}

// played counts that a piece of a recorded response came, or its end, and all
// events before it; piece is -1 for the headers. hasWaited says that its turn has
// already waited for the program.
func (m *Mark) played(piece int, isEnd, hasWaited bool) {
	m.count.mu.Lock()
	defer m.count.mu.Unlock()
	if m.moments.Ended != 0 {
		return
	}
	if !hasWaited {
		isPiece := !isEnd && m.moments.Answered != 0
		m.waitForProgram(isPiece)
	}

	now := m.count.add(m)
	if m.moments.Answered == 0 {
		m.moments.Answered = now
	}
	if isEnd {
		m.moments.Ended = now
		delete(m.count.open, m)
		return
	}
	for len(m.moments.Pieces) <= piece {
		m.moments.Pieces = append(m.moments.Pieces, now)
	}
}

// Moments returns the moments of a call, each increased by the moments of the
// spans before; it returns none if the call has not ended. The caller calls it
// when no event comes any more.
func (m *Mark) Moments(before int) *interaction.Moments {
	all := m.moments
	if all.Ended == 0 {
		return new(interaction.Moments)
	}
	all.Asked += before
	all.Answered += before
	all.Ended += before
	all.Pieces = slices.Clone(all.Pieces)
	for i := range all.Pieces {
		all.Pieces[i] += before
	}
	return &all
}

// End counts the end of a response whose pieces came at these moments. It
// returns the moments of the call; nil if no other overlapped it.
func (m *Mark) End(pieces []int) *interaction.Moments {
	m.Answered(false)
	ended := m.now(false)
	m.count.mu.Lock()
	defer m.count.mu.Unlock()
	m.moments.Pieces = pieces
	m.moments.Ended = ended
	delete(m.count.open, m)
	if !m.overlapped {
		return nil
	}
	return &m.moments
}

// Abandon removes the call: it is not recorded.
func (m *Mark) Abandon() {
	m.count.mu.Lock()
	defer m.count.mu.Unlock()
	delete(m.count.open, m)
}
