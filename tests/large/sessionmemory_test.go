package large_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A largeSession is a session whose client sends messages, and whose server answers each.
type largeSession struct {
	name     string
	messages int
	sent     func(i int) string
	answer   string
}

const realtimeAddress = "http://realtime.example/v1/realtime?model=gpt-realtime"

// audioPiece is a second of audio as Realtime has it: 24,000 samples of two bytes, in base64.
var audioPiece = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x01\x7f\x33\x80", 12_000)))

// largeSessions returns sessions of a size: number of messages or bytes of audio.
func largeSessions(messages, audio int) []largeSession {
	pieces := audio / 48_000
	return []largeSession{
		{
			name: "messages", messages: messages,
			sent: func(i int) string {
				return fmt.Sprintf(`{"type":"response.create","response":{"instructions":"number %d"}}`, i)
			},
			answer: `{"type":"response.output_text.delta","delta":"fine"}`,
		},
		{
			name: "audio of the client", messages: pieces,
			sent: func(int) string { return `{"type":"input_audio_buffer.append","audio":"` + audioPiece + `"}` },
		},
		{
			name: "audio of the server", messages: pieces,
			sent: func(i int) string {
				return fmt.Sprintf(`{"type":"response.create","response":{"instructions":"number %d"}}`, i)
			},
			answer: `{"type":"response.output_audio.delta","delta":"` + audioPiece + `"}`,
		},
	}
}

// upstream serves the session.
func (s *largeSession) upstream() promptecho.Option {
	return promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			if m.Opcode == websocket.Close {
				_ = c.SendClose(1000, "")
				return
			}
			if s.answer != "" {
				_ = c.Send(s.answer)
			}
		}
	}))
}

// talk has the session through a recorder.
func (s *largeSession) talk(tb testing.TB, r *promptecho.Recorder) {
	tb.Helper()
	c, err := socket.Dialer{Client: r.Client()}.Dial(tb.Context(), realtimeAddress)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Drop()
	for i := range s.messages {
		err := c.Send(s.sent(i))
		if err != nil {
			tb.Fatal(err)
		}
		if s.answer == "" {
			continue
		}
		m, err := c.Receive()
		if err != nil || string(m.Data) != s.answer {
			tb.Fatalf("message %d: %.100q, %v", i, m.Data, err)
		}
	}
	_ = c.SendClose(1000, "")
	m, err := c.Receive()
	if err != nil || m.Opcode != websocket.Close {
		tb.Fatalf("the session ends with %.100q, %v", m.Data, err)
	}
}

// peaks records and replays the session, and returns how much the heap grows in each part.
func (s *largeSession) peaks(tb testing.TB) map[string]uint64 {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "c.yaml")
	all := map[string]uint64{}
	var r *promptecho.Recorder
	all["recording"] = peakHeap(func() {
		r = must.Open(tb, file, promptecho.InMode(promptecho.ModeAll), s.upstream())
		s.talk(tb, r)
	})
	all["saving"] = peakHeap(func() { must.Close(tb, r) })
	r = nil
	all["opening"] = peakHeap(func() { r = must.Open(tb, file, promptecho.InMode(promptecho.ModeNone)) })
	all["replaying"] = peakHeap(func() {
		s.talk(tb, r)
		must.Close(tb, r)
	})
	return all
}

// BenchmarkSessionMemory reports how much the heap grows in each part of a session of 100,000
// messages, and of 200 MB of audio that one side sends.
//
//	go test -run '^$' -bench SessionMemory -benchtime 1x ./tests/large
func BenchmarkSessionMemory(b *testing.B) {
	for _, s := range largeSessions(100_000, 200_000_000) {
		b.Run(strings.ReplaceAll(s.name, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				for part, peak := range s.peaks(b) {
					b.ReportMetric(float64(peak)/1e6, "MB-"+part)
				}
			}
		})
	}
}
