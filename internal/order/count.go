// Package order keeps the order of what runs side by side. While it is recorded, it counts
// what happens; in replay, it lets what belongs to an answer come when that has happened which
// happened before it in the recording. It knows nothing of requests, answers or their order
// in a file: an event is an event.
package order

import (
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Count counts what happens in a recording. The zero value is ready to use. Its methods may
// be called concurrently.
type Count struct {
	mu   sync.Mutex // guards what follows
	now  int
	last *Mark          // of which the last event was
	open map[*Mark]bool // those that were asked and have not ended
}

// A Mark is what is being recorded.
type Mark struct {
	of      *Count
	moments interaction.Moments
	company bool
}

// Ask counts that something is asked. What it is asked within ends after it and is no
// company; it may be nil.
func (c *Count) Ask(isWithin func(*Mark) bool) *Mark {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &Mark{of: c}
	if len(c.open) == 0 {
		c.now, c.open = 0, map[*Mark]bool{}
	}
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
	if c.last != m || c.now == 0 {
		c.now++
		c.last = m
	}
	return c.now
}

// Now counts an event that the program is about to see, a piece of an answer for instance, when it
// has done what it does with the one before it. It returns when that happened.
func (m *Mark) Now() int {
	c := m.of
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.company && c.last != m {
		c.mu.Unlock()
		program.settle()
		c.mu.Lock()
	}
	return c.happened(m)
}

// Answered counts that the headers of an answer came.
func (m *Mark) Answered() {
	if m.moments.Answered == 0 {
		m.moments.Answered = m.Now()
	}
}

// End counts the end of an answer whose pieces came at these moments, and returns all
// moments; nil if it ran alone.
func (m *Mark) End(pieces []int) *interaction.Moments {
	m.Answered()
	ended := m.Now()
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
