package compare_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A modelServer answers chats with a text, and anything else with a receipt. It keeps what
// it was asked, and how many requests it had at once.
type modelServer struct {
	*httptest.Server
	text string // of the answers
	cut  bool   // the answers break off

	mu         sync.Mutex
	asked      []string // the last message of a chat, or the path
	keys       []string
	open, most int
}

func newModelServer(t testing.TB, text string) *modelServer {
	s := &modelServer{text: text}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *modelServer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := r.URL.Path
	if _, rest, ok := strings.Cut(string(body), `"content":"`); ok {
		asked, _, _ = strings.Cut(rest, `"`)
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	s.keys = append(s.keys, r.Header.Get("Authorization"))
	s.open++
	s.most = max(s.most, s.open)
	n := len(s.asked)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
	}()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		fmt.Fprintf(w, `{"receipt":%d}`, n)
	case s.cut:
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"id":`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	default:
		fmt.Fprintf(w, `{"id":"chatcmpl-%d","model":"m-1","choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, n, s.text+" "+asked)
	}
}

// requests returns what the server was asked, in order.
func (s *modelServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// recordedBy records questions that a server answers.
func recordedBy(t testing.TB, s *modelServer, questions ...string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	for _, q := range questions {
		must.Ask(t, r, s.URL, q)
	}
	must.Close(t, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.keys = nil, nil
	return file
}

// compared ends a recorder as the end of a test that passed, and returns all that is said.
func compared(r *promptecho.Recorder) string {
	rep := must.Finish(r, report.Outcome{})
	return strings.Join(slices.Concat(rep.Notes, rep.Errors), "\n")
}

// TestCompareSendsModelCalls: model calls are sent once more, in their order and one after
// the other, when the test is over. Whatever else was asked is not, since it would happen
// twice.
func TestCompareSendsModelCalls(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *promptecho.Recorder) {
		must.Ask(t, r, s.URL, "one")
		must.Post(t, r, s.URL+"/pay", `{"amount":5}`)
		must.Ask(t, r, s.URL, "two")
		must.Post(t, r, s.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}`)
		must.Post(t, r, s.URL+"/oauth2/token", `{"grant_type":"client_credentials"}`)
		must.Post(t, r, s.URL+"/v1/messages/batches", `{"requests":[]}`)
		must.Ask(t, r, s.URL, "three")
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	run(r)
	must.Close(t, r)
	recorded := s.requests()

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	if !r.Online() {
		t.Error("the run goes upstream, and Recording says that it does not")
	}
	run(r)
	if again := s.requests(); len(again) != len(recorded) {
		t.Fatalf("asked before the test was over: %q", again[len(recorded):])
	}
	if said := compared(r); !strings.Contains(said, "mode compare, 3 recorded answers: 3 identical") {
		t.Errorf("said:\n%s", said)
	}
	if again := s.requests()[len(recorded):]; !slices.Equal(again, []string{"one", "two", "three"}) || s.most != 1 {
		t.Errorf("asked again: %q, %d at once", again, s.most)
	}
}

// TestCompareWritesNothing: whatever comes out, the files are as they were.
func TestCompareWritesNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"identical": "Hi", "benign": "Hello", "drift": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newModelServer(t, "Hi")
			file := recordedBy(t, s, "one", "two")
			journal := file + must.JournalSuffix
			if err := os.WriteFile(journal, []byte("left by a run that was killed"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := filesIn(t, filepath.Dir(file))
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
				if text == "" {
					return provider.Says(`{"model":"m-2"}`).RoundTrip(req)
				}
				s.text = text
				return http.DefaultTransport.RoundTrip(req)
			})))
			must.Ask(t, r, s.URL, "one")
			must.Ask(t, r, s.URL, "two")
			if said := compared(r); !strings.Contains(said, "2 "+name) {
				t.Errorf("said:\n%s", said)
			}
			if after := filesIn(t, filepath.Dir(file)); !slices.Equal(before, after) {
				t.Errorf("before\n%s\nafter\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
}

// filesIn returns the names, times and contents of the files in a folder.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprintln(e.Name(), info.ModTime(), must.Read(t, filepath.Join(dir, e.Name()))))
	}
	return files
}

// TestCompareKeys: the real key goes upstream and nowhere else, even if the provider
// echoes it.
func TestCompareKeys(t *testing.T) {
	const key = "echo-secret-compare-0123456789"
	t.Setenv("COMPARED_API_KEY", key)
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one")
	s.text = "Your key is " + key
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	must.Post(t, r, s.URL+"/v1/chat/completions", must.ChatBody("one"), "Authorization", "Bearer "+r.Secret("COMPARED_API_KEY"))
	said := compared(r)
	if !slices.Equal(s.keys, []string{"Bearer " + key}) {
		t.Errorf("the provider got %q", s.keys)
	}
	if !strings.Contains(said, "1 benign") || !strings.Contains(said, "[REDACTED]") || strings.Contains(said, key) {
		t.Errorf("said:\n%s", said)
	}
}

// TestCompareRefusesWithoutAKey: the variable that is empty is named, and nothing is sent.
func TestCompareRefusesWithoutAKey(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one", "two")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	r.Secret("NO_SUCH_API_KEY")
	must.Ask(t, r, s.URL, "one")
	must.Ask(t, r, s.URL, "two")
	rep := must.Finish(r, report.Outcome{})
	want := file + ": mode compare (InMode in the code) has to send a request, but the environment variable NO_SUCH_API_KEY is empty: set it, or replay with PROMPTECHO_MODE=none"
	if len(rep.Errors) != 1 || rep.Errors[0] != want || !strings.Contains(strings.Join(rep.Notes, "\n"), "2 not sent") {
		t.Errorf("%q, want %q", rep.Errors, want)
	}
	if asked := s.requests(); asked != nil {
		t.Errorf("sent: %q", asked)
	}
}

// TestCompareIsChosen: nobody compares by default. In CI it takes more than the code.
func TestCompareIsChosen(t *testing.T) {
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one")
	for _, tt := range []struct {
		name, ci, env string
		opts          []promptecho.Option
		sent          int
	}{
		{"nothing", "", "", nil, 0},
		{"CI", "true", "", nil, 0},
		{"CI and the code", "true", "", []promptecho.Option{promptecho.InMode(promptecho.ModeCompare)}, 0},
		{"the code", "", "", []promptecho.Option{promptecho.InMode(promptecho.ModeCompare)}, 1},
		{"CI and the environment", "true", "compare", nil, 1},
		{"the environment, but the code sends nothing", "", "compare", []promptecho.Option{promptecho.InMode(promptecho.ModeNone)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			t.Setenv("PROMPTECHO_MODE", tt.env)
			before := len(s.requests())
			r := must.Open(t, file, tt.opts...)
			must.Ask(t, r, s.URL, "one")
			must.Close(t, r)
			if sent := len(s.requests()) - before; sent != tt.sent {
				t.Errorf("%d requests were sent, want %d", sent, tt.sent)
			}
		})
	}
}

// TestCompareAfterTheRequest: what the program does with a request once it has the answer
// does not matter: it cancels it, its time is up, it uses its headers again.
func TestCompareAfterTheRequest(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	ctx, cancel := context.WithCancel(t.Context())
	body := []byte(must.ChatBody("one"))
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer echo-secret-one")
	timeout := make(chan struct{})
	//lint:ignore SA1019 an http.Client with a Timeout sets it
	req.Cancel = timeout
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel()
	close(timeout)
	req.Header.Set("Authorization", "Bearer echo-secret-two")
	req.URL.Path = "/elsewhere"
	if said := compared(r); !strings.Contains(said, "1 identical") {
		t.Errorf("said:\n%s", said)
	}
	if !slices.Equal(s.keys, []string{"Bearer echo-secret-one"}) {
		t.Errorf("the provider got %q", s.keys)
	}
}

// TestCompareConcurrent: calls that are made at once are all compared, one after the other.
func TestCompareConcurrent(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	var questions []string
	for i := range 20 {
		questions = append(questions, fmt.Sprintf("question %d", i))
	}
	file := recordedBy(t, s, questions...)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	var wg sync.WaitGroup
	for _, q := range questions {
		wg.Go(func() { must.Ask(t, r, s.URL, q) })
	}
	wg.Wait()
	if said := compared(r); !strings.Contains(said, "20 identical") {
		t.Errorf("said:\n%s", said)
	}
	asked := s.requests()
	slices.Sort(asked)
	slices.Sort(questions)
	if !slices.Equal(asked, questions) || s.most != 1 {
		t.Errorf("asked %q, %d at once", asked, s.most)
	}
}

// TestCompareRepeats: a recording that is played several times is compared once.
func TestCompareRepeats(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.AllowRepeats())
	for range 3 {
		must.Ask(t, r, s.URL, "one")
	}
	if said := compared(r); !strings.Contains(said, "1 identical") || len(s.requests()) != 1 {
		t.Errorf("asked %q and said:\n%s", s.requests(), said)
	}
}

// TestCompareEnds: a test that ended in order is compared, also if it failed; one that
// panicked is not.
func TestCompareEnds(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one")
	var said string
	run := func(end func()) {
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() { recover() }()
			r, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeCompare), promptecho.Log(func(note string) { said = note }))
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			must.Ask(t, r, s.URL, "one")
			end()
		}()
		<-done
	}
	run(func() { panic("in the test") })
	if !strings.Contains(said, "1 not sent") || !strings.Contains(said, "the test panicked") || len(s.requests()) != 0 {
		t.Errorf("after a panic asked %q and said:\n%s", s.requests(), said)
	}
	run(func() {})
	if !strings.Contains(said, "1 identical") || len(s.requests()) != 1 {
		t.Errorf("at the end asked %q and said:\n%s", s.requests(), said)
	}
}

// TestCompareWithoutAnAnswer: what keeps an answer from coming is said, and fails the run
// if nothing else was compared.
func TestCompareWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	cut := newModelServer(t, "Hi")
	cut.cut = true
	for _, tt := range []struct {
		name     string
		upstream http.RoundTripper
		want     string
	}{
		{"an error that names the key", provider.Func(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("Post \"https://u:echo-secret-in-a-url@h/\": no route")
		}), "no route"},
		{"neither an answer nor an error", provider.Func(func(*http.Request) (*http.Response, error) { return nil, nil }), "neither a response nor an error"},
		{"an answer that is cut", provider.Func(func(req *http.Request) (*http.Response, error) {
			req.URL.Host = strings.TrimPrefix(cut.URL, "http://")
			return http.DefaultTransport.RoundTrip(req)
		}), "the live answer broke off: unexpected EOF"},
		{"another recorder", provider.Func(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 418, Header: http.Header{promptecho.MissHeader: {"not recorded"}}, Body: http.NoBody, Request: req}, nil
		}), "it did not go to the network, but to another recorder, which has no recording of it (http.DefaultTransport, or the transport that Upstream sets, is that recorder): add promptecho.Upstream(new(http.Transport))"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := must.Open(t, recordedBy(t, s, "one"), promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(tt.upstream))
			must.Ask(t, r, s.URL, "one")
			err := r.Close()
			if err == nil || !strings.Contains(err.Error(), "1 model call sent again, but no live answer could be compared") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if strings.Contains(fmt.Sprint(err), "echo-secret") {
				t.Errorf("the error has the key: %v", err)
			}
		})
	}
}

// TestCompareTimeout: a provider that does not answer does not hang the test.
func TestCompareTimeout(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one", "two")
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})))
		must.Ask(t, r, s.URL, "one")
		must.Ask(t, r, s.URL, "two")
		start := time.Now()
		err := r.Close()
		if err == nil || strings.Count(err.Error(), "no answer after 2m0s") != 2 || time.Since(start) != 4*time.Minute {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

// TestCompareEditedRecording: a recording that somebody edited is compared as it was
// played. A secret in it is not shown.
func TestCompareEditedRecording(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := recordedBy(t, s, "one")
	must.Edit(t, file, "Hi one", "Hello, echo-secret-of-mine, one")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Redact("echo-secret-of-[a-z]+"))
	must.Ask(t, r, s.URL, "one")
	if said := compared(r); !strings.Contains(said, "1 benign") || !strings.Contains(said, "Hello, [REDACTED]") || strings.Contains(said, "echo-secret") {
		t.Errorf("said:\n%s", said)
	}
}

// TestCompareWithLive: functions that are live run, and nothing is saved of them.
func TestCompareWithLive(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, "Hi")
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *promptecho.Recorder) (runs int) {
		f := promptecho.Wrap(r, "tool/count", func(context.Context, int) (int, error) { runs++; return runs, nil })
		if _, err := f(t.Context(), 1); err != nil {
			t.Error(err)
		}
		must.Ask(t, r, s.URL, "one")
		return runs
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	run(r)
	must.Close(t, r)
	before := filesIn(t, filepath.Dir(file))
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Live("tool"))
	if runs := run(r); runs != 1 {
		t.Errorf("the live function ran %d times", runs)
	}
	if said := compared(r); !strings.Contains(said, "mode compare, 1 recorded answer: 1 identical") {
		t.Errorf("said:\n%s", said)
	}
	if after := filesIn(t, filepath.Dir(file)); !slices.Equal(before, after) {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
