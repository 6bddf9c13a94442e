package programs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/coder/websocket"
)

// processes are programs in Go. Each runs in a process of its own.
var processes = map[string]func() error{
	"http":   get,
	"grpc":   callGRPC,
	"socket": talk,
}

// Programs in Go are recorded, and replayed with the same output: net/http, gRPC, WebSockets.
func TestGoPrograms(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range processes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recordAndReplay(t, newUpstream(t), program{
				command:  []string{self},
				env:      []string{processVariable + "=" + name},
				isStream: name != "socket",
			})
		})
	}
}

// get is a program that uses http.DefaultClient.
func get() error {
	for _, url := range []string{"https://api.example.com/events", "http://api.example.com/text"} {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		fmt.Println(resp.Status, resp.Proto)
		_, err = io.Copy(os.Stdout, resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// talk is a program that talks over a WebSocket.
func talk() error {
	ctx := context.Background()
	conn, _, err := websocket.Dial(ctx, "wss://api.example.com/socket", nil)
	if err != nil {
		return err
	}
	for _, word := range []string{"first", "second"} {
		err = conn.Write(ctx, websocket.MessageText, []byte(word))
		if err != nil {
			return err
		}
		_, message, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", message)
	}
	return conn.Close(websocket.StatusNormalClosure, "")
}
