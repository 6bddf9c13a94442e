package answer

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// An Upstream is the transport that sends requests to their servers.
type Upstream struct {
	http.RoundTripper
	own *http.Transport // a clone that nobody else has; nil if the user gave the transport
}

// NewUpstream returns the given transport, or one like network if it is nil. The clone
// of an [http.Transport] has connections of its own: one that was opened inside of a
// synctest bubble must not be used again outside of it.
func NewUpstream(given, network http.RoundTripper) *Upstream {
	if given != nil {
		return &Upstream{RoundTripper: given}
	}
	if t, ok := network.(*http.Transport); ok {
		own := t.Clone()
		return &Upstream{own, own}
	}
	return &Upstream{RoundTripper: network}
}

// Send sends a clone of a request whose body was read. Accept-Encoding is left to the
// transport, which decodes what it asked for, so that people can read the cassette.
func (u *Upstream) Send(req *http.Request, body []byte) (*http.Response, error) {
	out := req.Clone(req.Context())
	for name := range out.Header {
		if strings.EqualFold(name, "Accept-Encoding") {
			delete(out.Header, name)
		}
	}
	if req.Body != nil && req.Body != http.NoBody {
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		out.Body, _ = out.GetBody()
		out.ContentLength = int64(len(body))
		out.TransferEncoding = nil
	}
	return u.RoundTrip(out)
}

// Close closes the connections that nobody uses any more. A nil Upstream has none.
func (u *Upstream) Close() {
	if u != nil && u.own != nil {
		u.own.CloseIdleConnections()
	}
}
