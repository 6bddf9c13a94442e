// Package fakewires proves that the official SDKs decode what the fake provider
// writes: each reply of a script, plain and streamed, to equal values.
package fakewires

import (
	"io"
	"maps"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// serve starts a server that answers each request with a reply, and returns its URL. It is not a
// server of httptest, whose Close closes connections of http.DefaultTransport that other tests use.
func serve(t *testing.T, reply fakeprovider.Reply) (url string) {
	t.Helper()
	var state fakeprovider.State
	var count atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		n := int(count.Add(1))
		req := fakeprovider.Read(r, body, &state)
		if req.Problem != nil {
			write(w, req.Refuse(n, *req.Problem))
			return
		}
		write(w, req.Answer(n, reply))
	})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ends by Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return "http://" + listener.Addr().String()
}

// write sends a response. The events of a stream are flushed one by one.
func write(w http.ResponseWriter, resp *fakeprovider.Response) {
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body)
	for _, event := range resp.Events {
		_, _ = w.Write(event)
		_ = http.NewResponseController(w).Flush()
	}
}
