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

// With AllowRepeats a request gets its own last recording again, before that of a request that differs.
func TestRepeatedRequestGetsItsOwnLastRecording(t *testing.T) {
	t.Parallel()
	seed1, seed2 := must.Chat(`,"seed":1`), must.Chat(`,"seed":2`)
	r := replay(t,
		must.RecordAnswers(t, []string{`"one"`, `"two"`}, []must.Request{seed1, seed2}),
		promptecho.AllowRepeats())
	for range 3 {
		if got := seed1.Ask(t, r); got != `"one"` {
			t.Errorf("seed 1 got %s", got)
		}
	}
	for range 2 {
		if got := seed2.Ask(t, r); got != `"two"` {
			t.Errorf("seed 2 got %s", got)
		}
	}
	if got := must.Chat(`,"seed":3`).Ask(t, r); got != `"one"` && got != `"two"` {
		t.Errorf("seed 3 got %s", got)
	}
	must.Close(t, r)
}

// A repeated answer has the same headers and pieces each time, whatever other clients did to it.
func TestRepeatedAnswerStaysTheSame(t *testing.T) {
	t.Parallel()
	events := []string{"data: {\"n\":1}\n\n", "event: x\ndata: {\"n\":[1,2,3]}\n\n", "data: [DONE]\n\n"}
	want := map[string]string{
		"/whole":  `application/json req_1|{"b":1, "a":"two"}`,
		"/stream": "text/event-stream req_1|" + strings.Join(events, "|"),
	}
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp := &http.Response{
			StatusCode:    http.StatusOK,
			Header:        http.Header{"X-Request-Id": {"req_1"}},
			ContentLength: -1,
			Request:       req,
		}
		if req.URL.Path == "/whole" {
			resp.Header.Set("Content-Type", "application/json")
			resp.Body = io.NopCloser(strings.NewReader(`{"b":1, "a":"two"}`))
			return resp, nil
		}
		var readers []io.Reader
		for _, event := range events {
			readers = append(readers, strings.NewReader(event))
		}
		resp.Header.Set("Content-Type", "text/event-stream")
		resp.Body = io.NopCloser(io.MultiReader(readers...))
		return resp, nil
	})

	file := filepath.Join(t.TempDir(), "c.yaml")
	r := recordAll(t, file, promptecho.Upstream(upstream))
	for path := range want {
		readPieces(t, r, path)
	}
	must.Close(t, r)

	r = replay(t, file, promptecho.AllowRepeats())
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 8 {
				for path, want := range want {
					if got := readPieces(t, r, path); got != want {
						t.Errorf("%s: %q, want %q", path, got, want)
					}
				}
			}
		})
	}
	clients.Wait()
	must.Close(t, r)
}

// readPieces returns two headers of an answer and what each Read of its body gives. It overwrites
// the header and the buffer, as a client may.
func readPieces(t *testing.T, r *promptecho.Recorder, path string) string {
	t.Helper()
	resp, err := r.Client().Get("http://h.example.com" + path)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	text := resp.Header.Get("Content-Type") + " " + resp.Header.Get("X-Request-Id")
	clear(resp.Header["X-Request-Id"])
	buf := make([]byte, 1000)
	for err == nil {
		var n int
		n, err = resp.Body.Read(buf)
		text += "|" + string(buf[:n])
		clear(buf)
	}
	if err != io.EOF {
		t.Error(err)
	}
	return strings.TrimRight(text, "|")
}
