package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// noTime is how long a replay may take before a test gives up: it hangs. A machine that is busy with
// all packages at once, with the race detector, has taken 30 seconds.
const noTime = 5 * time.Minute

// newCassette returns the path of a cassette in a new folder. The cassette does not exist.
func newCassette(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "c.yaml")
}

// inTime runs f, and ends the test if f does not return.
func inTime(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(noTime):
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		t.Fatalf("%s hangs", what)
	}
}

// dial opens a WebSocket through a recorder.
func dial(t testing.TB, ctx context.Context, rec *promptecho.Recorder, url string) *socket.Conn {
	t.Helper()
	c, err := socket.Dialer{Client: rec.Client()}.Dial(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// received describes what Receive has returned, without what depends on the machine.
func received(m websocket.Message, err error) string {
	switch {
	case err != nil:
		return "ends: " + endOf(err)
	case m.Opcode == websocket.Close:
		code, reason, _ := websocket.ParseClose(m.Data)
		return fmt.Sprintf("close %d %s", code, reason)
	case m.Opcode == websocket.Binary:
		return fmt.Sprintf("bytes %x", m.Data)
	case m.Opcode == websocket.Text:
		return string(m.Data)
	}
	return fmt.Sprintf("opcode %d %s", m.Opcode, m.Data)
}

// endOf describes the error of a connection as programs tell errors apart.
func endOf(err error) string {
	switch {
	case err == io.EOF:
		return "EOF"
	case errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return "closed by this side"
	}
	return "broken"
}

// readToClose reads until the server answers a close frame.
func readToClose(c *socket.Conn, log *strings.Builder) {
	for {
		m, err := c.Receive()
		fmt.Fprintln(log, received(m, err))
		isClosed := err != nil || m.Opcode == websocket.Close
		if isClosed {
			return
		}
	}
}

// replay opens a recorder in mode none, with what a test of package echotest tells it.
func replay(t testing.TB, file string, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	opts = append(opts, promptecho.InMode(promptecho.ModeNone))
	return must.Open(t, file, opts...)
}

// record opens a recorder in mode all.
func record(t testing.TB, file string, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	opts = append(opts, promptecho.InMode(promptecho.ModeAll))
	return must.Open(t, file, opts...)
}
