// Package fakewires proves that the official SDKs decode what the fake provider
// writes: each reply of a script, plain and streamed, to equal values.
package fakewires

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// serve starts a server that answers each request with a reply, and returns its URL.
func serve(t *testing.T, reply fakeprovider.Reply) (url string) {
	t.Helper()
	var state fakeprovider.State
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	}))
	t.Cleanup(server.Close)
	return server.URL
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
