// Package sequence keeps the order of what runs side by side. While it is recorded, it counts
// what happens; in replay, it lets what belongs to an answer come when that has happened which
// happened before it in the recording. It knows nothing of requests, answers or their order
// in a file: an event is an event.
package sequence

import (
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Count counts what happens in a recording. The zero value is ready to use. Its methods may
// be called concurrently.
type Count struct {
	mu   sync.Mutex // guards what follows
	now  int
	all  int            // events, also those at one moment
	span int            // the number of the time in which something is under way, from its first event to its last
	last *Mark          // of which the last event was
	open map[*Mark]bool // those that were asked and have not ended

	settling sync.Mutex // held by who waits for the program to rest: each event keeps all others waiting
}

// A Mark is what is being recorded, or played meanwhile. A nil Mark counts nothing.
type Mark struct {
	of       *Count
	Span     int    // the number of the time in which this and others were under way
	asker    uint64 // the goroutine that asked
	follower bool   // the last event before it was asked is of another goroutine
	far      bool   // who asked reads behind a socket, most likely in another process
	moments  interaction.Moments
	company  bool
}

// Ask counts that its caller asks something. What it is asked within ends after it and is no company.
func (c *Count) Ask(isWithin func(*Mark) bool) *Mark {
	asker := stack.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		c.now, c.open = 0, map[*Mark]bool{}
		c.span++
	}
	m := &Mark{of: c, Span: c.span, asker: asker, follower: c.last != nil && c.last.asker != asker}
	for other := range c.open {
		if !isWithin(other) {
			m.company, other.company = true, true
		}
	}
	c.open[m] = true
	m.moments.Asked = c.happened(m)
	return m
}

// happened counts an event. The caller holds the lock.
func (c *Count) happened(m *Mark) int {
	c.all++
	if c.last != m || c.now == 0 {
		c.now++
		c.last = m
	}
	return c.now
}

// Far says whether who asked reads behind a socket. It is called before anything comes.
func (m *Mark) Far(far bool) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.far = far
}

// Now counts an event that the program is about to see, a piece of an answer for instance, when it
// has done what it does with the one before it. It returns when that happened.
func (m *Mark) Now() int { return m.now(true) }

func (m *Mark) now(isPiece bool) int {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.settle(isPiece)
	return m.of.happened(m)
}

// settle waits until the program has done what it does with what it got last from another one. That
// may have ended before this one was asked: the goroutine that got it need not be done with it. If
// something happens meanwhile, it waits for that as well. A stream to a reader behind a socket is not held up
// for each of its pieces. The caller holds the lock.
func (m *Mark) settle(isPiece bool) {
	waits := func() bool { return m.company && m.of.last != m || m.follower && m.moments.Answered == 0 }
	if waits() && !bubble.In() { // in one, its clock would stand still
		m.of.mu.Unlock()
		m.of.settling.Lock()
		defer m.of.settling.Unlock()
		m.of.mu.Lock()
	}
	for before := -1; before != m.of.all && waits(); {
		before = m.of.all
		far := m.of.last.far && !isPiece
		m.of.mu.Unlock()
		idle.Wait(idle.Record, far)
		m.of.mu.Lock()
	}
}

// Answered counts that the headers of an answer came, or that its caller gave up, which nobody keeps waiting.
func (m *Mark) Answered(gaveUp bool) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if m.moments.Answered == 0 {
		if !gaveUp {
			m.settle(false)
		}
		m.moments.Answered = m.of.happened(m)
	}
}

// play counts that a piece of an answer that is played came, or its end, and all before it; before the
// first piece come the headers.
func (m *Mark) play(piece int, isEnd, rests bool) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if m.moments.Ended != 0 {
		return
	}
	if !rests {
		m.settle(!isEnd && m.moments.Answered != 0)
	}
	now := m.of.happened(m)
	if m.moments.Answered == 0 {
		m.moments.Answered = now
	}
	if isEnd {
		m.moments.Ended = now
		delete(m.of.open, m)
		return
	}
	for len(m.moments.Pieces) <= piece {
		m.moments.Pieces = append(m.moments.Pieces, now)
	}
}

// Moments returns all moments, which come after some others; none of what has not ended.
func (m *Mark) Moments(before int) *interaction.Moments {
	all := m.moments
	if all.Ended == 0 {
		return new(interaction.Moments)
	}
	all.Asked, all.Answered, all.Ended = all.Asked+before, all.Answered+before, all.Ended+before
	all.Pieces = slices.Clone(all.Pieces)
	for i := range all.Pieces {
		all.Pieces[i] += before
	}
	return &all
}

// End counts the end of an answer whose pieces came at these moments, and returns all
// moments; nil if it ran alone.
func (m *Mark) End(pieces []int) *interaction.Moments {
	m.Answered(false)
	ended := m.now(false)
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.moments.Pieces, m.moments.Ended = pieces, ended
	delete(m.of.open, m)
	if !m.company {
		return nil
	}
	return &m.moments
}

// GiveUp takes back what was asked: it is not recorded.
func (m *Mark) GiveUp() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	delete(m.of.open, m)
}
