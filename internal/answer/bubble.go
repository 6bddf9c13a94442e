package answer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/bubble"
)

// tripInBubble sends a request from a bubble of testing/synctest: outside of it, if the
// transport can know nothing of the bubble, so that no connection lies in it.
func (u *Upstream) tripInBubble(req *http.Request) (*http.Response, error) {
	if t, ok := u.RoundTripper.(*http.Transport); ok && (u.own != nil || dialsPlainly(t)) {
		return tripOutside(t, req)
	}
	u.inBubble.Add(1)
	resp, err := u.RoundTripper.RoundTrip(req)
	if !isRead(resp) {
		return resp, cmp.Or(err, u.leave())
	}
	leave := sync.OnceValue(u.leave)
	resp.Body = &bubbleBody{resp.Body, func(f func()) { f() }, func(err error) error { return cmp.Or(leave(), err) }}
	return resp, err
}

// isRead reports whether a response has a body that somebody will read to the end, or close.
func isRead(resp *http.Response) bool {
	return resp != nil && resp.Body != nil && resp.Body != http.NoBody && resp.StatusCode != http.StatusSwitchingProtocols
}

// dialsPlainly reports whether a transport dials as the standard library does. Another dialer
// may lead to a server in the bubble, over a pipe.
func dialsPlainly(t *http.Transport) bool {
	for _, dial := range [...]any{t.DialContext, t.DialTLSContext, t.Dial, t.DialTLS} { //lint:ignore SA1019 it may be set
		if f := reflect.ValueOf(dial); !f.IsNil() && !strings.HasPrefix(runtime.FuncForPC(f.Pointer()).Name(), "net") {
			return false
		}
	}
	return true
}

// leave closes what the transport has left in the bubble, when nothing is under way there. If
// that does not help, the clock of the bubble would stand still, and leave returns an error.
func (u *Upstream) leave() error {
	left := u.inBubble.Add(-1)
	for tries := 0; left == 0; tries++ {
		if c, ok := u.RoundTripper.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
		switch {
		case !bubble.Connected():
			return nil
		case tries == 50:
			return finalError(fmt.Sprintf("promptecho: %T, given with Upstream, keeps a connection in the bubble of testing/synctest that is being recorded, and the clock of the bubble stands still: give it a method CloseIdleConnections that closes it, or give an *http.Transport", u.RoundTripper))
		}
		bubble.Outside(func() { time.Sleep(10 * time.Millisecond) })
		left = u.inBubble.Load()
	}
	return nil
}

// tripOutside sends a request outside of the bubble in which its context was made. The end of
// that ends the request.
func tripOutside(rt http.RoundTripper, req *http.Request) (resp *http.Response, err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	stop := context.AfterFunc(req.Context(), cancel)
	out := req.WithContext(ctx)
	out.Cancel = nil //lint:ignore SA1019 net/http still sets it, with the end of the context
	bubble.Outside(func() { resp, err = rt.RoundTrip(out) })
	end := func(err error) error {
		stop()
		cancel()
		if err == nil || err == io.EOF {
			return err
		}
		return cmp.Or(req.Context().Err(), err)
	}
	if !isRead(resp) {
		return resp, end(err)
	}
	resp.Body = &bubbleBody{resp.Body, bubble.Outside, end}
	return resp, nil
}

// A bubbleBody is the body of a live answer whose reader is in a bubble.
type bubbleBody struct {
	io.ReadCloser
	run func(f func())        // where it is read
	end func(err error) error // ends the exchange with an error, and returns what its reader gets
}

func (b *bubbleBody) Read(p []byte) (n int, err error) {
	b.run(func() { n, err = b.ReadCloser.Read(p) })
	if err != nil {
		err = b.end(err)
	}
	return n, err
}

func (b *bubbleBody) Close() (err error) {
	b.run(func() { err = b.ReadCloser.Close() })
	return b.end(err)
}
