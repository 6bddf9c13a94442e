package streams_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/standin"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

func streamRequest(t testing.TB, ctx context.Context, base, text string) *http.Request {
	t.Helper()
	body := strings.Replace(must.ChatBody(text), "{", `{"stream":true,`, 1)
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer echo-secret-of-the-stream-tests")
	return req
}

// startStream sends a streaming chat request.
func startStream(t testing.TB, r *promptecho.Recorder, ctx context.Context, base, text string) *http.Response {
	t.Helper()
	resp, err := r.Client().Do(streamRequest(t, ctx, base, text))
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		b, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d: %s", resp.StatusCode, b)
	}
	return resp
}

// reads returns what each Read gave, and the error that ended them.
func reads(body io.Reader) (parts []string, err error) {
	p := make([]byte, 64<<10)
	for {
		n, err := body.Read(p)
		if n > 0 {
			parts = append(parts, string(p[:n]))
		}
		if err != nil {
			return parts, err
		}
	}
}

// readEvent reads one event of a stream, from as many reads as it takes.
func readEvent(t testing.TB, body io.Reader) string {
	t.Helper()
	var b bytes.Buffer
	for p := make([]byte, 1); !bytes.HasSuffix(b.Bytes(), []byte("\n\n")); {
		n, err := body.Read(p)
		b.Write(p[:n])
		if err != nil && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
			t.Fatalf("after %q: %v", b.String(), err)
		}
	}
	return b.String()
}

// The client has the first event while the server still holds the rest, and
// each event as it comes; replay gives the same bytes, one event a Read.
func TestStreamIsLive(t *testing.T) {
	t.Parallel()
	p := standin.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	gate := p.Hold()
	resp := startStream(t, r, t.Context(), p.URL, "count to three")
	live := []string{readEvent(t, resp.Body)} // the server holds everything else now
	for range 3 {
		gate.Step()
		live = append(live, readEvent(t, resp.Body))
	}
	gate.Open()
	for !strings.Contains(live[len(live)-1], "[DONE]") {
		live = append(live, readEvent(t, resp.Body))
	}
	if _, err := resp.Body.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	resp.Body.Close()
	must.Close(t, r)
	p.Close()

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	resp = startStream(t, r, t.Context(), p.URL, "count to three")
	if resp.ContentLength != -1 || resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Errorf("ContentLength %d, Content-Type %q", resp.ContentLength, resp.Header.Get("Content-Type"))
	}
	parts, err := reads(resp.Body)
	if err != io.EOF || strings.Join(parts, "") != strings.Join(live, "") {
		t.Errorf("replayed %q, %v\nlive %q", parts, err, live)
	}
	// The first four events came one by one, so they must be read one by one.
	if len(parts) < 4 || !slices.Equal(parts[:4], live[:4]) {
		t.Errorf("boundaries of %q, live %q", parts, live)
	}
	must.Close(t, r)
}

func TestStreamCassetteIsReadable(t *testing.T) {
	t.Parallel()
	p := standin.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	resp := startStream(t, r, t.Context(), p.URL, "hi")
	io.Copy(io.Discard, resp.Body)
	must.Close(t, r) // the body was read to its end and never closed
	c := must.Read(t, file)
	for _, want := range []string{"kind: llm", "boundary: openai.chat", "stream: sse", "\n    - {data: ", "delays_ms: [", "    # text, made of the events below:\n    #   [stand-in] You said: hi", "x-promptecho-provider: stand-in"} {
		if !strings.Contains(c, want) {
			t.Errorf("the cassette has no %q:\n%s", want, c)
		}
	}
	for _, never := range []string{"raw:", "end:", "echo-secret", "authorization", "set-cookie"} {
		if strings.Contains(strings.ToLower(c), never) {
			t.Errorf("the cassette has %q:\n%s", never, c)
		}
	}
}

// endings are the ways in which a live answer can end for its reader.
func TestEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		cut    int                               // the server breaks off after so many events; 0 is never
		read   func(io.ReadCloser) error         // what the client does
		end    string                            // in the cassette
		replay func(parts int, err error) string // "" if the replay ends as it must
	}{
		{"to the end, not closed", 0, must.ReadToEnd, "", wantEOF},
		{"closed at [DONE]", 0, untilDone, "", wantEOF},
		{"closed early", 0, oneRead, interaction.EndClosed, func(n int, err error) string {
			if err == nil || !strings.Contains(err.Error(), "the recording ends here: its client closed the body before the end") {
				return fmt.Sprintf("ended with %v", err)
			}
			return ""
		}},
		{"not read", 0, func(b io.ReadCloser) error { return b.Close() }, interaction.EndClosed, nil},
		{"cut by the server", 2, must.ReadToEnd, interaction.EndError, func(n int, err error) string {
			if !errors.Is(err, io.ErrUnexpectedEOF) || n != 2 {
				return fmt.Sprintf("%d parts, then %v", n, err)
			}
			return ""
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := standin.New()
			defer p.Close()
			if tt.cut > 0 {
				p.Cut(tt.cut)
			}
			gate := p.Hold() // so that every event is an arrival of its own
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.OnRecordError(promptecho.Keep))
			resp := startStream(t, r, t.Context(), p.URL, "hello there")
			stepping := &stepper{ReadCloser: resp.Body, gate: gate}
			liveErr := tt.read(stepping)
			must.Close(t, r)
			if tt.cut > 0 && !errors.Is(liveErr, io.ErrUnexpectedEOF) {
				t.Errorf("the live client got %v", liveErr)
			}
			f, err := cassette.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Interactions[0].Response.End; got != tt.end {
				t.Errorf("end: %q, want %q", got, tt.end)
			}
			if tt.replay == nil {
				return
			}
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			resp = startStream(t, r, t.Context(), p.URL, "hello there")
			parts, err := reads(resp.Body)
			if bad := tt.replay(len(parts), err); bad != "" {
				t.Errorf("replay: %s", bad)
			}
			if got, want := strings.Join(parts, ""), stepping.seen.String(); got != want {
				t.Errorf("replayed %q, the live client saw %q", got, want)
			}
			must.Close(t, r)
		})
	}
}

// A stepper lets the server send one more event for each one it has read.
type stepper struct {
	io.ReadCloser
	gate *standin.Gate
	seen bytes.Buffer
}

func (s *stepper) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.seen.Write(p[:n])
	s.gate.Step()
	return n, err
}

func oneRead(b io.ReadCloser) error {
	_, err := b.Read(make([]byte, 64<<10))
	return errors.Join(err, b.Close())
}

func untilDone(b io.ReadCloser) error {
	s := b.(*stepper)
	for p := make([]byte, 64<<10); !strings.Contains(s.seen.String(), "[DONE]"); {
		if _, err := s.Read(p); err != nil {
			return err
		}
	}
	return s.Close()
}

func wantEOF(_ int, err error) string {
	if err != io.EOF {
		return fmt.Sprintf("ended with %v", err)
	}
	return ""
}

// A client that gives up by its context is recorded as one that closed, and
// the server sees it leave.
func TestCancelWhileRecording(t *testing.T) {
	t.Parallel()
	p := standin.New()
	defer p.Close()
	p.Hold()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	ctx, cancel := context.WithCancel(t.Context())
	resp := startStream(t, r, ctx, p.URL, "hello")
	first := readEvent(t, resp.Body)
	cancel()
	if _, err := io.Copy(io.Discard, resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	p.Wait() // the handler ends because its client left
	must.Close(t, r)
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	resp1 := f.Interactions[0].Response
	if resp1.End != interaction.EndClosed || len(resp1.Events) != 1 {
		t.Errorf("end %q, %d events; the client had %q", resp1.End, len(resp1.Events), first)
	}
}

// A body that nobody read or closed is settled when the recorder ends.
func TestBodyLeftOpen(t *testing.T) {
	t.Parallel()
	p := standin.New()
	defer p.Close()
	p.Hold()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	resp := startStream(t, r, t.Context(), p.URL, "hello")
	readEvent(t, resp.Body)
	must.Close(t, r)
	resp.Body.Close()
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Interactions[0].Response; got.End != interaction.EndClosed || len(got.Events) != 1 {
		t.Errorf("end %q, %d events", got.End, len(got.Events))
	}
}

func TestReplayBodyContract(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a", "b")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	req, _ := http.NewRequestWithContext(t.Context(), "POST", base+"/v1/chat/completions", strings.NewReader(must.ChatBody("a")))
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Request != req || resp.Status != "200 OK" || resp.Proto != "HTTP/1.1" || resp.ProtoMajor != 1 || resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("Date") != "" {
		t.Errorf("response %+v", resp)
	}
	if n, err := resp.Body.Read(nil); n != 0 || err != nil {
		t.Errorf("an empty Read gave %d, %v", n, err)
	}
	if n, err := resp.Body.Read(make([]byte, 3)); n != 3 || err != nil {
		t.Errorf("a short Read gave %d, %v", n, err)
	}
	resp.Body.Close()
	resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 1)); err == nil || err.Error() != "http: read on closed response body" {
		t.Errorf("Read after Close: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	req, _ = http.NewRequestWithContext(ctx, "POST", base+"/v1/chat/completions", strings.NewReader(must.ChatBody("b")))
	resp, err = r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Header.Set("X-Request-Id", "changed by the SDK")
	cancel()
	// net/http has such a short answer in a buffer: of 500 reads after cancel, all succeed.
	if answer, err := io.ReadAll(resp.Body); err != nil || !json.Valid(answer) {
		t.Errorf("Read after cancel: %q, %v", answer, err)
	}
	must.Close(t, r)
}

// What breaks off the reading of a stream is what net/http says: the cause of the context over HTTP/1.1, its error over HTTP/2.
func TestCauseOfABody(t *testing.T) {
	t.Parallel()
	stop := errors.New("the user pressed stop")
	for proto, want := range map[string]error{"HTTP/1.1": stop, "HTTP/2.0": context.Canceled} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(strings.Replace(forty, "status: 200", "status: 200\n      proto: "+proto, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancelCause(t.Context())
		req, _ := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`))
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		cancel(stop)
		if _, err := io.ReadAll(resp.Body); err != want {
			t.Errorf("over %s: %v, want %v", proto, err, want)
		}
		must.Close(t, r)
	}
}

// A body that came in pieces, each at its time, ends where its reader is canceled: the rest had not come.
func TestCanceledBetweenPieces(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says("").RoundTrip(req)
		resp.Header.Set("Content-Type", "text/plain")
		resp.ContentLength, resp.Body = -1, io.NopCloser(iotest.OneByteReader(strings.NewReader("one two")))
		return resp, err
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		ctx, cancel := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/lines", nil)
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 3))
		if mode == promptecho.ModeNone {
			cancel()
		}
		if rest, err := io.ReadAll(resp.Body); mode == promptecho.ModeNone && (!errors.Is(err, context.Canceled) || len(rest) > 0) {
			t.Errorf("%v: %q, %v", mode, rest, err)
		}
		cancel()
		must.Close(t, r)
	}
}

// forty is a cassette of one stream: two events at 1 s and 40 s.
const forty = `version: 1
interactions:
  - kind: llm
    boundary: openai.chat
    request:
      method: POST
      url: https://api.openai.com/v1/chat/completions
      body: {model: m, stream: true, messages: [{role: user, content: hi}]}
    response:
      status: 200
      headers: {content-type: text/event-stream}
      stream: sse
      events:
      - {data: {n: 1}}
      - {data: {n: 2}}
      - {data: {n: 3}}
      delays_ms: [1000, 39000, +]
    latency_ms: 500
`

// Recorded delays replay exactly in a synctest bubble, in no time.
func TestPace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(forty), 0o644); err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	start := func(t *testing.T, ctx context.Context, r *promptecho.Recorder) *http.Response {
		req, _ := http.NewRequestWithContext(ctx, "POST", "https://api.openai.com/v1/chat/completions", strings.NewReader(body))
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	for _, pace := range []float64{0, 1, 0.5} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(pace))
			began := time.Now()
			resp := start(t, t.Context(), r)
			at := []time.Duration{time.Since(began)}
			p := make([]byte, 1000)
			for {
				_, err := resp.Body.Read(p)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				at = append(at, time.Since(began))
			}
			var want []time.Duration
			for _, ms := range []float64{500, 1500, 40500} { // headers, first event, the other two together
				want = append(want, time.Duration(pace*ms*float64(time.Millisecond)))
			}
			if !slices.Equal(at, want) {
				t.Errorf("Pace(%v): arrivals %v, want %v", pace, at, want)
			}
			must.Close(t, r)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		resp := start(t, ctx, r)
		parts, err := reads(resp.Body)
		if !errors.Is(err, context.DeadlineExceeded) || len(parts) != 1 || time.Since(began) != 10*time.Second {
			t.Errorf("with a deadline of 10 s: %d parts, %v after %v", len(parts), err, time.Since(began))
		}
		must.Close(t, r)
	})
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
		resp := start(t, t.Context(), r)
		time.AfterFunc(5*time.Second, func() { resp.Body.Close() }) // a stop button
		began := time.Now()
		if parts, err := reads(resp.Body); !errors.Is(err, net.ErrClosed) || len(parts) != 1 || time.Since(began) != 5*time.Second {
			t.Errorf("stopped after 5 s: %d parts, %v after %v", len(parts), err, time.Since(began))
		}
		must.Close(t, r)
	})
}

func TestRetryAfterReplaysAsZero(t *testing.T) {
	t.Parallel()
	p := standin.New()
	defer p.Close()
	p.Fail(1, 429, http.Header{"Retry-After": {"60"}})
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	send := func(r *promptecho.Recorder) *http.Response {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", p.URL+"/v1/chat/completions", strings.NewReader(must.ChatBody("x")))
		req.Header.Set("Authorization", "Bearer echo-secret-of-retries")
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp
	}
	if live := send(r); live.StatusCode != 429 || live.Header.Get("Retry-After") != "60" {
		t.Errorf("live: %d, Retry-After %q", live.StatusCode, live.Header.Get("Retry-After"))
	}
	send(r)
	must.Close(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if again := send(r); again.StatusCode != 429 || again.Header.Get("Retry-After") != "0" {
		t.Errorf("replay: %d, Retry-After %q", again.StatusCode, again.Header.Get("Retry-After"))
	}
	if again := send(r); again.StatusCode != 200 {
		t.Errorf("the retry: %d", again.StatusCode)
	}
	must.Close(t, r)
}

func TestSwitchingProtocolsIsPassedOn(t *testing.T) {
	t.Parallel()
	conn := io.NopCloser(strings.NewReader("")) // stands for the connection
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 101, Body: conn, Header: http.Header{}}, nil
	})))
	req, _ := http.NewRequestWithContext(t.Context(), "GET", "https://api.openai.com/v1/realtime", nil)
	resp, err := r.RoundTrip(req)
	if err != nil || resp.Body != conn {
		t.Errorf("%v, body %T: want the body as it came", err, resp.Body)
	}
	want := file + ": GET https://api.openai.com/v1/realtime switched to another protocol (status 101), so its answer is not recorded: use a client without the recorder for this connection"
	if rep := must.Finish(r, report.Outcome{}); !slices.Equal(rep.Errors, []string{want}) {
		t.Errorf("report %+v", rep)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("something was recorded")
	}
}

func TestBodylessAnswers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	up := provider.Func(func(r *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: 204, Proto: "HTTP/2.0", ProtoMajor: 2, Header: http.Header{}, Body: http.NoBody}
		if r.Method == "HEAD" {
			resp.StatusCode = 200
		}
		return resp, nil
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(up))
		for method, status := range map[string]int{"HEAD": 200, "DELETE": 204} {
			req, _ := http.NewRequestWithContext(t.Context(), method, "https://api.openai.com/v1/files/f", nil)
			resp, err := r.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(resp.Body)
			if resp.StatusCode != status || resp.Proto != "HTTP/2.0" || resp.ProtoMajor != 2 || len(b) != 0 || err != nil {
				t.Errorf("%s %s: %d %s %q %v", mode, method, resp.StatusCode, resp.Proto, b, err)
			}
		}
		must.Close(t, r)
	}
}

// What a person may do to a cassette, and what then happens.
func TestEditedCassettes(t *testing.T) {
	t.Parallel()
	load := func(t *testing.T, file string) *cassette.File {
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	tests := []struct {
		name  string
		edit  func(f *cassette.File)
		wants map[string]string // prompt -> part of the answer; "" is a miss
		err   string            // of Close, "" for none
	}{
		{"as recorded", func(f *cassette.File) {}, map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`}, ""},
		{"an interaction deleted", func(f *cassette.File) { f.Interactions = slices.Delete(f.Interactions, 1, 2) },
			map[string]string{"a": `"n":1`, "b": "", "c": `"n":3`}, "1 request has no recording"},
		{"an interaction added", func(f *cassette.File) {
			it := *f.Interactions[0]
			it.Request.Body = []byte(must.ChatBody("d"))
			it.MatchKey = "" // people do not compute hashes
			f.Interactions = append(f.Interactions, &it)
		}, map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`, "d": `"n":1`}, ""},
		{"an interaction added, not asked", func(f *cassette.File) {
			it := *f.Interactions[0]
			it.Request.Body = []byte(must.ChatBody("d"))
			f.Interactions = append(f.Interactions, &it)
		}, map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`}, "1 of 4 recordings not used"},
		{"reordered", func(f *cassette.File) { slices.Reverse(f.Interactions) }, map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`}, ""},
		{"a response edited", func(f *cassette.File) { f.Interactions[0].Response.Body = []byte(`{"n":"edited"}`) },
			map[string]string{"a": `"n":"edited"`, "b": `"n":2`, "c": `"n":3`}, ""},
		{"a request edited, the hint stale", func(f *cassette.File) { f.Interactions[0].Request.Body = []byte(must.ChatBody("z")) },
			map[string]string{"z": `"n":1`, "a": "", "b": `"n":2`, "c": `"n":3`}, "1 request has no recording"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			base := must.Record(t, file, "a", "b", "c")
			f := load(t, file)
			tt.edit(f)
			if err := rewrite.Save(file, f); err != nil {
				t.Fatal(err)
			}
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for text, want := range tt.wants {
				status, body := must.Ask(t, r, base, text)
				if (status == 200) != (want != "") || !strings.Contains(body, want) {
					t.Errorf("%s: %d %s, want %q", text, status, body, want)
				}
			}
			err := r.Close()
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Close: %v, want %q", err, tt.err)
			}
		})
	}
}

func TestMissAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "the cat sat")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for range 3 { // a loop must not repeat the report
		resp, err := r.Client().Post(base+"/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("the dog sat")))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		const told = `promptecho: not recorded: FILE:4: the nearest recording differs in messages/0/content: recorded \"the cat sat\", incoming \"the dog sat\"`
		if resp.StatusCode != 418 || resp.Header.Get("X-Should-Retry") != "false" || resp.Status != "418 promptecho: c.yaml:4" ||
			string(text) != strings.ReplaceAll(`{"error":{"code":"promptecho_miss","message":"`+told+`","type":"promptecho_miss"},"type":"error"}`, "FILE", file) {
			t.Errorf("%s %v\n%s", resp.Status, resp.Header, text)
		}
	}
	// What the clients of some APIs read as an error is another JSON.
	for address, want := range map[string]string{
		"http://127.0.0.1:1/api/chat":                                       `{"error":"promptecho: not recorded: `,                                     // Ollama's: a text
		"http://127.0.0.1:1/v1beta/models/gemini-2.5-flash:generateContent": `{"error":{"code":418,"message":"promptecho: not recorded: `,               // Google's: a number
		"http://127.0.0.1:1/v1/embeddings":                                  `{"error":{"code":"promptecho_miss","message":"promptecho: not recorded: `, // OpenAI's
		"http://127.0.0.1:1/api/v1/chat/completions":                        `{"error":{"code":"promptecho_miss","message":"promptecho: not recorded: `, // OpenRouter's
		"https://api.mistral.ai/v1/chat/completions":                        `{"code":"promptecho_miss","message":"promptecho: not recorded: `,          // Mistral's
	} {
		other := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
		resp, err := other.Client().Post(address, "application/json", strings.NewReader(must.ChatBody("hello")))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !json.Valid(body) || !strings.HasPrefix(string(body), want) || strings.Count(string(body), "not recorded") != 1 {
			t.Errorf("%s: %s", address, body)
		}
		_ = other.Close() // it has a miss
	}
	misses := r.Misses()
	if len(misses) != 1 || misses[0].Count != 3 || misses[0].Line != 4 || misses[0].File != file || misses[0].Call != "llm/openai.chat" || misses[0].Model != "m" {
		t.Fatalf("Misses = %+v", misses)
	}
	if !strings.HasPrefix(misses[0].Caller, "stream_test.go:") {
		t.Errorf("Caller = %q, want this file", misses[0].Caller)
	}
	var _ error = misses[0]
	report := r.Close().Error()
	for _, want := range []string{"1 request has no recording (mode none, InMode in the code; 0 of 1 recordings used)", file + ":4: ", "cat", "dog", "recorded", "incoming", "PROMPTECHO_MODE=all"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report has no %q:\n%s", want, report)
		}
	}
	t.Logf("\n%s", report)
}
