package echofault

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

// The tests choose their modes in code, so the machine's must not interfere.
func TestMain(m *testing.M) { environ.Main(m) }

// A fakeTB is a test that keeps what is said of it.
type fakeTB struct {
	testing.TB
	failed, skipped bool
	fatal           string
	errors, logs    []string
	cleanups        []func()
}

func (f *fakeTB) Name() string      { return "TestX" }
func (f *fakeTB) Helper()           {}
func (f *fakeTB) Failed() bool      { return f.failed }
func (f *fakeTB) Skipped() bool     { return f.skipped }
func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTB) Fatal(args ...any) { f.fatal = fmt.Sprint(args...); panic(f) }
func (f *fakeTB) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}
func (f *fakeTB) Errorf(format string, args ...any) {
	f.failed = true
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

// run runs a test and its cleanups, as package testing does.
func (f *fakeTB) run(test func()) {
	defer func() {
		for _, fn := range slices.Backward(f.cleanups) {
			fn()
		}
		if p := recover(); p != nil && p != any(f) {
			panic(p)
		}
	}()
	test()
}

// A sample is a stream of one framing.
type sample struct {
	name, media string
	events      []string
	data        []string // of each event; "" if it has none
}

func (s sample) body() string { return strings.Join(s.events, "") }

// samples has streams of the framings that providers use. The bytes are written here as their
// specifications have them.
var samples = []sample{
	lines("sse", "text/event-stream", "event: delta\ndata: %s\n\n", `{"n":1,"text":"hello"}`, `{"n":2,"text":"wörld"}`, `{"n":3}`, "[DONE]"),
	lines("sse-crlf", "text/event-stream", "data: %s\r\n\r\n", `{"n":1,"text":"hello"}`, `{"n":2,"text":"world"}`, `{"n":3}`),
	lines("sse-cr", "text/event-stream; charset=utf-8", "data:%s\r\r", `{"n":1,"text":"hello"}`, `{"n":2,"text":"world"}`, `{"n":3}`),
	lines("ndjson", "application/x-ndjson", "%s\n", `{"n":1,"text":"hello"}`, `{"n":2,"text":"world"}`, `{"done":true}`),
	{
		name: "json-array", media: "application/json",
		events: []string{"[" + `{"candidates":[{"n":1}]}`, "\n,\r\n" + `{"candidates":[{"n":2}]}`, "]"},
		data:   []string{`{"candidates":[{"n":1}]}`, `{"candidates":[{"n":2}]}`, "]"},
	},
	{
		name: "aws-event-stream", media: "application/vnd.amazon.eventstream",
		events: []string{awsMessage(`{"n":1,"text":"hello"}`), awsMessage(awsChunk(`{"n":2,"text":"world"}`)), awsMessage(`{"n":3}`)},
		data:   []string{`{"n":1,"text":"hello"}`, `{"n":2,"text":"world"}`, `{"n":3}`},
	},
}

// lines returns a stream of which each event is text around its data.
func lines(name, media, format string, data ...string) sample {
	s := sample{name: name, media: media, data: data}
	for _, d := range data {
		s.events = append(s.events, fmt.Sprintf(format, d))
	}
	return s
}

// awsMessage returns a message of an AWS event stream with one header
// (https://smithy.io/2.0/aws/amazon-eventstream.html).
func awsMessage(payload string) string {
	const header = "\x0b:event-type\x07\x00\x05chunk" // a string has type 7
	msg := binary.BigEndian.AppendUint32(nil, uint32(12+len(header)+len(payload)+4))
	msg = binary.BigEndian.AppendUint32(msg, uint32(len(header)))
	msg = binary.BigEndian.AppendUint32(msg, crc32.ChecksumIEEE(msg))
	msg = append(append(msg, header...), payload...)
	return string(binary.BigEndian.AppendUint32(msg, crc32.ChecksumIEEE(msg)))
}

// awsChunk returns an event as InvokeModelWithResponseStream wraps it.
func awsChunk(event string) string {
	return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(event)) + `"}`
}

// A server answers every request with the same pieces, each flushed by itself.
type server struct {
	*httptest.Server
	requests atomic.Int64
}

func serve(t *testing.T, media string, pieces ...string) *server {
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		w.Header().Set("Content-Type", media)
		for _, p := range pieces {
			io.WriteString(w, p)
			if len(pieces) > 1 {
				w.(http.Flusher).Flush()
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// open opens a recorder that is not closed by the test.
func open(t *testing.T, file string, mode promptecho.Mode, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	rec, err := promptecho.Open(file, append(opts, promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// An outcome is what a client got.
type outcome struct {
	status int
	body   string
	err    error // of the request or of reading the body
}

// chat asks as an OpenAI client does.
func chat(client *http.Client, base string) outcome {
	return post(client, base+"/v1/chat/completions", `{"model":"m","messages":[]}`)
}

func post(client *http.Client, url, body string) outcome {
	resp, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return outcome{err: err}
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return outcome{resp.StatusCode, string(got), err}
}
