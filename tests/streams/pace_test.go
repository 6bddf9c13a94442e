package streams_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A stream is replayed at once, and with Pace after its recorded delays times the factor.
// In a bubble of testing/synctest, the delays are exact and take no time.
func TestPaceReplaysRecordedDelays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		opts   []promptecho.Option
		factor float64
	}{
		{name: "without Pace", factor: 0},
		{name: "Pace(0)", opts: []promptecho.Option{promptecho.Pace(0)}, factor: 0},
		{name: "Pace(1)", opts: []promptecho.Option{promptecho.Pace(1)}, factor: 1},
		{name: "Pace(0.5)", opts: []promptecho.Option{promptecho.Pace(0.5)}, factor: 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := slowCassette(t, "")
			synctest.Test(t, func(t *testing.T) {
				rec := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeNone))...)
				began := time.Now()
				resp := openSlowStream(t, t.Context(), rec)
				arrivals := []time.Duration{time.Since(began)}
				for p := make([]byte, 1000); ; {
					_, err := resp.Body.Read(p)
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					arrivals = append(arrivals, time.Since(began))
				}
				var want []time.Duration
				for _, ms := range []float64{500, 1500, 40500} { // headers, first event, the other two together
					want = append(want, time.Duration(tt.factor*ms*float64(time.Millisecond)))
				}
				if !slices.Equal(arrivals, want) {
					t.Errorf("arrivals %v, want %v", arrivals, want)
				}
				must.Close(t, rec)
			})
		})
	}
}

// slowCassette writes a cassette of one stream: headers after 500 ms, an event 1 s later, and two
// events 39 s after that. Lines are added to the answer.
func slowCassette(t *testing.T, lines string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	text := `version: 1
interactions:
  - kind: llm
    boundary: openai.chat
    request:
      method: POST
      url: ` + must.ChatURL + `
      body: {model: m, stream: true, messages: [{role: user, content: hi}]}
    response:
      status: 200
` + lines + `      headers: {content-type: text/event-stream}
      stream: sse
      events:
      - {data: {n: 1}}
      - {data: {n: 2}}
      - {data: {n: 3}}
      delays_ms: [1000, 39000, +]
    latency_ms: 500
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// openSlowStream sends the request of slowCassette.
func openSlowStream(t *testing.T, ctx context.Context, rec *promptecho.Recorder) *http.Response {
	t.Helper()
	req := must.NewRequest(t, ctx, "POST", must.ChatURL, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	resp, err := rec.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// A deadline passes in the middle of a stream that is replayed with its delays.
func TestDeadlinePassesDuringAPacedStream(t *testing.T) {
	t.Parallel()
	file := slowCassette(t, "")
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		pieces, err := readPieces(openSlowStream(t, ctx, rec).Body)
		took := time.Since(began)
		if !errors.Is(err, context.DeadlineExceeded) || len(pieces) != 1 || took != 10*time.Second {
			t.Errorf("%d pieces, %v after %v", len(pieces), err, took)
		}
		must.Close(t, rec)
	})
}

// A stream that is replayed with its delays ends at once when it is closed.
func TestCloseEndsAPacedStreamAtOnce(t *testing.T) {
	t.Parallel()
	file := slowCassette(t, "")
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
		resp := openSlowStream(t, t.Context(), rec)
		time.AfterFunc(5*time.Second, func() { resp.Body.Close() }) // a stop button
		began := time.Now()
		pieces, err := readPieces(resp.Body)
		took := time.Since(began)
		if !errors.Is(err, net.ErrClosed) || len(pieces) != 1 || took != 5*time.Second {
			t.Errorf("%d pieces, %v after %v", len(pieces), err, took)
		}
		must.Close(t, rec)
	})
}
