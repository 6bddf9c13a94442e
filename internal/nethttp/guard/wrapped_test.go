package guard_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/guard"
)

// TestWrappedFunctionMaySend: a function that promptecho.Wrap records may send
// requests by its own client, since a replay does not call it. The same request
// of other code is refused.
func TestWrappedFunctionMaySend(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	guard.Install()
	guard.Start(nil)
	defer guard.Stop()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	send := func(context.Context, string) (int, error) {
		resp, err := client.Get("http://api.example.com/")
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}

	rec, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	if err != nil {
		t.Fatal(err)
	}
	status, err := promptecho.Wrap(rec, "tool/send", send)(t.Context(), "x")
	if err != nil || status != http.StatusOK {
		t.Errorf("a wrapped function got status %d, %v", status, err)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}

	var leak *guard.Leak
	if _, err := send(t.Context(), "x"); !errors.As(err, &leak) {
		t.Errorf("other code got %v, want a refusal", err)
	}
}
