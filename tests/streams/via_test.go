package streams_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Clients with transports of their own share one cassette: each request goes to its own upstream while
// recording, and none does in replay.
func TestViaSendsThroughTheTransportOfEachClient(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	fetch := func(rec *promptecho.Recorder, upstream http.RoundTripper) string {
		client := &http.Client{Transport: rec.Via(upstream)}
		resp, err := client.Get("https://api.example.com/name")
		if err != nil {
			t.Fatal(err)
		}
		return must.Body(t, resp)
	}

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("the recorder's")))
	for _, want := range []string{"first", "second"} {
		got := fetch(rec, provider.Says(want))
		if got != want {
			t.Errorf("recorded through another transport: got %q, want %q", got, want)
		}
	}
	got := fetch(rec, nil)
	if got != "the recorder's" {
		t.Errorf("Via(nil) got %q, want what the upstream of the recorder says", got)
	}
	must.Close(t, rec)

	unreachable := provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("a replay has called the transport")
		return nil, http.ErrServerClosed
	})
	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, want := range []string{"first", "second", "the recorder's"} {
		got := fetch(rec, unreachable)
		if got != want {
			t.Errorf("replay: got %q, want %q", got, want)
		}
	}
	must.Close(t, rec)
}

// A nil recorder sends requests of Via with the transport itself, so that production needs no other code.
func TestViaOfANilRecorderIsTheTransport(t *testing.T) {
	t.Parallel()
	var rec *promptecho.Recorder
	client := &http.Client{Transport: rec.Via(provider.Says("live"))}
	resp, err := client.Get("https://api.example.com/name")
	if err != nil {
		t.Fatal(err)
	}
	if got := must.Body(t, resp); got != "live" {
		t.Errorf("got %q", got)
	}
}

// An interceptor finds why its request is not recorded, and nothing in a response of a provider.
func TestMissOfAResponse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	get := func(rec *promptecho.Recorder, url string) *promptecho.MissError {
		resp, err := rec.Client().Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return promptecho.MissOf(resp)
	}
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("live")))
	if miss := get(rec, "https://api.example.com/name"); miss != nil {
		t.Errorf("a live response is a miss: %v", miss)
	}
	must.Close(t, rec)

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if miss := get(rec, "https://api.example.com/name"); miss != nil {
		t.Errorf("a recorded response is a miss: %v", miss)
	}
	miss := get(rec, "https://api.example.com/other")
	if miss == nil || miss.Request != "GET /other" {
		t.Errorf("got %v, want a miss of GET /other", miss)
	}
	if rec.Close() == nil {
		t.Error("the run did not fail")
	}
}
