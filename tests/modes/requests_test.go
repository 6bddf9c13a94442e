package modes_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// textsOf returns the texts of requests.
func textsOf(list []*promptecho.Request) (texts []string) {
	for _, r := range list {
		texts = append(texts, r.Text())
	}
	return texts
}

// Requests has what the program sent, in the order of its arrival and without secrets, in every
// mode that replays, records or passes.
func TestRequestsAreTheSameInEveryMode(t *testing.T) {
	t.Parallel()
	const secret = "a-long-token-of-a-test"
	recorded := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{
		promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeNewEpisodes,
		promptecho.ModeUpdate, promptecho.ModeCompare, promptecho.ModeLive,
	} {
		rec := must.Open(t, recorded, promptecho.InMode(mode), promptecho.Upstream(provider.Func(
			func(req *http.Request) (*http.Response, error) {
				_, _ = io.Copy(io.Discard, req.Body)
				return provider.Says(`{"ok":true}`).RoundTrip(req)
			})))
		temperature := "0.5"
		if mode != promptecho.ModeAll {
			temperature = "0.75" // the recording is found by the form of the request
		}
		must.Ask(t, rec, "http://h", "first")
		must.Post(t, rec, must.ChatURL, `{"model":"m","temperature":`+temperature+
			`,"messages":[{"role":"user","content":"second, `+secret+`"}]}`, "Authorization", "Bearer "+secret)
		must.Ask(t, rec, "http://h", "third")

		requests := rec.Requests()
		want := []string{"first", "second, [REDACTED]", "third"}
		if got := textsOf(requests); !slices.Equal(got, want) {
			t.Fatalf("mode %s: %q, want %q", mode, got, want)
		}
		second := requests[1]
		if got := string(second.Settings["temperature"]); got != temperature {
			t.Errorf("mode %s: temperature %s, want %s", mode, got, temperature)
		}
		if second.Model != "m" || second.Endpoint != "openai.chat" || second.Header.Get("Authorization") != "" {
			t.Errorf("mode %s: %+v", mode, second)
		}
		must.Close(t, rec)
		if got := rec.Requests(); got != nil {
			t.Errorf("mode %s: %q after Close", mode, textsOf(got))
		}
	}
}

// A request that had no recording is among the requests, once for each time that it was sent.
func TestMissedRequestsAreAmongTheRequests(t *testing.T) {
	t.Parallel()
	rec := must.Open(t, must.Save(t, must.Chats("first", `{"ok":true}`)), promptecho.InMode(promptecho.ModeNone))
	must.WantMiss(t, rec, "http://h", "other")
	must.Ask(t, rec, "http://h", "first")
	must.WantMiss(t, rec, "http://h", "other")
	want := []string{"other", "first", "other"}
	if got := textsOf(rec.Requests()); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_ = rec.Close()
}

// A secret that becomes known after a request was sent is not in the request either.
func TestRequestsHaveNoSecretThatIsKnownLater(t *testing.T) {
	// Not parallel: it sets the environment.
	const later = "a-secret-known-later"
	t.Setenv("PROMPTECHO_TEST_KEY", later)
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeAll, promptecho.ModeLive} {
		rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(mode),
			promptecho.Upstream(provider.InTurn(`{}`)))
		must.Ask(t, rec, "http://h", "say "+later)
		rec.Secret("PROMPTECHO_TEST_KEY")
		if got := textsOf(rec.Requests()); !slices.Equal(got, []string{"say [REDACTED]"}) {
			t.Errorf("mode %s: %q", mode, got)
		}
		_ = rec.Close()
	}
}

// Calls of functions and requests to a server of PassThrough are not among the requests, but
// requests that a function sends are.
func TestRequestsLeaveOutFunctionsAndServersThatPass(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeLive} {
		rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(mode),
			promptecho.Upstream(provider.InTurn(`{}`, `{}`)), promptecho.PassThrough("passes.example.com"))
		call := promptecho.Wrap(rec, "tool/f", func(ctx context.Context, in string) (string, error) {
			must.PostIn(t, ctx, rec, must.ChatURL, must.ChatBody(in))
			return in, nil
		})
		if _, err := call(t.Context(), "inside"); err != nil {
			t.Fatal(err)
		}
		must.Post(t, rec, "http://passes.example.com/v1/chat/completions", must.ChatBody("passing"))
		if got := textsOf(rec.Requests()); !slices.Equal(got, []string{"inside"}) {
			t.Errorf("mode %s: %q", mode, got)
		}
		must.Close(t, rec)
	}
}

// In mode live, a request whose body is written while it is sent is among the requests, too.
func TestRequestsOfModeLiveHaveStreamedBodies(t *testing.T) {
	t.Parallel()
	server := provider.New(t)
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeLive))
	body, w := io.Pipe()
	go func() {
		io.WriteString(w, must.ChatBody("in"))
		w.Close()
	}()
	req, err := http.NewRequest("POST", server.URL+"/v1/chat/completions", body)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := must.Fetch(rec.Client(), req); err != nil || !strings.Contains(answer, "in") {
		t.Errorf("%s, %v", answer, err)
	}
	must.Post(t, rec, server.URL+"/v1/chat/completions", must.ChatBody("whole"))
	if got := textsOf(rec.Requests()); !slices.Equal(got, []string{"in", "whole"}) {
		t.Errorf("%q", got)
	}
	must.Close(t, rec)
}

// Requests may be called while other goroutines send requests.
func TestRequestsWhileOthersAreSent(t *testing.T) {
	t.Parallel()
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(provider.Says(`{}`)))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			must.Ask(t, rec, "http://h", fmt.Sprint("prompt ", i))
			rec.Requests()
		})
	}
	wg.Wait()
	texts := textsOf(rec.Requests())
	slices.Sort(texts)
	if n := len(slices.Compact(texts)); n != 20 {
		t.Errorf("%d requests: %q", n, texts)
	}
	must.Close(t, rec)
}

// A nil recorder has no requests.
func TestNilRecorderHasNoRequests(t *testing.T) {
	t.Parallel()
	var rec *promptecho.Recorder
	if got := rec.Requests(); got != nil {
		t.Errorf("%v", got)
	}
}
