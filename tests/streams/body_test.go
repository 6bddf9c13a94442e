package streams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A replayed answer and its body keep to the contract of net/http.
func TestReplayedBodyKeepsToTheContractOfNetHTTP(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a", "b")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	ask := func(ctx context.Context, prompt string) (*http.Request, *http.Response) {
		req := must.NewRequest(t, ctx, "POST", base+"/v1/chat/completions", must.ChatBody(prompt))
		resp, err := rec.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return req, resp
	}

	req, resp := ask(t.Context(), "a")
	if resp.Request != req {
		t.Error("the answer has another request")
	}
	if resp.Status != "200 OK" || resp.Proto != "HTTP/1.1" || resp.ProtoMajor != 1 {
		t.Errorf("%s %s", resp.Proto, resp.Status)
	}
	if resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("Date") != "" {
		t.Errorf("headers %v", resp.Header)
	}
	if n, err := resp.Body.Read(nil); n != 0 || err != nil {
		t.Errorf("an empty Read gave %d, %v", n, err)
	}
	if n, err := resp.Body.Read(make([]byte, 3)); n != 3 || err != nil {
		t.Errorf("a short Read gave %d, %v", n, err)
	}
	resp.Body.Close()
	resp.Body.Close() // is harmless
	_, err := resp.Body.Read(make([]byte, 1))
	if err == nil || err.Error() != "http: read on closed response body" {
		t.Errorf("Read after Close: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, resp = ask(ctx, "b")
	resp.Header.Set("X-Request-Id", "changed by the SDK")
	cancel()
	// net/http has such a short answer in a buffer: of 500 reads after cancel, all succeed.
	if answer, err := io.ReadAll(resp.Body); err != nil || !json.Valid(answer) {
		t.Errorf("Read after cancel: %q, %v", answer, err)
	}
	must.Close(t, rec)
}

// JSON that YAML cannot have as structure is text in a cassette, and comes back byte for byte.
func TestUnusualJSONComesBackByteForByte(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body string }{
		{name: "a member twice", body: `{"model":"m","a":1, "b":2,"a":3}`},
		{name: "a name of more than 256 bytes", body: `{"` + strings.Repeat("k", 257) + `":1}`},
		{name: "more than 64 levels", body: strings.Repeat("[", 66) + strings.Repeat("]", 66)},
		{name: "half of a surrogate pair", body: `{"a":"\ud800"}`},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(tt.body)))
			status, got := must.Post(t, rec, "https://h.example/v1/x", tt.body)
			if status != 200 || got != tt.body {
				t.Errorf("%s, mode %s: status %d, %q, want %q", tt.name, mode, status, got, tt.body)
			}
			must.Pass(t, rec)
		}
		text := must.Read(t, file)
		if texts := regexp.MustCompile(`body: ['"]`).FindAllString(text, -1); len(texts) != 2 {
			t.Errorf("%s: the bodies of the request and the answer are not both text:\n%s", tt.name, text)
		}
	}
}

// A redirect is followed in replay as it was recorded, and each hop is a recording of its own.
func TestRedirectIsFollowedInReplay(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			http.Redirect(w, r, "/v2/chat/completions", http.StatusPermanentRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q,"bytes":%d}`, r.URL.Path, len(body))
	}))
	defer server.Close()
	want := fmt.Sprintf(`{"path":"/v2/chat/completions","bytes":%d}`, len(must.ChatBody("hi")))
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode))
		if status, body := must.Ask(t, rec, server.URL, "hi"); status != 200 || body != want {
			t.Errorf("%s: %d %s, want %s", mode, status, body, want)
		}
		must.Close(t, rec)
		server.Close()
	}
	if n := len(must.Load(t, file).Interactions); n != 2 {
		t.Errorf("%d interactions, want 2", n)
	}
}

// A Retry-After that the client obeyed is 0 in replay, so that no test waits; else it is as recorded.
func TestRetryAfterIsZeroInReplay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		requests   int // the second one is the retry
		opts       []promptecho.Option
		retryAfter string // in replay
	}{
		{name: "the client retried", requests: 2, retryAfter: "0"},
		{name: "the client gave up", requests: 1, retryAfter: "60"},
		{
			name:       "the client retried, with Pace",
			requests:   2,
			opts:       []promptecho.Option{promptecho.Pace(1)},
			retryAfter: "60",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := fakeprovider.New()
			defer p.Close()
			p.Fail(1, http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}})
			file := filepath.Join(t.TempDir(), "c.yaml")
			run := func(mode promptecho.Mode, retryAfter string) {
				t.Helper()
				opts := append(tt.opts, promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep))
				rec := must.Open(t, file, opts...)
				for i := range tt.requests {
					body := strings.NewReader(must.ChatBody("x"))
					req, _ := http.NewRequestWithContext(t.Context(), "POST", p.URL+"/v1/chat/completions", body)
					req.Header.Set("Authorization", "Bearer echo-secret-of-retries")
					resp, err := rec.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					isRetry := i == 1
					if isRetry {
						if resp.StatusCode != 200 {
							t.Errorf("mode %s: the retry has status %d", mode, resp.StatusCode)
						}
						continue
					}
					if resp.StatusCode != 429 {
						t.Errorf("mode %s: status %d, want 429", mode, resp.StatusCode)
					}
					if got := resp.Header.Get("Retry-After"); got != retryAfter {
						t.Errorf("mode %s: Retry-After %q, want %q", mode, got, retryAfter)
					}
				}
				must.Close(t, rec)
			}
			run(promptecho.ModeAll, "60")
			run(promptecho.ModeNone, tt.retryAfter)
		})
	}
}

// An event replays although its first field is named "sent". In a cassette, a message of a client begins with
// that name.
func TestEventWithAFieldSentReplays(t *testing.T) {
	t.Parallel()
	const url = "https://mail.test/outbox"
	const body = "sent: letter\nid: 1\n\nsent: \n\ndata: {}\n\n"
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: 200,
			Header:     http.Header{"Content-Type": {"text/event-stream"}},
			Body:       io.NopCloser(strings.NewReader(body)),
			Request:    req,
		}, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		if got := must.Get(t, rec, url); got != body {
			t.Errorf("mode %s: %q", mode, got)
		}
		must.Close(t, rec)
	}
}

// A connection that switches protocols is passed on, is not recorded, and fails the run.
func TestConnectionThatSwitchesProtocolsIsNotRecorded(t *testing.T) {
	t.Parallel()
	const url = "https://api.openai.com/v1/realtime"
	conn := io.NopCloser(strings.NewReader("")) // stands for the connection
	upstream := provider.Func(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 101, Body: conn, Header: http.Header{}}, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	if resp := roundTrip(t, t.Context(), rec, "GET", url); resp.Body != conn {
		t.Errorf("body %T: want the body as it came", resp.Body)
	}
	want := file + ": GET " + url + " switched to another protocol (status 101), so its answer is not recorded: " +
		"use a client without the recorder for this connection"
	if rep := must.Finish(rec, report.Outcome{}); !slices.Equal(rep.Errors, []string{want}) {
		t.Errorf("report %+v", rep)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was recorded: %v", err)
	}
}
