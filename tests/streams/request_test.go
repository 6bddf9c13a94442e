package streams_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The recorder changes nothing in a request, closes its body, and writes none of its credentials.
func TestRequestIsNotChanged(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeLive} {
		r := must.Open(t, file, promptecho.InMode(mode))
		body := &closedBody{Reader: strings.NewReader(must.ChatBody("x"))}
		address := u.URL + "/v1/chat/completions?key=echo-secret-query"
		req, err := http.NewRequestWithContext(t.Context(), "POST", address, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer echo-secret-header")
		req.Header.Set("Accept-Encoding", "gzip")
		req.ContentLength = int64(len(must.ChatBody("x")))
		describe := func() string {
			return fmt.Sprintf("%v %v %v %v", req.URL, req.Header, req.ContentLength, req.Host)
		}
		before := describe()
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if after := describe(); after != before || req.Body != body {
			t.Errorf("%s: the request was changed:\n%s\n%s", mode, before, after)
		}
		if body.closed == 0 {
			t.Errorf("%s: the body was not closed", mode)
		}
		if mode != promptecho.ModeLive && resp.Request != req {
			t.Errorf("%s: the response is not of the request", mode)
		}
		must.Close(t, r)
	}
	if text := must.Read(t, file); strings.Contains(text, "echo-secret") {
		t.Errorf("a secret is on disk:\n%s", text)
	}
}

// A closedBody counts how often it is closed.
type closedBody struct {
	io.Reader
	closed int
}

func (b *closedBody) Close() error {
	b.closed++
	return nil
}

// A request whose body cannot be read fails with the body's error, and is not recorded.
func TestRequestWithAnUnreadableBodyFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.AllowUnused())
	unreadable := errors.New("unreadable")
	body := io.MultiReader(strings.NewReader("x"), provider.Broken{Err: unreadable})
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1:1/", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.RoundTrip(req); !errors.Is(err, unreadable) {
		t.Errorf("RoundTrip: %v", err)
	}
	must.Close(t, r)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was recorded")
	}
}

// Unusual requests are recorded and replayed, and none of them makes the recorder panic.
func TestUnusualRequestIsRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	base, err := url.Parse(u.URL)
	if err != nil {
		t.Fatal(err)
	}
	get := func(path, query string) *http.Request {
		address := &url.URL{Scheme: "http", Host: base.Host, Path: path, RawQuery: query}
		return &http.Request{Method: "GET", URL: address, Header: http.Header{}}
	}
	emptyHeaders := get("", "")
	emptyHeaders.Header = http.Header{"X-Api-Key": nil, "Content-Type": {}, "Accept": {""}}
	const brokenForm = "--x"
	for _, tt := range []struct {
		name  string
		req   *http.Request
		body  string
		fails bool
	}{
		{name: "no URL", req: &http.Request{Method: "POST", Header: http.Header{}}, fails: true},
		{
			name: "no body",
			req:  &http.Request{Method: "POST", URL: base, Header: http.Header{}, Body: http.NoBody},
		},
		{name: "a broken query", req: get("/", "%zz=;&&=&key")},
		{name: "a path with a control character", req: get("/a b/\x00/ü", "")},
		{name: "empty headers", req: emptyHeaders},
		{
			name: "a broken form",
			req: &http.Request{
				Method: "POST",
				URL:    base,
				Header: http.Header{"Content-Type": {"multipart/form-data"}},
			},
			body: brokenForm,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.AllowUnused())
				req := tt.req.Clone(t.Context())
				if tt.body != "" {
					req.Body = io.NopCloser(strings.NewReader(tt.body))
				}
				resp, err := r.RoundTrip(req)
				if (err != nil) != tt.fails {
					t.Errorf("mode %s: %v", mode, err)
				}
				if err == nil {
					answer, err := io.ReadAll(resp.Body)
					if err != nil || resp.StatusCode != http.StatusOK {
						t.Errorf("mode %s: %d %s %v", mode, resp.StatusCode, answer, err)
					}
					resp.Body.Close()
				}
				must.Close(t, r)
			}
		})
	}
}

// A retry whose body was already read is recorded with the whole body, as cohere-go sends it.
func TestRetryWithAReadBodyIsRecordedWhole(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	req := must.NewRequest(t, t.Context(), "POST", u.URL+"/v1/chat/completions", must.ChatBody("x"))
	for range 2 {
		resp, err := r.Client().Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	must.Close(t, r)
	if got := must.Prompts(t, file); got != "x x" {
		t.Errorf("recorded %q", got)
	}
}

// A request after the recorder is closed gets an answer that says so and stops retries.
func TestRequestAfterCloseIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	must.Close(t, r)
	body := strings.NewReader(must.ChatBody("a"))
	resp, err := r.Client().Post(base+"/v1/chat/completions", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(answer), "came after the recorder was closed") {
		t.Errorf("%s %v", answer, err)
	}
	if resp.Header.Get("X-Should-Retry") != "false" {
		t.Error("it can be retried")
	}
}
