package answer

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A request that goes upstream can be sent again, and leaves the coding of the answer to
// the transport; the user's request stays as it is.
func TestUpstreamSend(t *testing.T) {
	t.Parallel()
	const text = `{"a":1}`
	u := NewUpstream(transport(func(out *http.Request) (*http.Response, error) {
		again, err := out.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []io.Reader{out.Body, again} {
			if body, err := io.ReadAll(r); string(body) != text || err != nil {
				t.Errorf("sent %q, %v", body, err)
			}
		}
		if len(out.Header) != 1 || out.ContentLength != int64(len(text)) || out.TransferEncoding != nil {
			t.Errorf("sent %v, %d bytes, %v", out.Header, out.ContentLength, out.TransferEncoding)
		}
		return &http.Response{StatusCode: 200}, nil
	}), nil)
	defer u.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://h/", strings.NewReader("drained"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"accept-encoding": {"br"}, "X-Other": {"yes"}}
	req.TransferEncoding = []string{"chunked"}
	if _, err := u.Send(req, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if len(req.Header) != 2 || req.ContentLength != int64(len("drained")) || req.TransferEncoding == nil {
		t.Errorf("the request was changed: %+v", req)
	}
}

// Connections are the recorder's own where it made the transport.
func TestUpstreamIsAClone(t *testing.T) {
	t.Parallel()
	network := &http.Transport{MaxIdleConns: 7}
	u := NewUpstream(nil, network)
	if own, ok := u.RoundTripper.(*http.Transport); !ok || own == network || own.MaxIdleConns != 7 {
		t.Errorf("%+v", u.RoundTripper)
	}
	u.Close()
	if u := NewUpstream(network, nil); u.RoundTripper != network {
		t.Error("the transport of the user is not used as it is")
	}
	(*Upstream)(nil).Close() // a replay has none
}
