package stream

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A sample is a body and what is to be found in it.
type sample struct {
	name, media, body string
	framing           string // "" if it is no stream
	frames            int
	raw               int // frames without a readable form
}

// bodies are the samples of every framing, and of what only looks like one: all
// are held to the same laws over all of them.
var bodies = slices.Concat(lineBodies, eventStreamBodies, jsonArrayBodies)

var lineBodies = []sample{
	{"one event", "text/event-stream", "data: hi\n\n", "sse", 1, 0},
	{"two events", "text/event-stream", "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", "sse", 2, 0},
	{"CRLF", "text/event-stream", "data: 1\r\n\r\ndata: 2\r\n\r\n", "sse-crlf", 2, 0},
	{"CR", "text/event-stream", "data: 1\r\rdata: 2\r\r", "sse-cr", 2, 0},
	{"mixed line ends", "text/event-stream", "data: 1\n\ndata: 2\r\n\r\n", "sse", 2, 1},
	{"CR after CRLF", "text/event-stream", "data: 1\r\n\r\ndata: 2\r\r", "sse-crlf", 2, 1},
	{"comment", "text/event-stream", ": OPENROUTER PROCESSING\n\ndata: 1\n\n", "sse", 2, 0},
	{"empty comment", "text/event-stream", ": \n\n:\n\n", "sse", 2, 0},
	{"multi-line data", "text/event-stream", "data: a\ndata: b\n\n", "sse", 1, 0},
	{"id and retry", "text/event-stream", "id: 1\nretry: 10\ndata: x\n\n", "sse", 1, 0},
	{"data without space", "text/event-stream", "data:x\ndata: x\n\n", "sse", 1, 0},
	{"two spaces", "text/event-stream", "data:  x\n\n", "sse", 1, 0},
	{"empty data", "text/event-stream", "data: \n\n", "sse", 1, 0},
	{"bare field", "text/event-stream", "data\n\n", "sse", 1, 1},
	{"vendor field", "text/event-stream", "error: {\"a\":1}\n\n", "sse", 1, 0},
	{"fields that would read as ours", "text/event-stream", "comment: x\n\nraw: x\n\n", "sse", 2, 2},
	{"messages that would read as those of a client", "text/event-stream",
		"sent: x\nid: 1\n\nsent_close: x\n\nid: 1\nsent: x\n\nsender: x\n\n", "sse", 4, 2},
	{"no final blank line", "text/event-stream", "data: 1\n\ndata: 2\n", "sse", 2, 1},
	{"no final line end", "text/event-stream", "data: 1\n\ndata: 2", "sse", 2, 1},
	{"extra blank lines", "text/event-stream", "data: 1\n\n\n\ndata: 2\n\n", "sse", 4, 2},
	{"BOM", "text/event-stream", "\ufeffdata: 1\n\n", "sse", 1, 1},
	{"leading space", "text/event-stream", " data: 1\n\n", "sse", 1, 1},
	{"invalid UTF-8", "text/event-stream", "data: \xff\n\n", "sse", 1, 0},
	{"charset", "text/event-stream; charset=utf-8", "data: 1\n\n", "sse", 1, 0},
	{"no content type", "", "event: a\ndata: 1\n\n", "sse", 1, 0},
	{"labelled JSON", "application/json", "data: 1\n\n", "sse", 1, 0},
	{"JSON error labelled a stream", "text/event-stream", "{\n  \"error\": {}\n}\n", "", 0, 0},
	{"JSON list labelled a stream", "text/event-stream", " [1]", "", 0, 0},
	{"HTML labelled a stream", "text/event-stream", "<html>", "", 0, 0},
	{"JSON", "application/json", "{\"data\": 1}", "", 0, 0},
	{"text", "text/plain", "data: 1\n\n", "", 0, 0},
	{"nothing", "text/event-stream", "", "", 0, 0},
	{"blank lines only", "text/event-stream", "\n\n", "", 0, 0},
	{"ndjson", "application/x-ndjson", "{\"a\":1}\n{\"a\":2}\n", "ndjson", 2, 0},
	{"ndjson, charset", "application/x-ndjson; charset=utf-8", "{}\n", "ndjson", 1, 0},
	{"ndjson of Cohere", "application/stream+json", "{}\n{}\n", "ndjson", 2, 0},
	{"ndjson, no final line end", "application/x-ndjson", "{}\n{}", "ndjson", 2, 1},
	{"ndjson with CRLF", "application/x-ndjson", "{}\r\n{}\n", "ndjson", 2, 1},
	{"ndjson with blank lines", "application/x-ndjson", "{}\n\n{}\n", "ndjson", 3, 1},
	{"ndjson, not JSON", "application/x-ndjson", "oops\n", "ndjson", 1, 0},
	{"ndjson, nothing", "application/x-ndjson", "\n", "", 0, 0},
	{"a file of JSON lines", "application/jsonl", "{}\n{}\n", "", 0, 0},
}

// Frames cuts a whole body into its frames: what Cutter is held to.
func (f *Framing) Frames(body []byte) [][]byte {
	var frames [][]byte
	for len(body) > 0 {
		n := f.FrameLen(body, true)
		if n == 0 {
			n = len(body)
		}
		frames = append(frames, body[:n:n])
		body = body[n:]
	}
	return frames
}

// split is FrameLen for a bufio.Scanner.
func (f *Framing) split(data []byte, atEOF bool) (advance int, frame []byte, err error) {
	if len(data) == 0 {
		return 0, nil, nil
	}
	n := f.FrameLen(data, atEOF)
	if n == 0 && atEOF {
		n = len(data)
	}
	if n == 0 {
		return 0, nil, nil
	}
	return n, data[:n], nil
}

// A stream in each framing is cut into its events, and put together again byte for byte.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, tt := range bodies {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := Detect(tt.media, []byte(tt.body))
			if f == nil {
				if tt.framing != "" {
					t.Fatalf("not detected, want %s", tt.framing)
				}
				return
			}
			if f.Name != tt.framing {
				t.Fatalf("detected %s, want %q", f.Name, tt.framing)
			}
			frames := f.Frames([]byte(tt.body))
			if len(frames) != tt.frames {
				t.Errorf("%d frames, want %d: %q", len(frames), tt.frames, frames)
			}
			raw := 0
			for _, frame := range frames {
				if fields := f.Read(frame); fields[0].Name == Raw {
					raw++
				}
			}
			if raw != tt.raw {
				t.Errorf("%d frames have no readable form, want %d", raw, tt.raw)
			}
			checkLaws(t, f, []byte(tt.body))
		})
	}
}

// checkLaws: joined frames are the body, the readable form gives each frame
// back, and cutting a stream as it comes, byte by byte, gives the same frames.
func checkLaws(t *testing.T, f *Framing, body []byte) {
	t.Helper()
	frames := f.Frames(body)
	if joined := bytes.Join(frames, nil); !bytes.Equal(joined, body) {
		t.Errorf("%s: joined frames are %q, body is %q", f.Name, joined, body)
	}
	for _, frame := range frames {
		back, err := f.Write(nil, f.Read(frame))
		if err != nil || !bytes.Equal(back, frame) {
			t.Errorf("%s: frame %q comes back as %q, %v", f.Name, frame, back, err)
		}
	}
	for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body)), iotest.HalfReader(bytes.NewReader(body))} {
		sc := bufio.NewScanner(r)
		sc.Buffer(nil, len(body)+1)
		sc.Split(f.split)
		var got [][]byte
		for sc.Scan() {
			got = append(got, bytes.Clone(sc.Bytes()))
		}
		if sc.Err() != nil || !slices.EqualFunc(got, frames, bytes.Equal) {
			t.Errorf("%s: cut as it comes: %q, %v; whole: %q", f.Name, got, sc.Err(), frames)
		}
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fields []Field
		want   string
		err    string
	}{
		{"plain", []Field{{"event", "a"}, {"data", "{}"}}, "event: a\ndata: {}\n\n", ""},
		{"comment", []Field{{"comment", "hi"}}, ": hi\n\n", ""},
		{"no space", []Field{{"data:", "hi"}, {"comment:", "ho"}}, "data:hi\n:ho\n\n", ""},
		{"line break", []Field{{"data", "a\nb"}}, "", `field "data" holds a line break: write one "data" field for each line`},
		{"name", []Field{{"Data Field", "a"}}, "", `"Data Field" is not a field name of a server-sent event (want data, event, id, retry or comment)`},
		{"raw with others", []Field{{"raw", "a"}, {"data", "b"}}, "", `field "raw" must be the only field of its event`},
		{"raw", []Field{{"raw", "anything"}}, "anything", ""},
		{"no field", nil, "\n", ""},
		{"two lines", []Field{{"data", "a\nb"}}, "", `field "data" contains a line break, and must be one line`},
		{"no data", []Field{{"event", "a"}}, "", "a line of ndjson has one field, data"},
	}
	for _, tt := range tests {
		got, err := sse.Write(nil, tt.fields)
		if tt.name == "two lines" || tt.name == "no data" {
			got, err = ndjson.Write(nil, tt.fields)
		}
		if string(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, f := range framings {
		if !slices.ContainsFunc(bodies, func(s sample) bool { return s.framing == f.Name }) {
			t.Errorf("no sample of %s", f.Name)
		}
		if got, err := Lookup(f.Name); got != f || err != nil {
			t.Errorf("Lookup(%q) = %v, %v", f.Name, got, err)
		}
	}
	if _, err := Lookup("morse"); err == nil || !strings.Contains(err.Error(), `unknown stream framing "morse" (known: ndjson, sse,`) {
		t.Errorf("Lookup of an unknown framing: %v", err)
	}
}

// Any body, in any framing, is put together again byte for byte.
func FuzzFramings(f *testing.F) {
	for _, b := range bodies {
		f.Add([]byte(b.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, framing := range framings {
			checkLaws(t, framing, body)
		}
		for _, media := range []string{"text/event-stream", "application/json", awsMedia, ""} {
			framing, frames, rest := cutPieces(media, body, 3)
			if joined := append(bytes.Join(frames, nil), rest...); !bytes.Equal(joined, body) {
				t.Errorf("%q in pieces of 3 is %q by %v", body, joined, framing)
			}
		}
		if d := Detect("text/event-stream", body); d == nil && bytes.HasPrefix(body, []byte("data:")) {
			t.Errorf("%q is not detected", body)
		}
	})
}
