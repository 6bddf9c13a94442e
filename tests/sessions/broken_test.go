package sessions_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// The sessions of these tests have turns: a question of the client, and answersPerTurn answers of
// the server, after a greeting.
const (
	turns          = 2
	answersPerTurn = 2
	allAnswers     = 1 + turns*answersPerTurn
)

// serverEndings are the ways in which a server ends a session.
var serverEndings = map[string]func(*socket.Conn){
	"reset":                (*socket.Conn).Reset,
	"no close frame":       (*socket.Conn).Drop,
	"close 1000":           func(c *socket.Conn) { _ = c.SendClose(1000, "bye") },
	"close 4001":           func(c *socket.Conn) { _ = c.SendClose(4001, "enough of this") },
	"close without a code": func(c *socket.Conn) { _ = c.SendClose(1005, "") },
	"half a message":       func(c *socket.Conn) { _ = c.SendHalf("never whole"); c.Drop() },
}

// A session that the server ends after any of its messages, in any way, replays with the same
// messages and the same end.
func TestSessionEndedByTheServerReplays(t *testing.T) {
	t.Parallel()
	for name, end := range serverEndings {
		for after := range allAnswers + 1 {
			t.Run(fmt.Sprintf("%s after %d messages", name, after), func(t *testing.T) {
				t.Parallel()
				server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) {
					serveTurns(c, after, end)
				})
				wantSameReplays(t, server.URL+"/chat", askTurns)
			})
		}
	}
}

// serveTurns greets, answers each question, and ends the session after some messages. It then
// reads what the client still sends, until the client closes the session.
func serveTurns(c *socket.Conn, after int, end func(*socket.Conn)) {
	sent := 0
	answer := func(text string) (isOver bool) {
		if sent == after {
			return true
		}
		sent++
		return c.Send(text) != nil
	}
	isOver := answer(`{"type":"greeting"}`)
	for !isOver {
		if sent == allAnswers {
			break
		}
		question, err := c.Receive()
		if err != nil {
			return
		}
		for i := 0; i < answersPerTurn && !isOver; i++ {
			isOver = answer(fmt.Sprintf(`{"type":"answer","n":%d,"to":%s}`, i, question.Data))
		}
	}
	end(c)
	for {
		m, err := c.Receive()
		isClosed := err != nil || m.Opcode == websocket.Close
		if isClosed {
			return
		}
	}
}

// askTurns asks a question after the greeting and after each second answer, until the session
// ends, and returns what it has received.
func askTurns(_ *testing.T, c *socket.Conn) string {
	var log strings.Builder
	defer c.Drop()
	for n := 0; ; n++ {
		m, err := c.Receive()
		fmt.Fprintln(&log, received(m, err))
		switch {
		case err != nil:
			return log.String()
		case m.Opcode == websocket.Close:
			_ = c.SendClose(1000, "")
		case n%answersPerTurn == 0 && n < turns*answersPerTurn:
			_ = c.Send(fmt.Sprintf(`{"type":"question","n":%d}`, n))
		}
	}
}

// wantSameReplays records a session, and checks that replays are equal to it.
func wantSameReplays(t *testing.T, url string, talk func(*testing.T, *socket.Conn) string) {
	t.Helper()
	file := newCassette(t)
	run := func(rec *promptecho.Recorder) (log string) {
		ctx, cancel := context.WithTimeout(t.Context(), noTime)
		defer cancel()
		c := dial(t, ctx, rec, url)
		inTime(t, "the session", func() { log = talk(t, c) })
		must.Close(t, rec)
		return log
	}
	want := run(record(t, file))
	for range full.Cases(1, 10) {
		if got := run(replay(t, file)); got != want {
			t.Fatalf("the replay has\n%s\nwant\n%s\nthe cassette is\n%s", got, want, must.Read(t, file))
		}
	}
}

// clientEndings are the ways in which a client ends a session, after which it reads no more than
// the answer to a close frame.
var clientEndings = map[string]func(*socket.Conn, *strings.Builder){
	"no close frame": func(c *socket.Conn, _ *strings.Builder) { c.Drop() },
	"close 1000": func(c *socket.Conn, log *strings.Builder) {
		_ = c.SendClose(1000, "bye")
		readToClose(c, log)
	},
	"close without a code": func(c *socket.Conn, log *strings.Builder) {
		_ = c.SendClose(1005, "")
		readToClose(c, log)
	},
	"close frame and no wait": func(c *socket.Conn, _ *strings.Builder) {
		_ = c.SendClose(1001, "")
		c.Drop()
	},
}

// A session that the client ends after any message, in any way, replays.
func TestSessionEndedByTheClientReplays(t *testing.T) {
	t.Parallel()
	server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) {
		serveUntilClosed(c)
	})
	for name, end := range clientEndings {
		for after := range allAnswers + 1 {
			t.Run(fmt.Sprintf("%s after %d messages", name, after), func(t *testing.T) {
				t.Parallel()
				wantSameReplays(t, server.URL+"/chat", func(_ *testing.T, c *socket.Conn) string {
					return askUntil(c, after, end)
				})
			})
		}
	}
}

// serveUntilClosed greets and answers each question, until the client closes the session.
func serveUntilClosed(c *socket.Conn) {
	_ = c.Send(`{"type":"greeting"}`)
	for {
		m, err := c.Receive()
		if err != nil {
			return
		}
		if m.Opcode == websocket.Close {
			_ = c.SendClose(1000, "good bye")
			return
		}
		for i := range answersPerTurn {
			_ = c.Send(fmt.Sprintf(`{"type":"answer","n":%d,"to":%s}`, i, m.Data))
		}
	}
}

// askUntil receives a number of messages, and ends the session.
func askUntil(c *socket.Conn, after int, end func(*socket.Conn, *strings.Builder)) string {
	var log strings.Builder
	defer c.Drop()
	askSome(c, after, func(text string) { fmt.Fprintln(&log, text) })
	end(c, &log)
	return log.String()
}

// askSome asks as askTurns does until it has received a number of messages.
func askSome(c *socket.Conn, after int, report func(string)) {
	for n := range after {
		m, err := c.Receive()
		report(received(m, err))
		isLast := n == after-1
		if !isLast && n%answersPerTurn == 0 {
			_ = c.Send(fmt.Sprintf(`{"type":"question","n":%d}`, n))
		}
	}
}

// A session that is open when its recorder is closed replays up to there, and its client gets an
// error in both runs.
func TestSessionOpenAtTheEndReplays(t *testing.T) {
	t.Parallel()
	server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) { serveUntilClosed(c) })
	for after := range allAnswers + 1 {
		t.Run(fmt.Sprint("after ", after, " messages"), func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			run := func(rec *promptecho.Recorder) (log string) {
				c := dial(t, t.Context(), rec, server.URL+"/chat")
				inTime(t, "the session", func() {
					log = askUntilOpenEnd(t, rec, c, after)
				})
				return log
			}
			want := run(record(t, file))
			if got := run(replay(t, file)); got != want {
				t.Errorf("the replay has\n%s\nwant\n%s\n%s", got, want, must.Read(t, file))
			}
		})
	}
}

// askUntilOpenEnd receives a number of messages, closes the recorder while a Receive waits, and
// returns what was received.
func askUntilOpenEnd(t *testing.T, rec *promptecho.Recorder, c *socket.Conn, after int) string {
	var log strings.Builder
	askSome(c, after, func(text string) { fmt.Fprintln(&log, text) })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := c.Receive()
		for err == nil {
			_, err = c.Receive()
		}
	}()
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	<-ended
	return log.String()
}

// A message that a client sends while the server ends the session is no miss. Whether it comes before
// the end depends on the time.
func TestMessageSentWhileTheServerEndsIsNoMiss(t *testing.T) {
	t.Parallel()
	for name, end := range serverEndings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) { serveTurns(c, allAnswers, end) })
			file := newCassette(t)
			for _, isReplay := range []bool{false, true} {
				open := record
				if isReplay {
					open = replay
				}
				rec := open(t, file)
				c := dial(t, t.Context(), rec, server.URL+"/chat")
				askSome(c, allAnswers, func(string) {})
				if isReplay {
					_ = c.Send(`{"type":"one more"}`)
				}
				m, err := c.Receive()
				for err == nil && m.Opcode != websocket.Close {
					m, err = c.Receive()
				}
				_ = c.SendClose(1000, "")
				c.Drop()
				must.Close(t, rec)
			}
		})
	}
}
