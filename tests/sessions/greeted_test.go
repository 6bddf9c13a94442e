package sessions_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Concurrent sessions that the server greets, each with an ID and a time of its own, get the answers
// to what each of them sends.
func TestConcurrentSessionsWithAGreetingReplay(t *testing.T) {
	t.Parallel()
	const sessions = 8
	var greeted atomic.Int32
	upstream := promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
		n := greeted.Add(1)
		_ = c.Send(fmt.Sprintf(`{"type":"session.created","session":{"id":"sess_%d","expires_at":%d}}`, n, 1764450000+n))
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			_ = c.Send(fmt.Sprintf(`{"answer":%q}`, m.Data))
		}
	}))
	file := newCassette(t)
	greetAll(t, record(t, file, upstream), sessions)
	for range full.Cases(5, 100) {
		greetAll(t, replay(t, file), sessions)
	}
}

// greetAll opens sessions at the same time. Each waits for its greeting before it says its number.
func greetAll(t *testing.T, rec *promptecho.Recorder, sessions int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), noTime)
	defer cancel()
	var all sync.WaitGroup
	for k := range sessions {
		all.Go(func() {
			c, err := socket.Dialer{Client: rec.Client()}.Dial(ctx, "http://greeting.test/chat")
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Drop()
			_, err = c.Receive()
			if err != nil {
				t.Error(err)
				return
			}
			if err := c.Send(fmt.Sprintf("I am %d", k)); err != nil {
				t.Error(err)
				return
			}
			want := fmt.Sprintf(`{"answer":"I am %d"}`, k)
			got := received(c.Receive())
			if got != want {
				t.Errorf("session %d: got %s", k, got)
			}
		})
	}
	inTime(t, "a session", all.Wait)
	must.Pass(t, rec)
	if t.Failed() {
		t.FailNow()
	}
}
