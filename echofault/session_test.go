package echofault

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// serveSocket serves a WebSocket. It answers each text with two messages, and a close with a close.
func serveSocket(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		_, _ = io.WriteString(connection, head+"\r\n")

		parser := websocket.Parser{Masked: true}
		buf := make([]byte, 512)
		for {
			n, err := connection.Read(buf)
			messages, _ := parser.Parse(buf[:n])
			var out []byte
			for _, m := range messages {
				out = websocket.AppendFrame(out, websocket.Ping, nil)
				out = websocket.AppendFrame(out, websocket.Text, fmt.Appendf(nil, `{"echo":%q}`, m.Data))
				out = websocket.AppendFrame(out, websocket.Binary, []byte("12345678"))
			}
			_, _ = connection.Write(out)
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// talk sends two texts, one after the answer to the other, and returns what it received, and how
// the connection ended.
func talk(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	req, err := http.NewRequest("GET", url+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body.Close()
		return resp.Status
	}
	connection := resp.Body.(io.ReadWriteCloser)
	defer connection.Close()

	var got []string
	var parser websocket.Parser
	buf := make([]byte, 64)
	for _, text := range []string{"one", "two"} {
		_, err := connection.Write(websocket.AppendMaskedFrame(nil, websocket.Text, []byte(text), [4]byte{1, 2, 3, 4}))
		if err != nil {
			return strings.Join(append(got, "cannot send"), " ")
		}
		for received := 0; received < 2; {
			n, err := connection.Read(buf)
			messages, parseErr := parser.Parse(buf[:n])
			if parseErr != nil {
				t.Fatal(parseErr)
			}
			for _, m := range messages {
				if m.Opcode == websocket.Text || m.Opcode == websocket.Binary {
					got = append(got, string(m.Data))
					received++
				}
			}
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return strings.Join(append(got, "broken"), " ")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return strings.Join(got, " ")
}

// TestFaultsStrikeSessions: faults strike the messages of a WebSocket alike while it is recorded
// and while it is replayed.
func TestFaultsStrikeSessions(t *testing.T) {
	t.Parallel()
	const one, two, bytes = `{"echo":"one"}`, `{"echo":"two"}`, "12345678"
	for _, tt := range []struct {
		fault Fault
		want  string
	}{
		{Cut(0), "cannot send"},
		{Cut(1), one + " broken"},
		{Cut(3), one + " " + bytes + " " + two + " broken"},
		{Garble(1), `{"echo"####### ` + bytes + " " + two + " " + bytes},
		{Garble(4), one + " " + bytes + " " + two + " 1234####"},
		{FailFirst(1, 503), "503 Service Unavailable"},
		{Slow(time.Nanosecond), one + " " + bytes + " " + two + " " + bytes},
	} {
		t.Run(tt.fault.code, func(t *testing.T) {
			t.Parallel()
			url := serveSocket(t)
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				rec := open(t, file, mode)
				got := talk(t, New(t, rec, tt.fault).Client(), url)
				if got != tt.want {
					t.Errorf("mode %s: %s, want %s", mode, got, tt.want)
				}
				if tt.fault.code == "FailFirst(1, 503)" {
					got = talk(t, rec.Client(), url)
					if want := one + " " + bytes + " " + two + " " + bytes; got != want {
						t.Errorf("after the failure: %s, want %s", got, want)
					}
				}
				if err := rec.Close(); err != nil {
					t.Errorf("mode %s: %v", mode, err)
				}
			}
		})
	}
}

// TestFaultsSpareSessions: a fault that a session is too short for says so.
func TestFaultsSpareSessions(t *testing.T) {
	t.Parallel()
	url := serveSocket(t)
	for _, fault := range []Fault{Cut(9), Garble(9)} {
		tb := &fakeTB{}
		tb.run(func() {
			rec := open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.ModeAll)
			talk(t, New(tb, rec, fault).Client(), url)
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
		want := "after 4 messages of the server"
		if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], want) {
			t.Errorf("%s: %q, want %q", fault.code, tb.errors, want)
		}
	}
}
