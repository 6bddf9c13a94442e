package echofault

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

// spoiled asks three times: with the fault while recording, with it in replay, and in
// replay without it. It checks that the last answer is whole, and returns the others.
func spoiled(t *testing.T, s *server, whole string, fault Fault) (got [2]outcome) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for i, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		got[i] = chat(New(t, rec, fault).Client(), s.URL)
		if err := rec.Close(); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
	rec := open(t, file, promptecho.ModeNone)
	if without := chat(rec.Client(), s.URL); without != (outcome{200, whole, nil}) {
		t.Errorf("recorded is %+v, want the whole answer", without)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	if n := s.requests.Load(); n != 1 {
		t.Errorf("%d requests reached the server, want 1", n)
	}
	return got
}

// Cut gives the client n events, then the error of a broken connection; the recording is whole.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range samples {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for n := range len(tt.events) + 1 {
				s := serve(t, tt.media, tt.events...)
				want := outcome{200, strings.Join(tt.events[:n], ""), io.ErrUnexpectedEOF}
				for i, got := range spoiled(t, s, tt.body(), Cut(n)) {
					if got != want {
						t.Errorf("Cut(%d), %s: %+v, want %+v", n, [...]string{"recording", "replaying"}[i], got, want)
					}
				}
			}
		})
	}
}

// Garble makes event n invalid JSON of the same length, and leaves all others; the recording is
// whole.
func TestGarble(t *testing.T) {
	t.Parallel()
	for _, tt := range samples {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, event := range tt.events {
				s := serve(t, tt.media, tt.events...)
				for _, got := range spoiled(t, s, tt.body(), Garble(i+1)) {
					before, after := strings.Join(tt.events[:i], ""), strings.Join(tt.events[i+1:], "")
					if got.err != nil || len(got.body) != len(tt.body()) || !strings.HasPrefix(got.body, before) || !strings.HasSuffix(got.body, after) {
						t.Fatalf("Garble(%d): %+v, want %q with this event damaged", i+1, got, tt.body())
					}
					garbled := got.body[len(before) : len(got.body)-len(after)]
					checkGarbled(t, tt, garbled, event, tt.data[i])
				}
			}
		})
	}
}

// checkGarbled checks that the data of an event is damaged and nothing else is.
func checkGarbled(t *testing.T, tt sample, garbled, event, data string) {
	t.Helper()
	switch tt.name {
	case "aws-event-stream": // with checksums that are right
		payload := garbled[12+len("\x0b:event-type\x07\x00\x05chunk") : len(garbled)-4]
		if awsMessage(payload) != garbled {
			t.Errorf("%q is no message", garbled)
		}
		if strings.Contains(event, `{"bytes":"`) { // the event in it is damaged
			var chunk struct{ Bytes []byte }
			if err := json.Unmarshal([]byte(payload), &chunk); err != nil {
				t.Errorf("%s: %v", payload, err)
			}
			payload = string(chunk.Bytes)
		}
		garbled = payload
	default:
		before, after, _ := strings.Cut(event, data)
		if !strings.HasPrefix(garbled, before) || !strings.HasSuffix(garbled, after) {
			t.Errorf("%q is not framed as %q", garbled, event)
		}
		garbled = strings.TrimSuffix(strings.TrimPrefix(garbled, before), after)
	}
	left := strings.TrimRight(garbled, "#")
	if len(garbled) != len(data) || json.Valid([]byte(garbled)) || !strings.HasPrefix(data, left) || len(left) > len(data)/2 || len(left) < len(data)/2-1 {
		t.Errorf("the data is %q, want %q damaged in its second half", garbled, data)
	}
}

// TestSpoiledBody: bodies that are no streams are cut by bytes and garbled as one event.
func TestSpoiledBody(t *testing.T) {
	t.Parallel()
	long := `{"text":"` + strings.Repeat("x", 3*knownAfter) + `"}`
	half := func(text string) string { return text[:len(text)/2] + strings.Repeat("#", len(text)-len(text)/2) }
	for _, tt := range []struct {
		name, media string
		pieces      []string
		fault       Fault
		want        outcome
	}{
		{"cut", "application/json", []string{`{"text":"hello"}`}, Cut(10), outcome{200, `{"text":"h`, io.ErrUnexpectedEOF}},
		{"cut behind the headers", "application/json", []string{`{"text":"hello"}`}, Cut(0), outcome{200, "", io.ErrUnexpectedEOF}},
		{"cut at the end", "application/json", []string{`{"text":"hello"}`}, Cut(16), outcome{200, `{"text":"hello"}`, io.ErrUnexpectedEOF}},
		{"cut, long", "application/json", []string{long}, Cut(knownAfter + 5), outcome{200, long[:knownAfter+5], io.ErrUnexpectedEOF}},
		{"cut, in pieces", "audio/mpeg", []string{"abc", "def", "ghi"}, Cut(4), outcome{200, "abcd", io.ErrUnexpectedEOF}},
		{"garbled", "application/json", []string{`{"text":"hello"}`}, Garble(1), outcome{200, half(`{"text":"hello"}`), nil}},
		{"garbled, long", "application/json", []string{long}, Garble(1), outcome{200, half(long), nil}},
		{"garbled, in pieces", "audio/mpeg", []string{"abc", "def", "ghi"}, Garble(1), outcome{200, "abcd#####", nil}},
		{"one letter", "text/plain", []string{"世"}, Garble(1), outcome{200, "###", nil}},
		{"labelled a stream", "text/event-stream", []string{`{"error":1}`}, Cut(3), outcome{200, `{"e`, io.ErrUnexpectedEOF}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.media, tt.pieces...)
			for i, got := range spoiled(t, s, strings.Join(tt.pieces, ""), tt.fault) {
				if got != tt.want {
					t.Errorf("number %d: %+v, want %+v", i, got, tt.want)
				}
			}
		})
	}
}

// The damaged form of a JSON text is never JSON.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `[]`, `""`, `"a"`, `0`, `12`, `true`, `null`, `{"a":1} `, `"\u00e9"`, `"é"`, `["世界"]`} {
		got, ok := damage(nil, []byte(text))
		if !ok || len(got) != len(text) || json.Valid(got) {
			t.Errorf("%s becomes %q, %v", text, got, ok)
		}
	}
}

// A compressed stream has no events that anybody could see, so it counts as what it is,
// bytes.
func TestCoded(t *testing.T) {
	t.Parallel()
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		body := "data: as if compressed\n\ndata: 2\n\n"
		return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"br"}}}, nil
	})
	if got := chat(New(t, next, Cut(7)).Client(), "http://h"); got != (outcome{200, "data: a", io.ErrUnexpectedEOF}) {
		t.Errorf("%+v, want 7 bytes", got)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// What comes before a fault comes when it comes, byte by byte, and not when its event is whole.
func TestLive(t *testing.T) {
	t.Parallel()
	pr, pw := io.Pipe()
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, ContentLength: -1, Body: pr, Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
	})
	resp, err := New(t, next, Cut(2)).Client().Get("http://h/")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	for _, piece := range []string{"data: 1\n", "\n", "data", ": 2\n\n"} {
		go io.WriteString(pw, piece)
		if n, err := resp.Body.Read(buf); err != nil || string(buf[:n]) != piece {
			t.Errorf("got %q, %v, want %q", buf[:n], err, piece)
		}
	}
	for range 2 {
		if n, err := resp.Body.Read(buf); n != 0 || err != io.ErrUnexpectedEOF {
			t.Errorf("behind the cut: %d bytes, %v", n, err)
		}
	}
	if _, err := pw.Write([]byte("x")); err != io.ErrClosedPipe {
		t.Errorf("the answer is not closed: %v", err)
	}
}

// An answer that breaks off by itself, while a fault holds a part of it back, gives that
// part and its own error.
func TestBrokenByItself(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader("data: 1\n\ndata: 2"), failing{broken})
		return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(body), Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
	})
	for _, fault := range []Fault{Cut(3), Garble(3)} {
		tb := &fakeTB{}
		tb.run(func() {
			if got := chat(New(tb, next, fault).Client(), "http://h"); got != (outcome{200, "data: 1\n\ndata: 2", broken}) {
				t.Errorf("%s: %+v", fault.code, got)
			}
		})
		if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "the answer to llm/openai.chat has 2 events") {
			t.Errorf("%s: %q", fault.code, tb.errors)
		}
	}
	rec := New(t, recorderOf(next), Cut(1)) // its answers are read first
	if got := chat(rec.Client(), "http://h"); got != (outcome{200, "data: 1\n\n", io.ErrUnexpectedEOF}) {
		t.Errorf("recording: %+v", got)
	}
	rec = New(t, recorderOf(next), Garble(1))
	if got := chat(rec.Client(), "http://h"); got != (outcome{200, "data: #\n\ndata: 2", broken}) {
		t.Errorf("recording: %+v", got)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// recorderOf makes a transport say that it records.
func recorderOf(rt roundTrip) http.RoundTripper { return recording{rt} }

type recording struct{ roundTrip }

func (recording) Online() bool { return true }

// The base64 of a chunk stays base64 of the same length.
func TestGarbledChunk(t *testing.T) {
	t.Parallel()
	event := []byte(awsMessage(awsChunk(`{"type":"message_stop"}`)))
	framing := samples[5]
	got, ok := damage(detect(t, framing), event)
	want := awsMessage(awsChunk(`{"type":"me############`))
	if !ok || string(got) != want {
		t.Errorf("%q, %v, want %q (base64 %s)", got, ok, want, base64.StdEncoding.EncodeToString(got))
	}
}
