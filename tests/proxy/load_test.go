package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Many programs use one proxy at once: each is recorded, and gets its own answer again in a replay.
func TestProgramsUseOneProxyAtOnce(t *testing.T) {
	// Not parallel: it looks for goroutines that are left.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		var upstream http.RoundTripper = new(echo)
		if mode == promptecho.ModeNone {
			upstream = provider.Fails(fmt.Errorf("a replay sends a request"))
		}
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		t.Run(string(mode), func(t *testing.T) {
			server := echotest.Serve(t, rec, echotest.Proxy())
			var programs sync.WaitGroup
			for i := range full.Cases(6, 64) {
				programs.Go(func() {
					url := fmt.Sprintf("https://api%d.example.com/program/%d", i%3, i)
					cmd := exec.CommandContext(t.Context(), self, askCommand, url)
					cmd.Env = append(cmd.Environ(), server.Env()...)
					out, err := cmd.CombinedOutput()
					if err != nil || strings.TrimSpace(string(out)) != url {
						t.Errorf("program %d got %q, %v", i, out, err)
					}
				})
			}
			programs.Wait()
		})
		must.Close(t, rec)
		wantNothingLeft(t)
	}
}

// Many connections carry many requests, over HTTP/1.1 and HTTP/2. Each request gets its own
// answer, and no connection is left when the server has ended.
func TestManyRequestsOverManyConnections(t *testing.T) {
	// Not parallel: it looks for goroutines that are left.
	connections := full.Cases(8, 200)
	requests := full.Cases(25, 50) // on each connection: 10,000 in full
	var dialed, open atomic.Int64
	t.Run("serve", func(t *testing.T) {
		c := serve(t)
		// A server of net/http closes a connection of HTTP/2 on which nothing comes for two
		// seconds. On a busy machine a client may take longer if all of them connect at once.
		connecting := make(chan bool, 4)
		var clients sync.WaitGroup
		for i := range connections {
			clients.Go(func() {
				protocol := []string{"HTTP/1.1", "HTTP/2.0"}[i%2]
				transport := c.transport(protocol)
				transport.DialContext = countingDial(&dialed, &open)
				connecting <- true
				post(t, transport, protocol, fmt.Sprintf("first request of client %d", i))
				<-connecting
				for n := range requests - 1 {
					post(t, transport, protocol, fmt.Sprintf("request %d of client %d", n, i))
				}
			})
		}
		clients.Wait()
	})
	// On a busy machine there are more: net/http closes a connection on which it has not seen the
	// end of the request 50 ms after the answer.
	if dialed.Load() < int64(connections) {
		t.Errorf("%d connections, want %d", dialed.Load(), connections)
	}
	wantNothingLeft(t)
	if open.Load() != 0 {
		t.Errorf("%d connections are left", open.Load())
	}
}

// post sends a text, and checks the answer and the protocol.
func post(t *testing.T, transport http.RoundTripper, protocol, text string) {
	t.Helper()
	const url = "https://api.example.com/v1"
	resp, err := (&http.Client{Transport: transport}).Post(url, "text/plain", strings.NewReader(text))
	if err != nil {
		t.Errorf("%s: %v", protocol, err)
		return
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != url+" "+text || resp.Proto != protocol {
		t.Errorf("%s: got %q by %s, %v", protocol, got, resp.Proto, err)
	}
}

// countingDial returns a function that connects, and counts the connections. A transport closes a
// connection when the server has.
func countingDial(dialed, open *atomic.Int64) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		dialed.Add(1)
		open.Add(1)
		return &counted{Conn: conn, open: open}, nil
	}
}

type counted struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// A server that ends while clients connect, shake hands and ask leaves nothing of them. All of
// them get an error.
func TestServerEndsAmongClients(t *testing.T) {
	// Not parallel: it looks for goroutines that are left.
	for range full.Cases(5, 20) {
		var clients sync.WaitGroup
		t.Run("serve", func(t *testing.T) {
			c := serve(t)
			var answered sync.WaitGroup
			for i := range 8 {
				answered.Add(1)
				clients.Go(func() {
					isFirst := true
					for {
						transport := c.transport([]string{"HTTP/1.1", "HTTP/2.0"}[i%2])
						resp, err := (&http.Client{Transport: transport}).Get("https://api.example.com/v1")
						if err == nil {
							_, _ = io.Copy(io.Discard, resp.Body) // the server may end meanwhile
							resp.Body.Close()
						}
						transport.CloseIdleConnections()
						if isFirst {
							answered.Done()
							isFirst = false
						}
						if err != nil {
							return
						}
					}
				})
			}
			answered.Wait()
		})
		clients.Wait()
		wantNothingLeft(t)
	}
}
