package large_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/socket"
)

// A longSession is a session of n small messages, of which the first one and the last one are the server's.
type longSession struct {
	name   string
	path   string                    // of the URL
	sent   func(i int) string        // message i of the client
	answer func(i int) (text string) // what the server says to it, or ""
}

var longSessions = []longSession{
	{
		name: "turns",
		path: "/v1/notes",
		sent: func(i int) string { return fmt.Sprintf(`{"type":"ask","number":%d,"text":"how are you?"}`, i) },
		answer: func(i int) string {
			return fmt.Sprintf(`{"type":"text.delta","item_id":"item_%d","delta":"fine %d "}`, i/100, i)
		},
	},
	{
		name:   "sent",
		path:   "/v1/notes",
		sent:   func(i int) string { return fmt.Sprintf(`{"type":"ask","number":%d,"text":"how are you?"}`, i) },
		answer: func(int) string { return "" },
	},
	{
		name: "equal sent",
		path: "/v1/notes",
		sent: func(i int) string { return `{"type":"input.append","data":"c29tZSBkYXRh"}` },
		answer: func(i int) string {
			return fmt.Sprintf(`{"type":"text.delta","delta":"fine %d "}`, i)
		},
	},
	{
		name: "audio",
		path: "/v1/realtime?model=gpt-realtime",
		sent: func(i int) string {
			return fmt.Sprintf(`{"type":"input_audio_buffer.append","audio":"Y2h1bms%d"}`, 10+i%90)
		},
		answer: func(i int) string {
			if i%100 != 0 {
				return ""
			}
			return fmt.Sprintf(`{"type":"response.output_text.delta","item_id":"item_%d","delta":"fine %d "}`, i/100, i)
		},
	},
}

// serve is the server of n messages of the client.
func (s *longSession) serve(n int) *socket.Server {
	return &socket.Server{Serve: func(end *socket.End) {
		for i := range n {
			_, err := end.Receive()
			if err != nil {
				return
			}
			if text := s.answer(i); text != "" {
				_ = end.Send(socket.Text(text))
			}
		}
		_ = end.Send(socket.Closing("done"))
		_, _ = end.Receive()
	}}
}

// talk sends n messages through a recorder, and reads what the server says to each.
func (s *longSession) talk(tb testing.TB, r *promptecho.Recorder, n int) {
	tb.Helper()
	end, _, refusal := socket.Open(tb, r, "http://notes.example"+s.path, nil)
	if end == nil {
		tb.Fatal(refusal)
	}
	defer end.Close()
	for i := range n {
		err := end.Send(socket.Text(s.sent(i)))
		if err != nil {
			tb.Fatal(err)
		}
		want := s.answer(i)
		if want == "" {
			continue
		}
		m, err := end.Receive()
		if err != nil || string(m.Data) != want {
			tb.Fatalf("message %d: %q, %v", i, m.Data, err)
		}
	}
	m, err := end.Receive()
	if err != nil || m.Opcode != websocket.Close {
		tb.Fatalf("the last message is %q, %v", m.Data, err)
	}
	_ = end.Send(m)
}

// BenchmarkSession records and replays sessions of small messages. It reports what each message of the client takes
// in each part: while it is recorded, when the cassette is saved, when it is opened and replayed; and the heap that
// is live at the end of both runs.
//
//	go test -run '^$' -bench Session -benchtime 1x ./tests/large
func BenchmarkSession(b *testing.B) {
	for _, s := range longSessions {
		for _, n := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				for b.Loop() {
					s.measure(b, n)
				}
			})
		}
	}
}

// measure records and replays n messages of the client.
func (s *longSession) measure(b *testing.B, n int) {
	file := filepath.Join(b.TempDir(), "c.yaml")
	report := func(unit string, since time.Time) {
		b.ReportMetric(float64(time.Since(since).Microseconds())/float64(n), "µs-"+unit)
	}
	r := must.Open(b, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(s.serve(n)))
	start := time.Now()
	s.talk(b, r, n)
	report("recorded", start)
	start = time.Now()
	must.Close(b, r)
	report("saved", start)
	b.ReportMetric(float64(heapNow())/1e6, "MB-recorded")

	start = time.Now()
	r = must.Open(b, file, promptecho.InMode(promptecho.ModeNone))
	report("opened", start)
	start = time.Now()
	s.talk(b, r, n)
	report("replayed", start)
	b.ReportMetric(float64(heapNow())/1e6, "MB-replayed")
	must.Close(b, r)
}

// BenchmarkSessionMiss sends a message that is not recorded at the beginning of a session of n turns. The time does
// not grow with the session.
//
//	go test -run '^$' -bench SessionMiss -benchtime 1x ./tests/large
func BenchmarkSessionMiss(b *testing.B) {
	s := longSessions[0]
	for _, n := range []int{1_000, 16_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "c.yaml")
			r := must.Open(b, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(s.serve(n)))
			s.talk(b, r, n)
			must.Close(b, r)
			for b.Loop() {
				r := must.Open(b, file, promptecho.InMode(promptecho.ModeNone))
				end, _, refusal := socket.Open(b, r, "http://notes.example"+s.path, nil)
				if end == nil {
					b.Fatal(refusal)
				}
				start := time.Now()
				_ = end.Send(socket.Text(`{"type":"ask","number":-1,"text":"how old are you?"}`))
				b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-miss")
				end.Close()
				_ = r.Close() // reports the miss
			}
		})
	}
}

// BenchmarkSessionPlaceholders replays sessions in which each message of the client has a placeholder, for a text
// that the replay cannot know to be a secret. The time of a message does not grow with the session.
//
//	go test -run '^$' -bench SessionPlaceholders -benchtime 1x ./tests/large
func BenchmarkSessionPlaceholders(b *testing.B) {
	s := longSessions[0]
	s.sent = func(i int) string {
		return fmt.Sprintf(`{"type":"ask","number":%d,"text":"use Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1F%05d"}`, i, i)
	}
	for _, n := range []int{500, 4_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "c.yaml")
			r := must.Open(b, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(s.serve(n)),
				promptecho.Redact(`Zq8v\w+`))
			s.talk(b, r, n)
			must.Close(b, r)
			for b.Loop() {
				r := must.Open(b, file, promptecho.InMode(promptecho.ModeNone))
				start := time.Now()
				s.talk(b, r, n)
				b.ReportMetric(float64(time.Since(start).Microseconds())/float64(n), "µs-replayed")
				must.Close(b, r)
			}
		})
	}
}
