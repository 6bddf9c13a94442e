package compare_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Only model calls are sent again: after the test, in their order, one at a time.
//
// Other requests would have an effect twice.
func TestOnlyModelCallsAreSentAgain(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *promptecho.Recorder) {
		must.Ask(t, r, s.URL, "one")
		must.Post(t, r, s.URL+"/pay", `{"amount":5}`)
		must.Ask(t, r, s.URL, "two")
		must.RPC(s.URL+"/mcp", `"id":1,"method":"tools/call","params":{"name":"pay"}`).Ask(t, r)
		must.Post(t, r, s.URL+"/oauth2/token", `{"grant_type":"client_credentials"}`)
		must.Post(t, r, s.URL+"/v1/messages/batches", `{"requests":[]}`)
		must.Ask(t, r, s.URL, "three")
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	run(r)
	must.Close(t, r)
	s.forget()

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	if !r.Online() {
		t.Error("the run will send requests, and Online says that it does not")
	}
	run(r)
	if early := s.got(); len(early) > 0 {
		t.Fatalf("sent before the test was over: %q", early)
	}
	if messages := finish(r); !strings.Contains(messages, "mode compare, 3 recorded answers: 3 identical") {
		t.Errorf("messages:\n%s", messages)
	}
	if got := s.got(); !slices.Equal(got, []string{"one", "two", "three"}) || s.mostAtOnce != 1 {
		t.Errorf("sent again: %q, %d at once", got, s.mostAtOnce)
	}
}

// Concurrent model calls are all compared, one after the other.
func TestConcurrentCallsAreComparedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	var prompts []string
	for i := range 20 {
		prompts = append(prompts, fmt.Sprintf("question %d", i))
	}
	r := must.Open(t, s.record(t, prompts...), promptecho.InMode(promptecho.ModeCompare))
	var wg sync.WaitGroup
	for _, prompt := range prompts {
		wg.Go(func() { must.Ask(t, r, s.URL, prompt) })
	}
	wg.Wait()
	if messages := finish(r); !strings.Contains(messages, "20 identical") {
		t.Errorf("messages:\n%s", messages)
	}
	got := s.got()
	slices.Sort(got)
	slices.Sort(prompts)
	if !slices.Equal(got, prompts) || s.mostAtOnce != 1 {
		t.Errorf("sent %q, %d at once", got, s.mostAtOnce)
	}
}

// A recording that is replayed several times is compared once.
func TestRepeatedRecordingIsComparedOnce(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	r := must.Open(t, s.record(t, "one"),
		promptecho.InMode(promptecho.ModeCompare),
		promptecho.AllowRepeats())
	for range 3 {
		must.Ask(t, r, s.URL, "one")
	}
	if messages := finish(r); !strings.Contains(messages, "1 identical") || len(s.got()) != 1 {
		t.Errorf("sent %q, messages:\n%s", s.got(), messages)
	}
}

// A model call inside a recorded function is not sent again.
func TestCallInsideARecordedFunctionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *promptecho.Recorder) {
		summarize := promptecho.Wrap(r, "tool/summarize", func(ctx context.Context, text string) (string, error) {
			_, answer := must.PostIn(t, ctx, r, s.URL+"/v1/chat/completions", must.ChatBody(text))
			return answer, nil
		})
		if _, err := summarize(t.Context(), "inside"); err != nil {
			t.Error(err)
		}
		must.Ask(t, r, s.URL, "outside")
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	run(r)
	must.Close(t, r)
	s.forget()

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	run(r)
	rep := must.Finish(r, report.Outcome{})
	if len(rep.Errors) > 0 || !strings.Contains(strings.Join(rep.Notes, "\n"), ": 1 identical") {
		t.Errorf("%+v", rep)
	}
	if got := s.got(); !slices.Equal(got, []string{"outside"}) {
		t.Errorf("sent again: %q", got)
	}
}

// A call is sent again as the program sent it, whatever the program does with the request later.
//
// The program cancels the request, its client times out, and its URL and headers are used again.
func TestCallIsSentAgainAsItWasSent(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	r := must.Open(t, s.record(t, "one"), promptecho.InMode(promptecho.ModeCompare))
	ctx, cancel := context.WithCancel(t.Context())
	req := must.NewRequest(t, ctx, "POST", s.URL+"/v1/chat/completions", must.ChatBody("one"))
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
	if messages := finish(r); !strings.Contains(messages, "1 identical") {
		t.Errorf("messages:\n%s", messages)
	}
	if !slices.Equal(s.keys, []string{"Bearer echo-secret-one"}) {
		t.Errorf("the provider got %q", s.keys)
	}
}

// The real key is sent to the provider only; the report hides it even if an answer contains it.
func TestKeyIsSentButNotShown(t *testing.T) {
	// Not parallel: it sets the environment.
	const key = "echo-secret-compare-0123456789"
	t.Setenv("COMPARED_API_KEY", key)
	s := newChatServer(t)
	file := s.record(t, "one")
	s.text = "Your key is " + key
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	must.Post(t, r, s.URL+"/v1/chat/completions", must.ChatBody("one"),
		"Authorization", "Bearer "+r.Secret("COMPARED_API_KEY"))
	messages := finish(r)
	if !slices.Equal(s.keys, []string{"Bearer " + key}) {
		t.Errorf("the provider got %q", s.keys)
	}
	if !strings.Contains(messages, "1 benign") || !strings.Contains(messages, "[REDACTED]") {
		t.Errorf("messages:\n%s", messages)
	}
	if strings.Contains(messages, key) {
		t.Errorf("the key is shown:\n%s", messages)
	}
}

// Without the key nothing is sent, and the error names the empty variable.
func TestNothingIsComparedWithoutTheKey(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	file := s.record(t, "one", "two")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	r.Secret("NO_SUCH_API_KEY")
	must.Ask(t, r, s.URL, "one")
	must.Ask(t, r, s.URL, "two")
	rep := must.Finish(r, report.Outcome{})
	want := file + ": mode compare (InMode in the code) has to send a request, " +
		"but the environment variable NO_SUCH_API_KEY is empty: set it, or replay with PROMPTECHO_MODE=none"
	if len(rep.Errors) != 1 || rep.Errors[0] != want {
		t.Errorf("errors %q, want %q", rep.Errors, want)
	}
	if notes := strings.Join(rep.Notes, "\n"); !strings.Contains(notes, "2 not sent") {
		t.Errorf("notes %q", notes)
	}
	if got := s.got(); got != nil {
		t.Errorf("sent: %q", got)
	}
}

// Nothing is compared unless the code, a flag or the environment says so; in CI the code is not enough.
func TestModeCompareIsNeverADefault(t *testing.T) {
	// Not parallel: it sets the environment.
	s := newChatServer(t)
	file := s.record(t, "one")
	for _, tt := range []struct {
		name        string
		ci          string
		environment string            // PROMPTECHO_MODE
		option      promptecho.Option // in the code
		sent        int
	}{
		{name: "nothing says so"},
		{name: "nothing says so in CI", ci: "true"},
		{name: "the code says so in CI", ci: "true", option: promptecho.InMode(promptecho.ModeCompare)},
		{name: "the code says so", option: promptecho.InMode(promptecho.ModeCompare), sent: 1},
		{name: "the environment says so in CI", ci: "true", environment: "compare", sent: 1},
		{
			name:        "the environment says so, and the code allows no requests",
			environment: "compare",
			option:      promptecho.InMode(promptecho.ModeNone),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			t.Setenv("PROMPTECHO_MODE", tt.environment)
			s.forget()
			r := must.Open(t, file, tt.option)
			must.Ask(t, r, s.URL, "one")
			must.Close(t, r)
			if sent := len(s.got()); sent != tt.sent {
				t.Errorf("%d requests were sent, want %d", sent, tt.sent)
			}
		})
	}
}
