package sessions_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// waitLimit is how long a client waits for what cannot come: see Recorder.Session.
const waitLimit = 10 * time.Second

const realtimeURL = "https://api.openai.com/v1/realtime?model=gpt-realtime"

// A client that waits for a message which cannot come is told after ten seconds. It gets the error event of the
// API, and a close frame with the reason.
func TestClientWhoseWaitTimesOutIsTold(t *testing.T) {
	t.Parallel()
	for _, url := range []string{realtimeURL, "https://chat.test/socket"} {
		file := newCassette(t)
		f := mutatedFamily{url: url, messages: []string{`{"type":"a"}`, `{"type":"b"}`}}
		f.run(t, record(t, file, promptecho.Upstream(acknowledge{})), f.messages)

		synctest.Test(t, func(t *testing.T) {
			rec := replay(t, file)
			c := dial(t, context.Background(), rec, url)
			defer c.Drop()
			_ = c.Send(f.messages[0])
			first := received(c.Receive())
			if first != acknowledgement(0) {
				t.Fatal(first)
			}
			start := time.Now()
			var got []string
			for {
				m, err := c.Receive()
				if err != nil {
					break
				}
				got = append(got, received(m, err))
				if m.Opcode == websocket.Close {
					_ = c.SendClose(1000, "")
				}
			}
			waited := time.Since(start)
			if waited < waitLimit || waited > waitLimit+5*time.Second {
				t.Errorf("%s: the client was told after %v", url, waited)
			}
			all := strings.Join(got, "\n")
			const reason = "close 1008 promptecho: "
			if !strings.HasPrefix(got[len(got)-1], reason) {
				t.Errorf("%s: no close frame with the reason in\n%s", url, all)
			}
			hasEvent := strings.Contains(all, `"type":"error"`) && strings.Contains(all, "promptecho_miss")
			if hasEvent != (url == realtimeURL) {
				t.Errorf("%s: got\n%s", url, all)
			}
			err := rec.Close()
			if err == nil || !strings.Contains(err.Error(), "waits for a message") {
				t.Errorf("%s: %v", url, err)
			}
		})
	}
}

// Recv returns the *MissError if no message can come, or the program has sent what is not recorded.
func TestRecvReturnsTheMiss(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		if name == "WebSocket" {
			continue
		}
		file := newCassette(t)
		talkOnce(t, record(t, file), way, branchMessage(0, 0), branchMessage(0, 1))
		synctest.Test(t, func(t *testing.T) {
			for _, next := range []string{"", "something else"} {
				rec := replay(t, file)
				ctx, cancel := context.WithCancel(t.Context())
				s, err := way(rec)(ctx)
				if err != nil {
					t.Fatal(err)
				}
				_ = s.Send(branchMessage(0, 0))
				_, _ = s.Recv()
				_, _ = s.Recv()
				start := time.Now()
				if next != "" {
					wantMiss(t, name, s.Send(next))
				}
				_, err = s.Recv()
				wantMiss(t, name, err)
				waited := time.Since(start)
				isTimedOut := next == ""
				if isTimedOut != (waited >= waitLimit) || waited > waitLimit+time.Second {
					t.Errorf("%s: Recv returned after %v", name, waited)
				}
				wantMiss(t, name, s.Send(branchMessage(0, 1)))
				cancel()
				if len(rec.Misses()) != 1 || rec.Close() == nil {
					t.Errorf("%s: misses %v", name, rec.Misses())
				}
			}
		})
	}
}

func wantMiss(t *testing.T, name string, err error) {
	t.Helper()
	var miss *promptecho.MissError
	if !errors.As(err, &miss) || miss.Line == 0 {
		t.Errorf("%s: the error is %v, want a miss with a line", name, err)
	}
}

// talkOnce has a session of messages that are each answered twice, and ends it.
func talkOnce(
	t *testing.T, rec *promptecho.Recorder,
	way func(*promptecho.Recorder) func(context.Context) (textStream, error), messages ...string,
) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), noTime)
	defer cancel()
	s, err := way(rec)(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range messages {
		if err := s.Send(message); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := s.Recv(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err != io.EOF {
		t.Fatal(err)
	}
	must.Pass(t, rec)
}

// A client that reads on where its recorded session was closed by the client is told, too.
func TestClientThatDoesNotCloseIsTold(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	upstream := socket.Transport(func(_ *http.Request, c *socket.Conn) {
		_ = c.Send(`{"type":"greeting"}`)
		_, _ = c.Receive()
	})
	rec := record(t, file, promptecho.Upstream(upstream))
	c := dial(t, t.Context(), rec, realtimeURL)
	_, _ = c.Receive()
	c.Drop()
	must.Close(t, rec)

	synctest.Test(t, func(t *testing.T) {
		rec := replay(t, file)
		c := dial(t, context.Background(), rec, realtimeURL)
		defer c.Drop()
		_, _ = c.Receive()
		start := time.Now()
		event := received(c.Receive())
		closing := received(c.Receive())
		if time.Since(start) != waitLimit {
			t.Errorf("told after %v", time.Since(start))
		}
		isTold := strings.Contains(event, "promptecho_miss") && strings.HasPrefix(closing, "close 1008 ")
		if !isTold {
			t.Errorf("the client got\n%s\n%s", event, closing)
		}
		err := rec.Close()
		if err == nil || !strings.Contains(err.Error(), "its client closed it here") {
			t.Error(err)
		}
	})
}
