package sessions_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// A client on a connection of its own reads why its session ended, also if it still sends messages.
func TestReasonReachesAClientThatStillSends(t *testing.T) {
	t.Parallel()
	const url = "https://api.openai.com/v1/realtime?model=m"
	file := newCassette(t)
	rec := record(t, file, promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
		c.Receive()
		c.Send("hello")
		c.Receive()
	})))
	c := dial(t, t.Context(), rec, url)
	c.Send("recorded")
	if got := received(c.Receive()); got != "hello" {
		t.Fatal(got)
	}
	c.Drop()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}

	for range full.Cases(3, 100) {
		rec := replay(t, file)
		server := echotest.Serve(t, rec)
		c, err := socket.Dialer{Client: http.DefaultClient}.Dial(t.Context(), server.URL("https://api.openai.com")+"/v1/realtime?model=m")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for k := range 1000 {
				if c.Send(fmt.Sprintf("not recorded %d %s", k, strings.Repeat("x", 1000))) != nil {
					return
				}
			}
		}()
		for {
			got := received(c.Receive())
			if strings.HasPrefix(got, "close 1008") {
				break
			}
			if strings.HasPrefix(got, "ends") {
				t.Fatalf("the client does not read why: %s", got)
			}
		}
		c.Drop()
		rec.Close()
	}
}
