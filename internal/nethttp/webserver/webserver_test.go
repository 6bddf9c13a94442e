package webserver

import (
	"io"
	"net"
	"net/http"
	"testing"
)

// Programs reach a server over HTTP/1.1 and over HTTP/2 without TLS.
func TestServerSpeaksBothVersionsWithoutTLS(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	go s.Serve(l) // it returns when Close closes the listener
	t.Cleanup(func() { s.Close() })

	for _, want := range []string{"HTTP/1.1", "HTTP/2.0"} {
		protocols := new(http.Protocols)
		protocols.SetHTTP1(want == "HTTP/1.1")
		protocols.SetUnencryptedHTTP2(want == "HTTP/2.0")
		transport := &http.Transport{Protocols: protocols}
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport}).Get("http://" + l.Addr().String())
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %s", got, err, want)
		}
	}
}
