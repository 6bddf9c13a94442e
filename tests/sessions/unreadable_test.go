package sessions_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// A server that sends bytes which are no frames fails the run that records it. The client gets them.
func TestFramesThatCannotBeReadFailTheRecording(t *testing.T) {
	t.Parallel()
	const noFrame = "\xff\x00"
	transport := socket.Transport(func(_ *http.Request, c *socket.Conn) {
		c.Send("hello")
		c.SendRaw([]byte(noFrame))
		c.Receive() // until the client leaves
	})
	rec := record(t, newCassette(t), promptecho.Upstream(transport))
	inTime(t, "the session", func() {
		c := dial(t, t.Context(), rec, "https://api.openai.com/v1/realtime?model=m")
		defer c.Drop()
		if got := received(c.Receive()); got != "hello" {
			t.Errorf("the client got %s", got)
		}
		if _, err := c.Receive(); err == nil {
			t.Error("the client did not get the bytes that are no frame")
		}
	})
	err := rec.Close()
	if err == nil || !strings.Contains(err.Error(), "not recorded from here on") {
		t.Errorf("the run: %v", err)
	}
}
