package standin

import (
	"cmp"
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
	recall memory
}

// New starts a Server on a free port of 127.0.0.1. It panics if it cannot listen.
func New() *Server {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("standin: failed to listen on loopback: " + err.Error())
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
		_ = s.web.Close() // a connection accepted meanwhile
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
	c := &call{n: n, method: r.Method, path: r.URL.Path, query: r.URL.Query(), raw: data, recall: &s.recall}
	fam, ven := familyOf(r)
	w.Header().Set("X-Promptecho-Provider", "stand-in")
	if f, ok := s.nextFailure(); ok {
		s.refuse(w, c, ven, problem{status: f.status}, f.header)
		return
	}
	ans, p := decide(c, r, fam, ven)
	if p != nil {
		s.refuse(w, c, ven, *p, nil)
		return
	}
	ven.headers(c, w.Header(), http.StatusOK)
	for name, values := range ans.header {
		w.Header()[name] = values
	}
	if ans.events == nil {
		s.plain(w, ans)
		return
	}
	s.stream(w, r, ans)
}

// decide checks a request as every provider does and lets the family answer it.
func decide(c *call, r *http.Request, fam *family, ven *vendor) (*answer, *problem) {
	if fam == nil {
		return nil, &problem{status: http.StatusNotFound}
	}
	if r.Method != http.MethodPost {
		return nil, &problem{status: http.StatusMethodNotAllowed}
	}
	if ven.key(r.Header) == "" {
		return nil, &ven.keyless
	}
	v, err := decode(c.raw)
	body, ok := v.(object)
	if err != nil || !ok {
		p := ven.badJSON(err)
		return nil, &p
	}
	c.body = body
	return fam.answer(c)
}

func (s *Server) refuse(w http.ResponseWriter, c *call, ven *vendor, p problem, extra http.Header) {
	h := w.Header()
	ven.headers(c, h, p.status)
	h.Set("Content-Type", "application/json")
	body := ven.refuse(c, h, p)
	for name, values := range extra {
		h[http.CanonicalHeaderKey(name)] = values
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(body)
}

// plain sends a body in chunked transfer, as the real ones do.
func (s *Server) plain(w http.ResponseWriter, ans *answer) {
	w.Header().Set("Content-Type", cmp.Or(ans.kind, "application/json"))
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	_, _ = w.Write(ans.body)
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
