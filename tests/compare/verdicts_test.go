package compare_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An answer that drifted fails the test; an answer in other words does not.
func TestDriftFailsTheTest(t *testing.T) {
	t.Parallel()
	chat := func(text, reason string) http.RoundTripper {
		return provider.Says(fmt.Sprintf(`{"id":"chatcmpl-7","model":"m-1","choices":[`+
			`{"message":{"content":%q},"finish_reason":%q}]}`, text, reason))
	}
	for _, tt := range []struct {
		name  string
		live  http.RoundTripper
		note  string
		fails bool
	}{
		{name: "only the ID differs", live: chat("Hi one", "stop"), note: "1 identical"},
		{name: "other words", live: chat("Hello one", "stop"), note: "1 benign"},
		{name: "another finish reason", live: chat("Hi one", "length"), note: "1 drift", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newChatServer(t)
			r := must.Open(t, s.record(t, "one"),
				promptecho.InMode(promptecho.ModeCompare),
				promptecho.Upstream(tt.live))
			must.Ask(t, r, s.URL, "one")
			rep := must.Finish(r, report.Outcome{})
			if notes := strings.Join(rep.Notes, "\n"); !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
			if fails := len(rep.Errors) > 0; fails != tt.fails {
				t.Errorf("errors %q", rep.Errors)
			}
		})
	}
}

// If no call could be compared, the test fails, and the error says why.
func TestRunFailsIfNothingCouldBeCompared(t *testing.T) {
	t.Parallel()
	s, breaking := newChatServer(t), newChatServer(t)
	breaking.breaksOff = true
	const summary = "1 model call sent again, but no live answer could be compared"
	for _, tt := range []struct {
		name string
		live http.RoundTripper
		want string
	}{
		{
			name: "the error contains the key",
			live: provider.Fails(errors.New(`Post "https://u:echo-secret-in-a-url@h/": no route`)),
			want: "no route",
		},
		{
			name: "neither an answer nor an error",
			live: provider.Func(func(*http.Request) (*http.Response, error) { return nil, nil }),
			want: "neither a response nor an error",
		},
		{
			name: "the answer breaks off",
			live: provider.Func(func(req *http.Request) (*http.Response, error) {
				req.URL.Host = strings.TrimPrefix(breaking.URL, "http://")
				return http.DefaultTransport.RoundTrip(req)
			}),
			want: "the live answer broke off: unexpected EOF",
		},
		{
			name: "another recorder answers",
			live: provider.Func(func(req *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusTeapot,
					Header:     http.Header{promptecho.MissHeader: {"not recorded"}},
					Body:       http.NoBody,
					Request:    req,
				}, nil
			}),
			want: "it did not go to the network, but to another recorder, which has no recording of it " +
				"(http.DefaultTransport, or the transport that Upstream sets, is that recorder): " +
				"add promptecho.Upstream(new(http.Transport))",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := must.Open(t, s.record(t, "one"),
				promptecho.InMode(promptecho.ModeCompare),
				promptecho.Upstream(tt.live))
			must.Ask(t, r, s.URL, "one")
			err := r.Close()
			if err == nil || !strings.Contains(err.Error(), summary) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if strings.Contains(fmt.Sprint(err), "echo-secret") {
				t.Errorf("the error has the key: %v", err)
			}
		})
	}
}

// Mode compare waits at most two minutes for each live answer.
func TestLiveAnswerHasTwoMinutes(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	file := s.record(t, "one", "two")
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(provider.Hangs))
		must.Ask(t, r, s.URL, "one")
		must.Ask(t, r, s.URL, "two")
		start := time.Now()
		err := r.Close()
		took := time.Since(start)
		if err == nil || strings.Count(err.Error(), "no answer after 2m0s") != 2 || took != 4*time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// The calls of a test that panicked are not sent.
func TestPanickedTestIsNotCompared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		end   func() // of the test
		notes []string
		sent  int
	}{
		{
			name:  "it panicked",
			end:   func() { panic("in the test") },
			notes: []string{"1 not sent", "the test panicked"},
		},
		{
			name:  "it came to its end",
			end:   func() {},
			notes: []string{"1 identical"},
			sent:  1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newChatServer(t)
			file := s.record(t, "one")
			note := ""
			done := make(chan bool)
			go func() {
				defer close(done)
				defer func() { recover() }()
				r, err := promptecho.Open(file,
					promptecho.InMode(promptecho.ModeCompare),
					promptecho.Log(func(text string) { note = text }))
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				must.Ask(t, r, s.URL, "one")
				tt.end()
			}()
			<-done
			for _, want := range tt.notes {
				if !strings.Contains(note, want) {
					t.Errorf("note %q, want %q", note, want)
				}
			}
			if got := s.got(); len(got) != tt.sent {
				t.Errorf("sent %q, want %d", got, tt.sent)
			}
		})
	}
}

// An answer that was edited in the cassette is compared as it was replayed, with its secrets hidden.
func TestEditedRecordingIsComparedAsItWasReplayed(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	file := s.record(t, "one")
	must.Edit(t, file, "Hi one", "Hello, echo-secret-of-mine, one")
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeCompare),
		promptecho.Redact("echo-secret-of-[a-z]+"))
	must.Ask(t, r, s.URL, "one")
	messages := finish(r)
	if !strings.Contains(messages, "1 benign") || !strings.Contains(messages, "Hello, [REDACTED]") {
		t.Errorf("messages:\n%s", messages)
	}
	if strings.Contains(messages, "echo-secret") {
		t.Errorf("the secret is shown:\n%s", messages)
	}
}
