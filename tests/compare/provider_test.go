package compare_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A chatServer answers chat completions with a text and the prompt, and other requests with a
// receipt. It keeps what it was asked.
type chatServer struct {
	*httptest.Server
	text       string // of the answers
	breaksOff  bool   // the answers do
	mu         sync.Mutex
	requests   []string // the prompt of each chat completion, or the path
	keys       []string // the header Authorization of each request
	running    int
	mostAtOnce int
}

// newChatServer starts a chatServer, which is closed when the test ends.
func newChatServer(t testing.TB) *chatServer {
	s := &chatServer{text: "Hi"}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *chatServer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := r.URL.Path
	if _, rest, ok := strings.Cut(string(body), `"content":"`); ok {
		asked, _, _ = strings.Cut(rest, `"`)
	}
	number := s.begin(asked, r.Header.Get("Authorization"))
	defer s.end()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		fmt.Fprintf(w, `{"receipt":%d}`, number)
	case s.breaksOff:
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"id":`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	default:
		fmt.Fprintf(w, `{"id":"chatcmpl-%d","model":"m-1","choices":[`+
			`{"message":{"content":%q},"finish_reason":"stop"}]}`, number, s.text+" "+asked)
	}
}

// begin notes a request, and returns its number.
func (s *chatServer) begin(asked, key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, asked)
	s.keys = append(s.keys, key)
	s.running++
	s.mostAtOnce = max(s.mostAtOnce, s.running)
	return len(s.requests)
}

func (s *chatServer) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// got returns the requests that the server got, in order.
func (s *chatServer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// record asks the server prompts, and returns their cassette. The server forgets them.
func (s *chatServer) record(t testing.TB, prompts ...string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	for _, prompt := range prompts {
		must.Ask(t, r, s.URL, prompt)
	}
	must.Close(t, r)
	s.forget()
	return file
}

// forget makes the server a new one.
func (s *chatServer) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
	s.keys = nil
	s.mostAtOnce = 0
}

// finish ends a recorder as the end of a test that passed, and returns all notes and errors.
func finish(r *promptecho.Recorder) (messages string) {
	rep := must.Finish(r, report.Outcome{})
	return strings.Join(slices.Concat(rep.Notes, rep.Errors), "\n")
}
