package exchange

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

const events = "data: {\"n\":1}\n\ndata: [DONE]\n\n"

// A captured response is finished once, at whatever comes first, with how it ended; the
// client sees what it would see without.
func TestCaptureEnds(t *testing.T) {
	t.Parallel()
	sse := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	atLeast := func(b io.Reader, n int) { io.ReadFull(b, make([]byte, n)) }
	for name, tt := range map[string]struct {
		serve     func(w http.ResponseWriter, r *http.Request)
		use       func(body io.ReadCloser, cancel func(), p *Pending)
		end, err  string // of the stored response; err is a part
		events    int
		body      string
		nothingOf string // a header that is not stored
	}{
		"read to the end": {
			serve: func(w http.ResponseWriter, r *http.Request) { sse(w, events) },
			use:   func(b io.ReadCloser, _ func(), _ *Pending) { io.ReadAll(b); b.Close() }, events: 2,
		},
		"closed at the last event": {
			serve: func(w http.ResponseWriter, r *http.Request) { sse(w, events); <-r.Context().Done() },
			use:   func(b io.ReadCloser, _ func(), _ *Pending) { atLeast(b, len(events)); b.Close() }, events: 2,
		},
		"closed before": {
			serve: func(w http.ResponseWriter, r *http.Request) { sse(w, events[:20]); <-r.Context().Done() },
			use:   func(b io.ReadCloser, _ func(), _ *Pending) { atLeast(b, 20); b.Close(); b.Close() }, events: 2, end: interaction.EndClosed,
		},
		"left open": {
			serve: func(w http.ResponseWriter, r *http.Request) { sse(w, events[:20]); <-r.Context().Done() },
			use:   func(b io.ReadCloser, _ func(), p *Pending) { atLeast(b, 20); p.Close(); b.Close() }, events: 2, end: interaction.EndClosed,
		},
		"canceled": {
			serve: func(w http.ResponseWriter, r *http.Request) { sse(w, events[:20]); <-r.Context().Done() },
			use:   func(b io.ReadCloser, cancel func(), _ *Pending) { atLeast(b, 20); cancel(); io.ReadAll(b) }, events: 2, end: interaction.EndClosed, err: "context canceled",
		},
		"broken off": {
			serve: func(w http.ResponseWriter, r *http.Request) { sse(w, events[:20]); panic(http.ErrAbortHandler) },
			use:   func(b io.ReadCloser, _ func(), _ *Pending) { io.ReadAll(b); b.Close() }, events: 2, end: interaction.EndError, err: "unexpected EOF",
		},
		"a JSON value, closed behind it": {
			serve: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{} ")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			},
			use: func(b io.ReadCloser, _ func(), _ *Pending) { atLeast(b, 3); b.Close() }, body: "{} ",
		},
		"all that was announced": {
			serve: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "4")
				io.WriteString(w, "text")
			},
			use: func(b io.ReadCloser, _ func(), _ *Pending) { atLeast(b, 4); b.Close() }, body: "text", nothingOf: "content-length",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(tt.serve))
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sent := time.Now()
			req, err := http.NewRequestWithContext(ctx, "POST", server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			var got interaction.Response
			var finished atomic.Int32
			var pending Pending
			Capture(resp, sent, Sink{DropsHeader: func(string) bool { return false },
				Moment:      func() int { return 0 },
				Finish:      func(resp *interaction.Response, _ int64, _ []int) { finished.Add(1); got = *resp },
				IsLastEvent: func(value string) bool { return value == "[DONE]" },
				Pending:     &pending,
			})
			kind := resp.Header.Get("Content-Type")
			resp.Header["Content-Type"][0] = "changed by the client"
			tt.use(resp.Body, cancel, &pending)
			if finished.Load() != 1 {
				t.Fatalf("finished %d times", finished.Load())
			}
			if got.End != tt.end || got.Error != tt.err || len(got.Events) != tt.events || string(got.Body) != tt.body {
				t.Errorf("stored %+v", got)
			}
			if was := got.Headers.Get("content-type"); was != kind {
				t.Errorf("stored the content type %q, want %q", was, kind)
			}
			if tt.nothingOf != "" && got.Headers.Get(tt.nothingOf) != "" {
				t.Errorf("stored the header %s", tt.nothingOf)
			}
			if len(pending.all) > 0 {
				t.Error("it is pending although it is finished")
			}
		})
	}
}
