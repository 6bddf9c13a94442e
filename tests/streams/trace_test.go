package streams_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A program that measures the time to the first byte with httptrace can do so in replay.
func TestTraceOfTheFirstByte(t *testing.T) {
	t.Parallel()
	file := must.RecordAnswers(t, []string{"{}"}, []must.Request{must.Chat("")})
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var events []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		WroteRequest:         func(httptrace.WroteRequestInfo) { events = append(events, "wrote the request") },
		GotFirstResponseByte: func() { events = append(events, "got the first byte") },
	})
	must.PostIn(t, ctx, rec, must.ChatURL, must.Chat("").Body)
	if want := []string{"wrote the request", "got the first byte"}; !slices.Equal(events, want) {
		t.Errorf("%q, want %q", events, want)
	}
	must.Close(t, rec)
}

// Interim answers reach the program while it records only, and trailers of requests decide nothing.
func TestInterimAnswersAndTrailersOfRequestsAreNotRecorded(t *testing.T) {
	t.Parallel()
	var trailer string // what the server got
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		trailer = req.Trailer.Get("X-Sum")
		w.WriteHeader(http.StatusEarlyHints)
		io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(mode promptecho.Mode, sum string) (interim int) {
		rec := must.Open(t, file, promptecho.InMode(mode))
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(int, textproto.MIMEHeader) error {
				interim++
				return nil
			},
		})
		req := must.NewRequest(t, ctx, "POST", server.URL, must.Chat("").Body)
		req.ContentLength = -1 // only a body in chunks can have trailers
		req.Trailer = http.Header{"X-Sum": {sum}}
		resp, err := rec.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != "{}" {
			t.Errorf("mode %s: %q, %v", mode, body, err)
		}
		must.Close(t, rec)
		return interim
	}
	if got := ask(promptecho.ModeAll, "a"); got != 1 || trailer != "a" {
		t.Errorf("while recording: %d interim answers, and the server got the trailer %q", got, trailer)
	}
	if got := ask(promptecho.ModeNone, "b"); got != 0 {
		t.Errorf("in replay: %d interim answers", got)
	}
}
