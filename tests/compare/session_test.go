package compare_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestSessionIsNotSentAgain: mode compare replays a WebSocket, sends nothing of it, and says so.
func TestSessionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		opened.Add(1)
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		head := "HTTP/1.1 101 Switching Protocols\r\n"
		for name, values := range websocket.Headers(r) {
			head += name + ": " + values[0] + "\r\n"
		}
		frames := websocket.AppendFrame(nil, websocket.Text, []byte("hello"))
		frames = websocket.AppendFrame(frames, websocket.Close, websocket.CloseData(1000, ""))
		_, _ = io.WriteString(connection, head+"\r\n"+string(frames))
		_, _ = io.Copy(io.Discard, connection)
	}))
	t.Cleanup(srv.Close)
	talk := func(r *promptecho.Recorder) {
		req, err := http.NewRequest("GET", srv.URL+"/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
			"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		}
		resp, err := r.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		connection := resp.Body.(io.ReadWriteCloser)
		var parser websocket.Parser
		buf := make([]byte, 64)
		for isClosed := false; !isClosed; {
			n, err := connection.Read(buf)
			messages, _ := parser.Parse(buf[:n])
			for _, m := range messages {
				isClosed = isClosed || m.Opcode == websocket.Close
			}
			if err != nil {
				break
			}
		}
		_, _ = connection.Write(websocket.AppendMaskedFrame(nil, websocket.Close, websocket.CloseData(1000, ""), [4]byte{1}))
		connection.Close()
	}

	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	talk(rec)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeCompare))
	talk(rec)
	messages := finish(rec)
	if !strings.Contains(messages, "1 not sent") || !strings.Contains(messages, "not sent: it is a session") {
		t.Errorf("messages:\n%s", messages)
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d sessions reached the server, want that of the recording run", n)
	}
}
