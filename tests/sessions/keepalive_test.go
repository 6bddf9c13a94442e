package sessions_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// A client that keeps its session open by a timer sends more or fewer messages for that in each run,
// and replays all the same.
func TestKeepAliveMessagesDoNotCount(t *testing.T) {
	t.Parallel()
	transport := socket.Transport(func(_ *http.Request, c *socket.Conn) {
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			if m.Opcode == websocket.Binary {
				c.Send(`{"type":"Results","channel":{"alternatives":[{"transcript":"hello"}]}}`)
			}
		}
	})
	file := newCassette(t)
	for _, run := range []struct {
		rec        *promptecho.Recorder
		keepAlives int
	}{
		{record(t, file, promptecho.Upstream(transport)), 1},
		{nil, 0},
		{nil, 3},
	} {
		if run.rec == nil {
			run.rec = replay(t, file)
		}
		inTime(t, "the session", func() {
			c := dial(t, t.Context(), run.rec, "https://api.deepgram.com/v1/listen?model=nova-3")
			defer c.Drop()
			for range run.keepAlives {
				c.Send(`{"type":"KeepAlive"}`)
			}
			c.SendBytes([]byte("some sound"))
			if got := received(c.Receive()); !strings.Contains(got, "hello") {
				t.Errorf("%d messages to keep the session open: got %s", run.keepAlives, got)
			}
		})
		if err := run.rec.Close(); err != nil {
			t.Error(fmt.Errorf("%d messages to keep the session open: %w", run.keepAlives, err))
		}
	}
}
