package proxied

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The client sends requests to the proxy, whatever their host is.
func TestClientUsesTheProxy(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.URL.String())
	}))
	t.Cleanup(proxy.Close)
	const url = "http://api.example.com/v1"
	resp, err := Client(t, proxy.URL, nil).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != url {
		t.Errorf("got %q, %v", got, err)
	}
}
