package exchange

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/guard"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// An Upstream is the transport that sends requests to their servers.
type Upstream struct {
	http.RoundTripper
	clone  *http.Transport // made by NewUpstream; nil if the transport is the user's
	bubble bubbleTripper
}

// NewUpstream returns an upstream that uses the transport of the user, or one like
// network if that is nil. A clone of an [http.Transport] has connections of its own:
// a connection that was opened in a synctest bubble must not be used outside of it.
func NewUpstream(transport, network http.RoundTripper) *Upstream {
	if transport != nil {
		return &Upstream{RoundTripper: transport}
	}
	if t, ok := network.(*http.Transport); ok {
		clone := t.Clone()
		return &Upstream{RoundTripper: clone, clone: clone}
	}
	return &Upstream{RoundTripper: network}
}

// WithTransport returns a context whose requests an [Upstream] sends with a transport, in place
// of its own.
func WithTransport(ctx context.Context, transport http.RoundTripper) context.Context {
	return context.WithValue(ctx, transportKey{}, transport)
}

type transportKey struct{}

// transportFor returns the transport that sends a request.
func (u *Upstream) transportFor(req *http.Request) http.RoundTripper {
	transport, ok := req.Context().Value(transportKey{}).(http.RoundTripper)
	if ok {
		return transport
	}
	return u.RoundTripper
}

// RoundTrip sends a request. The guard, which refuses requests without a recorder, lets
// it pass.
func (u *Upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.WithContext(guard.Exempt(req.Context()))
	trip := http.RoundTripper.RoundTrip
	if bubble.In() {
		trip = u.bubble.trip
	}
	resp, err := trip(u.transportFor(req), req)
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

// Send sends a request, and removes its Accept-Encoding: a transport that sets this
// header itself decodes the body, so that people can read the cassette.
func (u *Upstream) Send(out *http.Request) (*http.Response, error) {
	isAcceptEncoding := func(name string, _ []string) bool { return strings.EqualFold(name, "Accept-Encoding") }
	maps.DeleteFunc(out.Header, isAcceptEncoding)
	resp, err := u.RoundTrip(out)
	if resp == nil && err == nil {
		err = errors.New("the transport that Upstream sets returned neither a response nor an error")
	}
	return resp, err
}

// Fetch sends a request as [Upstream.Send] does and returns the response as [Capture]
// records it. isLastEvent is that of a [Sink]. If the response broke off, its End says
// so.
func (u *Upstream) Fetch(out *http.Request, isLastEvent func(value string) bool) (*interaction.Response, error) {
	sent := time.Now()
	resp, err := u.Send(out)
	if err != nil {
		return nil, err
	}
	resp.Request = out

	var captured *interaction.Response
	Capture(resp, sent, Sink{
		Moment:      func() int { return 0 },
		DropsHeader: func(string) bool { return false },
		Pending:     new(Pending),
		IsLastEvent: isLastEvent,
		Finish:      func(r *interaction.Response, _ int64, _ []int) { captured = r },
	})
	if resp.Body != nil {
		_, _ = io.Copy(io.Discard, resp.Body) // captured has the error
		resp.Body.Close()
	}
	return captured, nil
}

// Close closes the idle connections of a clone. It may be called for a nil Upstream.
func (u *Upstream) Close() {
	if u != nil && u.clone != nil {
		bubble.Outside(u.clone.CloseIdleConnections)
	}
}
