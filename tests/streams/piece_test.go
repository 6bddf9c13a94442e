package streams_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A client gets each event while it is recorded as soon as the server sends it.
func TestEventsComeLiveWhileTheyAreRecorded(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	resp, gate := holdStream(t, rec, p)
	readLive(t, resp.Body, gate)
	resp.Body.Close()
	must.Close(t, rec)
}

// holdStream asks for a stream of which the server sends the first event, and each other one when
// the gate is stepped.
func holdStream(t *testing.T, rec *promptecho.Recorder, p *fakeprovider.Server) (*http.Response, *fakeprovider.Gate) {
	t.Helper()
	gate := p.Hold()
	return openStream(t, t.Context(), rec, p.URL, "count to three"), gate
}

// readLive reads each of four events before the server has sent the next one, and then the rest to
// its end. Where an event does not come live, it blocks.
func readLive(t *testing.T, body io.Reader, gate *fakeprovider.Gate) (events []string) {
	t.Helper()
	events = []string{readEvent(t, body)}
	for range 3 {
		gate.Step()
		events = append(events, readEvent(t, body))
	}
	gate.Open()
	for !strings.Contains(events[len(events)-1], "[DONE]") {
		events = append(events, readEvent(t, body))
	}
	if _, err := body.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	return events
}

// A replayed stream has the recorded bytes, and events that came one by one are read one by one.
func TestReplayedStreamHasTheRecordedPieces(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	resp, gate := holdStream(t, rec, p)
	live := readLive(t, resp.Body, gate)
	resp.Body.Close()
	must.Close(t, rec)
	p.Close()

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	resp = openStream(t, t.Context(), rec, p.URL, "count to three")
	media := resp.Header.Get("Content-Type")
	if resp.ContentLength != -1 || media != "text/event-stream; charset=utf-8" {
		t.Errorf("ContentLength %d, Content-Type %q", resp.ContentLength, media)
	}
	pieces, err := readPieces(resp.Body)
	if err != io.EOF || strings.Join(pieces, "") != strings.Join(live, "") {
		t.Errorf("replayed %q, %v\nlive %q", pieces, err, live)
	}
	// The first four events came one by one.
	if len(pieces) < 4 || !slices.Equal(pieces[:4], live[:4]) {
		t.Errorf("replayed in pieces %q, live %q", pieces, live)
	}
	must.Close(t, rec)
}

// Streams of every framing are replayed in the pieces in which the server sent them.
func TestEveryFramingIsReplayedInItsPieces(t *testing.T) {
	t.Parallel()
	const contents = `{"contents":[{"role":"user","parts":[{"text":"hello there"}]}]}`
	const messages = `"messages":[{"role":"user","content":"hello there"}]`
	for _, tt := range []struct{ name, path, body, framing string }{
		{
			name:    "server-sent events of OpenAI",
			path:    "/v1/chat/completions",
			body:    `{"model":"m","stream":true,` + messages + `}`,
			framing: "sse",
		},
		{
			name:    "server-sent events of Gemini",
			path:    "/v1beta/models/m:streamGenerateContent?alt=sse",
			body:    contents,
			framing: "sse-crlf",
		},
		{
			name:    "lines of JSON of Ollama",
			path:    "/api/chat",
			body:    `{"model":"m",` + messages + `}`,
			framing: "ndjson",
		},
		{
			name:    "event stream of AWS",
			path:    "/model/m/converse-stream",
			body:    `{"messages":[{"role":"user","content":[{"text":"hello there"}]}]}`,
			framing: "aws-event-stream",
		},
		{
			name:    "JSON array of Gemini",
			path:    "/v1beta/models/m:streamGenerateContent",
			body:    contents,
			framing: "json-array",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			header, sent := flushed(tt.path, tt.body)
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				upstream := inPieces(header, time.Millisecond, sent...)
				for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
					rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
					got, err := readPieces(post(t, rec, "http://h"+tt.path, tt.body).Body)
					if !slices.Equal(got, sent) || err != io.EOF {
						t.Errorf("mode %s: reads %q, %v; want %q", mode, got, err, sent)
					}
					must.Close(t, rec)
				}
				if framing := recorded(t, file).Stream; framing != tt.framing {
					t.Errorf("recorded as %q, want %q", framing, tt.framing)
				}
			})
		})
	}
}

// flushed returns the headers of a stream of the fake provider, and what it writes until each flush.
func flushed(path, body string) (http.Header, []string) {
	req := httptest.NewRequest("POST", path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer echo-secret-of-the-stream-tests")
	w := &flushWriter{header: http.Header{}}
	new(fakeprovider.Server).ServeHTTP(w, req)
	w.Flush()
	return w.header, w.pieces
}

// A flushWriter keeps what a handler writes.
type flushWriter struct {
	header    http.Header
	unflushed bytes.Buffer
	pieces    []string
}

func (w *flushWriter) Header() http.Header         { return w.header }
func (w *flushWriter) WriteHeader(int)             {}
func (w *flushWriter) Write(p []byte) (int, error) { return w.unflushed.Write(p) }

func (w *flushWriter) Flush() {
	if w.unflushed.Len() > 0 {
		w.pieces = append(w.pieces, w.unflushed.String())
		w.unflushed.Reset()
	}
}

// An event that a server sends in pieces is replayed in the same pieces, at the same times.
func TestEventInPiecesIsReplayedInPieces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		sent     []string // each 10 ms after the one before
		buffer   int      // bytes that the recorded client reads at once
		replayed []string // what reads give in replay
		delays   string   // in the cassette
	}{
		{
			name:     "the empty line comes with the next event, as Cohere sends it",
			sent:     []string{"data: 1\n", "\ndata: 2\n", "\ndata: 3\n", "\n"},
			buffer:   4096,
			replayed: []string{"data: 1\n", "\ndata: 2\n", "\ndata: 3\n", "\n"},
			delays:   "[10~1+10, +~1+10, +~1+10]",
		},
		{
			name:     "line by line",
			sent:     []string{"event: a\n", "data: 1\n", "\n"},
			buffer:   4096,
			replayed: []string{"event: a\n", "data: 1\n", "\n"},
			delays:   "[10~9+10~1+10]",
		},
		{
			name:     "whole events",
			sent:     []string{"data: 1\n\n", "data: 2\n\n"},
			buffer:   4096,
			replayed: []string{"data: 1\n\n", "data: 2\n\n"},
			delays:   "[10, 10]",
		},
		{
			name:     "a piece that does not end with a line, cut by the network",
			sent:     []string{"data: 1", "\n\ndata: 2\n\n"},
			buffer:   4096,
			replayed: []string{"data: 1\n\ndata: 2\n\n"},
			delays:   "[20, +]",
		},
		{
			name:     "a small buffer of the client",
			sent:     []string{"data: 1\n\ndata: 2\n\n"},
			buffer:   8,
			replayed: []string{"data: 1\n\n", "data: 2\n\n"},
			delays:   "[10]",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			upstream := inPieces(http.Header{"Content-Type": {"text/event-stream"}}, 10*time.Millisecond, tt.sent...)
			rec := must.Open(t, file, promptecho.Upstream(upstream))
			resp := post(t, rec, "http://h/v1/x", `{}`)
			for buf, err := make([]byte, tt.buffer), error(nil); err == nil; {
				_, err = resp.Body.Read(buf)
			}
			resp.Body.Close()
			must.Close(t, rec)
			if text := must.Read(t, file); !strings.Contains(text, "delays_ms: "+tt.delays+"\n") {
				t.Errorf("%s: want delays %s in\n%s", tt.name, tt.delays, text)
			}

			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
			began := time.Now()
			resp = post(t, rec, "http://h/v1/x", `{}`)
			got, err := readPieces(resp.Body)
			if !slices.Equal(got, tt.replayed) || err != io.EOF {
				t.Errorf("%s: reads %q, %v; want %q", tt.name, got, err, tt.replayed)
			}
			took, want := time.Since(began), time.Duration(len(tt.sent))*10*time.Millisecond
			if took != want {
				t.Errorf("%s: took %v, want %v", tt.name, took, want)
			}
			resp.Body.Close()
			must.Close(t, rec)
		})
	}
}

// Sound is replayed in the pieces in which it was recorded and, with Pace, with their delays.
func TestSoundIsReplayedInItsPieces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const url, body = "http://h/v1/audio/speech", `{"input":"x"}`
		pieces := []string{"\xff\xfb", "abc", "\x00"}
		file := filepath.Join(t.TempDir(), "c.yaml")
		upstream := inPieces(http.Header{"Content-Type": {"audio/mpeg"}}, 20*time.Millisecond, pieces...)
		rec := must.Open(t, file, promptecho.Upstream(upstream))
		must.Post(t, rec, url, body)
		must.Close(t, rec)
		if text := must.Read(t, file); !strings.Contains(text, "chunks: [2, 3, 1]\n    delays_ms: [20, 20, 20]") {
			t.Fatalf("%s", text)
		}

		rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
		began := time.Now()
		resp := post(t, rec, url, body)
		got, err := readPieces(resp.Body)
		if !slices.Equal(got, pieces) || err != io.EOF || time.Since(began) != 60*time.Millisecond {
			t.Errorf("%q, %v after %v", got, err, time.Since(began))
		}
		resp.Body.Close()
		must.Close(t, rec)
	})
}

// A cassette has a stream as its events, with the text that they add up to above them.
func TestCassetteShowsAStreamAsEventsAndText(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	resp := openStream(t, t.Context(), rec, p.URL, "hi")
	io.Copy(io.Discard, resp.Body)
	must.Close(t, rec) // the body was read to its end and never closed

	text := must.Read(t, file)
	for _, want := range []string{
		"kind: llm",
		"boundary: openai.chat",
		"stream: sse",
		"\n    - {data: ",
		"delays_ms: [",
		"    # text, made of the events below:\n    #   [stand-in] You said: hi",
		"x-promptecho-provider: stand-in",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the cassette has no %q:\n%s", want, text)
		}
	}
	for _, never := range []string{"raw:", "end:", "echo-secret", "authorization", "set-cookie"} {
		if strings.Contains(strings.ToLower(text), never) {
			t.Errorf("the cassette has %q:\n%s", never, text)
		}
	}
}
