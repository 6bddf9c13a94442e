package exchange

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
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// An inBubble sends requests from a bubble of testing/synctest. The zero value is ready for use.
type inBubble struct {
	underWay atomic.Int32 // exchanges that lie in the bubble
}

// trip sends a request: outside of the bubble if the transport knows nothing of that, so that
// no connection lies in it.
func (in *inBubble) trip(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	if t, ok := rt.(*http.Transport); ok && dialsPlainly(t) {
		return tripOutside(rt, req)
	}
	in.underWay.Add(1)
	resp, err := rt.RoundTrip(req)
	if !isRead(resp) {
		return resp, cmp.Or(err, in.leave(rt))
	}
	leave := sync.OnceValue(func() error { return in.leave(rt) })
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
	//lint:ignore SA1019 they may be set
	for _, dial := range [...]any{t.DialContext, t.DialTLSContext, t.Dial, t.DialTLS} {
		name := runtime.FuncForPC(reflect.ValueOf(dial).Pointer()).Name() // "" if there is none
		if name != "" && !strings.HasPrefix(name, "net.(") && !strings.HasPrefix(name, "net/http") {
			return false
		}
	}
	return true
}

// leave closes what a transport has left in the bubble, when nothing is under way there. If
// that does not help, the clock of the bubble would stand still, and leave returns an error.
func (in *inBubble) leave(rt http.RoundTripper) error {
	in.underWay.Add(-1)
	for tries := 0; in.underWay.Load() == 0 && bubble.Connected(); tries++ {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
		if tries == 50 {
			return finalError(fmt.Sprintf("promptecho: the clock of this testing/synctest bubble does not advance, because %T, which Upstream sets, keeps a connection open in it: give it a method CloseIdleConnections that closes the connection, or use an *http.Transport", rt))
		}
		bubble.Outside(func() { time.Sleep(10 * time.Millisecond) })
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
