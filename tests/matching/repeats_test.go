package matching_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestRepeatedAnswers: an answer that is played again and again has the same headers and
// comes in the same pieces each time, to many goroutines at once, whatever they do to it.
func TestRepeatedAnswers(t *testing.T) {
	t.Parallel()
	events := []string{"data: {\"n\":1}\n\n", "event: x\ndata: {\"n\":[1,2,3]}\n\n", "data: [DONE]\n\n"}
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: 200, Request: req, ContentLength: -1, Header: http.Header{"Content-Type": {"text/event-stream"}, "X-Request-Id": {"req_1"}}}
		if req.URL.Path == "/whole" {
			resp.Header.Set("Content-Type", "application/json")
			resp.Body = io.NopCloser(strings.NewReader(`{"b":1, "a":"two"}`))
			return resp, nil
		}
		var readers []io.Reader
		for _, e := range events {
			readers = append(readers, strings.NewReader(e))
		}
		resp.Body = io.NopCloser(io.MultiReader(readers...))
		return resp, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(r *promptecho.Recorder, path string) string {
		resp, err := r.Client().Get("http://h.example.com" + path)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer resp.Body.Close()
		said := resp.Header.Get("Content-Type") + " " + resp.Header.Get("X-Request-Id")
		clear(resp.Header["X-Request-Id"])
		buf := make([]byte, 1000)
		for err == nil {
			var n int
			n, err = resp.Body.Read(buf)
			said += "|" + string(buf[:n])
			clear(buf)
		}
		if err != io.EOF {
			t.Error(err)
		}
		return strings.TrimRight(said, "|")
	}
	want := map[string]string{
		"/whole":  `application/json req_1|{"b":1, "a":"two"}`,
		"/stream": "text/event-stream req_1|" + strings.Join(events, "|"),
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	for path := range want {
		ask(r, path)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 8 {
				for path, want := range want {
					if got := ask(r, path); got != want {
						t.Errorf("%s: %q, want %q", path, got, want)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
