package provider

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// A Server on loopback answers each request with its number ("n") and its body ("asked").
type Server struct {
	*httptest.Server
	mu    sync.Mutex
	asked int
}

// New starts a Server, which is closed when the test ends.
func New(t testing.TB) *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what a client has sent before it gave up is an answer, too
	s.mu.Lock()
	s.asked++
	number := s.asked
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", fmt.Sprintf("req_%d", number))
	answer, _ := json.Marshal(map[string]any{"n": number, "asked": string(body)}) // no text fails
	w.Write(answer)
}

// Count returns how many requests the server got.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Digests starts a server that answers with the SHA-256 of the body that it got, and counts the
// requests. It answers a request for /early with status 413 before it has read the body.
func Digests(t testing.TB, asked *atomic.Int32) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		sum := sha256.New()
		if req.URL.Path != "/early" {
			_, _ = io.Copy(sum, req.Body)
		} else {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
		fmt.Fprintf(w, "%x", sum.Sum(nil))
	}))
	t.Cleanup(s.Close)
	return s
}
