package fakeprovider

import (
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is the stand-in provider on a loopback address. All its methods may be
// called concurrently.
//
// The zero Server listens nowhere and is ready to be mounted as an http.Handler.
type Server struct {
	URL string // base address, without a trailing slash

	web    http.Server
	served chan struct{} // closed when the listener's goroutine has ended

	mu       sync.Mutex
	idle     sync.Cond // signals active or open falling to zero; L is mu
	requests int
	active   int // requests being served
	open     int // connections
	quit     chan struct{}
	closed   bool
	control
	state State
}

// New starts a Server on a free port of 127.0.0.1. It panics if it cannot listen.
func New() *Server {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("fakeprovider: failed to listen on loopback: " + err.Error())
	}
	s := &Server{URL: "http://" + ln.Addr().String(), served: make(chan struct{})}
	s.web = http.Server{
		Handler:           s,
		ConnState:         s.connState,
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(s.served)
		_ = s.web.Serve(ln) // always ends by Close
	}()
	return s
}

// Close stops the server at once: streams are broken off, connections closed.
// When it returns no handler is running any more.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.quitting())
	}
	s.mu.Unlock()
	if s.served != nil {
		_ = s.web.Close()
		<-s.served
		_ = s.web.Close() // closes a connection that was accepted during the first Close
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.active > 0 || s.open > 0 {
		s.wait()
	}
}

// Requests tells how many requests reached the server, refused ones included.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Wait returns when no request is being served, so that a test can see that the
// server noticed a client that went away.
func (s *Server) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.active > 0 {
		s.wait()
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.enter()
	defer s.leave()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req := Read(r, data, &s.state)
	w.Header().Set("X-Promptecho-Provider", "stand-in")
	if f, ok := s.nextFailure(); ok {
		resp := req.Refuse(n, Problem{Status: f.status})
		for name, values := range f.header {
			resp.Header[http.CanonicalHeaderKey(name)] = values
		}
		s.send(w, r, resp)
		return
	}
	if req.Problem != nil {
		s.send(w, r, req.Refuse(n, *req.Problem))
		return
	}
	s.send(w, r, req.Improvise(n))
}

// send sends a response: a body in chunked transfer, as the real ones do, or a
// stream as ordered.
func (s *Server) send(w http.ResponseWriter, r *http.Request, resp *Response) {
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	switch {
	case resp.Events != nil:
		s.stream(w, r, resp.Events)
	case resp.Status != http.StatusOK:
		w.WriteHeader(resp.Status)
		_, _ = w.Write(resp.Body)
	default:
		w.WriteHeader(resp.Status)
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(resp.Body)
	}
}

func (s *Server) enter() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.active++
	return s.requests
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.idle.Broadcast()
}

func (s *Server) connState(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.open++
	case http.StateClosed, http.StateHijacked:
		s.open--
		s.idle.Broadcast()
	}
}

// wait waits for the next change of active or open. The caller holds mu.
func (s *Server) wait() {
	s.idle.L = &s.mu
	s.idle.Wait()
}

// quitting is closed by Close. The caller holds mu.
func (s *Server) quitting() chan struct{} {
	if s.quit == nil {
		s.quit = make(chan struct{})
	}
	return s.quit
}

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

// Fail answers the next n requests with an error of this status in the shape of
// their family, and adds headers. The failures of further calls come after them.
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

// Step sends one more event of the stream that waits first. If no stream waits,
// the next one does not wait for its event.
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
func (s *Server) stream(w http.ResponseWriter, r *http.Request, events [][]byte) {
	p := s.nextPlan()
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

// wait waits until the next event may be sent. It returns false if the client or
// the server has gone.
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
