package exchange

import (
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
	own      *http.Transport // a clone that nobody else has; nil if the user gave the transport
	inBubble inBubble
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
		return &Upstream{RoundTripper: own, own: own}
	}
	return &Upstream{RoundTripper: network}
}

// RoundTrip sends a request, past the guard that looks for requests without a recorder.
func (u *Upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.WithContext(guard.Exempt(req.Context()))
	trip := http.RoundTripper.RoundTrip
	if bubble.In() {
		trip = u.inBubble.trip
	}
	resp, err := trip(u.RoundTripper, req)
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}

// Send sends a clone of a request. Accept-Encoding is left to the transport, which decodes what
// it asked for, so that people can read the cassette.
func (u *Upstream) Send(out *http.Request) (*http.Response, error) {
	maps.DeleteFunc(out.Header, func(name string, _ []string) bool { return strings.EqualFold(name, "Accept-Encoding") })
	resp, err := u.RoundTrip(out)
	if resp == nil && err == nil {
		err = errors.New("the transport that Upstream sets returned neither a response nor an error")
	}
	return resp, err
}

// Fetch sends a request as [Upstream.Send] does and returns its whole answer, as
// [Capture] records it; completes is that of a [Keeper]. If the answer broke off, its end
// says so.
func (u *Upstream) Fetch(out *http.Request, completes func(value string) bool) (whole *interaction.Response, err error) {
	sent := time.Now()
	resp, err := u.Send(out)
	if err != nil {
		return nil, err
	}
	resp.Request = out
	Capture(resp, sent, Keeper{
		Now:       func() int { return 0 },
		Drops:     func(string) bool { return false },
		Pending:   new(Pending),
		Completes: completes,
		Settle:    func(r *interaction.Response, _ int64, _ []int) { whole = r },
	})
	if resp.Body != nil {
		_, _ = io.Copy(io.Discard, resp.Body) // the response has the error
		resp.Body.Close()
	}
	return whole, nil
}

// Close closes the connections that nobody uses any more. A nil Upstream has none.
func (u *Upstream) Close() {
	if u != nil && u.own != nil {
		bubble.Outside(u.own.CloseIdleConnections)
	}
}
