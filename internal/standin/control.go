package standin

import (
	"cmp"
	"net/http"
	"sync"
	"time"
)

// control is what a test has ordered. Server.mu guards it.
type control struct {
	failures []failure
	cuts     []int
	gate     *Gate
	delay    time.Duration
}

type failure struct {
	status int
	header http.Header
}

// Fail answers the next n requests with an error of this status in their
// family's shape, with the given headers added. Further calls queue up.
func (s *Server) Fail(n int, status int, header http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.failures = append(s.failures, failure{status, header.Clone()})
	}
}

// Cut breaks off the next stream after n of its events: the connection is
// closed without an end. Zero sends the headers only. Further calls queue up,
// one stream each.
func (s *Server) Cut(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cuts = append(s.cuts, n)
}

// Delay pauses for d between the events of streams started from now on.
func (s *Server) Delay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = d
}

// Hold holds back the streams started from now on: each sends its first event
// and waits for the gate before every following one. It replaces an earlier
// gate for new streams.
func (s *Server) Hold() *Gate {
	g := &Gate{
		// Holds any number of steps: an element has no size.
		steps: make(chan struct{}, 1<<30),
		open:  make(chan struct{}),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = g
	return g
}

// Gate lets the events of held streams go. Its methods never block.
type Gate struct {
	steps chan struct{}
	open  chan struct{}
	once  sync.Once
}

// Step lets one more event go, of whichever held stream comes first. A step
// that nobody waits for is kept.
func (g *Gate) Step() { g.steps <- struct{}{} }

// Open lets everything go, now and from now on.
func (g *Gate) Open() { g.once.Do(func() { close(g.open) }) }

func (s *Server) nextFailure() (failure, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failures) == 0 {
		return failure{}, false
	}
	f := s.failures[0]
	s.failures = s.failures[1:]
	return f, true
}

// plan is what was ordered for one stream.
type plan struct {
	cut   int // events to send before breaking off, -1 for all
	gate  *Gate
	delay time.Duration
	quit  <-chan struct{}
}

func (s *Server) nextPlan() plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := plan{cut: -1, gate: s.gate, delay: s.delay, quit: s.quitting()}
	if len(s.cuts) > 0 {
		p.cut, s.cuts = s.cuts[0], s.cuts[1:]
	}
	return p
}

// stream sends events, each flushed by itself, as ordered.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, ans *answer) {
	p, events := s.nextPlan(), ans.events
	w.Header().Set("Content-Type", cmp.Or(ans.kind, "text/event-stream; charset=utf-8"))
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	for i, event := range events {
		if i == p.cut {
			_ = out.Flush()
			panic(http.ErrAbortHandler)
		}
		if i > 0 && !p.wait(r) {
			panic(http.ErrAbortHandler)
		}
		if _, err := w.Write(event); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
	}
	if p.cut == len(events) {
		panic(http.ErrAbortHandler)
	}
}

// wait holds until the next event may go; it is false when nobody wants it.
func (p plan) wait(r *http.Request) bool {
	if p.gate != nil {
		select {
		case <-p.gate.open:
		case <-p.gate.steps:
		case <-r.Context().Done():
		case <-p.quit:
		}
	}
	if p.delay > 0 {
		t := time.NewTimer(p.delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.Context().Done():
		case <-p.quit:
		}
	}
	select {
	case <-r.Context().Done():
		return false
	case <-p.quit:
		return false
	default:
		return true
	}
}
