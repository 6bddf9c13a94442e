package limits

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestMain lets tests record, which CI does not.
func TestMain(m *testing.M) { environ.Main(m) }

// A provider counts its whole answers, which have 13 tokens each.
func provider(t *testing.T, answered *atomic.Int32) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const answer = `{"id":"chatcmpl-%d","choices":[{"message":{"role":"assistant","content":"yes"}}],` +
			`"usage":{"prompt_tokens":10,"completion_tokens":3}}`
		fmt.Fprintf(w, answer, answered.Add(1))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// startFor starts a server for recorders that this test opens.
func startFor(t *testing.T, l Limits) *Server {
	t.Helper()
	s, err := Start(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	name, value, _ := strings.Cut(s.Env(), "=")
	t.Setenv(name, value)
	return s
}

// open opens a recorder.
func open(t *testing.T, file string) *promptecho.Recorder {
	t.Helper()
	rec, err := promptecho.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// send sends a prompt, and returns the status of the response.
func send(t *testing.T, rec *promptecho.Recorder, url, prompt string) (status int) {
	t.Helper()
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, prompt)
	resp, err := rec.Client().Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// A budget that ends while a good cassette is recorded again leaves the cassette as it is, and the next run
// pays only for the rest.
func TestBudgetKeepsTheCassetteAndTheAnswers(t *testing.T) {
	var paid atomic.Int32
	url := provider(t, &paid)
	file := filepath.Join(t.TempDir(), "c.yaml")
	t.Setenv("PROMPTECHO_MODE", "all")
	rec := open(t, file)
	send(t, rec, url, "one")
	send(t, rec, url, "two")
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	s := startFor(t, Limits{MaxTokens: 20})
	rec = open(t, file)
	if one, two := send(t, rec, url, "one"), send(t, rec, url, "two"); one != 200 || two != 418 {
		t.Errorf("the requests get status %d and %d", one, two)
	}
	err = rec.Close()
	if err == nil || !strings.Contains(err.Error(), "the budget of this run (-max-tokens) does not allow another request: "+
		"13 of 20 tokens used, and it may need 13 more") {
		t.Errorf("the run ends with %v", err)
	}
	after, err := os.ReadFile(file)
	if err != nil || string(after) != string(before) {
		t.Errorf("the cassette has changed: %v\n%s", err, after)
	}
	if r := s.Report(); r.Tokens != 13 || r.Sent != 1 {
		t.Errorf("the report is %+v", r)
	}

	startFor(t, Limits{})
	rec = open(t, file)
	send(t, rec, url, "one")
	send(t, rec, url, "two")
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	if n := paid.Load(); n != 4 {
		t.Errorf("%d answers were paid, want 4: two, one, and the rest of the second run", n)
	}
	if _, err := os.Stat(file + ".partial"); !os.IsNotExist(err) {
		t.Errorf("the journal is left: %v", err)
	}
}

// A request in a synctest bubble waits for its permit outside of the bubble, and does not hang.
func TestRequestInABubbleGetsItsPermit(t *testing.T) {
	var paid atomic.Int32
	url := provider(t, &paid)
	s := startFor(t, Limits{PerSecond: 1000, MaxTokens: 1000})
	file := filepath.Join(t.TempDir(), "c.yaml")
	t.Setenv("PROMPTECHO_MODE", "new_episodes")
	synctest.Test(t, func(t *testing.T) {
		rec := open(t, file)
		for i := range 3 {
			if status := send(t, rec, url, fmt.Sprint(i)); status != 200 {
				t.Errorf("status %d", status)
			}
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
	if r := s.Report(); r.Sent != 3 {
		t.Errorf("the report is %+v", r)
	}
}

// A client that cancels its request while it waits for the budget gets its own error, and another request goes
// on.
func TestCanceledRequestLeavesTheQueue(t *testing.T) {
	var paid atomic.Int32
	url := provider(t, &paid)
	s := startFor(t, Limits{MaxTokens: 1000})
	t.Setenv("PROMPTECHO_MODE", "new_episodes")
	blocking := ask("another test") // nothing is known of its costs yet, so others wait
	p, _ := s.ledger.admit(t.Context(), blocking)

	rec := open(t, filepath.Join(t.TempDir(), "c.yaml"))
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"late"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := rec.Client().Do(req)
		ended <- err
	}()
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("the client gets %v", err)
	}

	s.ledger.end(p, answered(13))
	if status := send(t, rec, url, "next"); status != 200 || paid.Load() != 1 {
		t.Errorf("status %d, %d answers", status, paid.Load())
	}
	rec.Close()
}
