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

// A bubbleTripper sends requests from a bubble of testing/synctest. The zero value
// is ready for use.
type bubbleTripper struct {
	inside atomic.Int32 // exchanges that run inside of the bubble
}

// trip sends a request. It uses the transport outside of the bubble if it can, so
// that no connection and no goroutine of the transport belongs to the bubble.
func (b *bubbleTripper) trip(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	t, isTransport := rt.(*http.Transport)
	if isTransport && hasStandardDialer(t) {
		return tripOutside(rt, req)
	}

	b.inside.Add(1)
	resp, err := rt.RoundTrip(req)
	if !hasBodyToRead(resp) {
		return resp, cmp.Or(err, b.leave(rt))
	}
	leave := sync.OnceValue(func() error { return b.leave(rt) })
	resp.Body = &bubbleBody{
		ReadCloser: resp.Body,
		run:        func(f func()) { f() },
		end:        func(err error) error { return cmp.Or(leave(), err) },
	}
	return resp, err
}

// hasBodyToRead reports whether the client will read the body of a response to its
// end or close it.
func hasBodyToRead(resp *http.Response) bool {
	if resp == nil || resp.Body == nil || resp.Body == http.NoBody {
		return false
	}
	return resp.StatusCode != http.StatusSwitchingProtocols
}

// hasStandardDialer reports whether a transport dials with the standard library.
// Another dialer may connect to a server inside of the bubble, over a pipe.
func hasStandardDialer(t *http.Transport) bool {
	//lint:ignore SA1019 they may be set
	for _, dial := range [...]any{t.DialContext, t.DialTLSContext, t.Dial, t.DialTLS} {
		name := runtime.FuncForPC(reflect.ValueOf(dial).Pointer()).Name() // "" if dial is nil
		isStandard := name == "" || strings.HasPrefix(name, "net.(") || strings.HasPrefix(name, "net/http")
		if !isStandard {
			return false
		}
	}
	return true
}

// leave ends an exchange inside of the bubble. After the last one, it closes the
// connections that the transport has kept there: a goroutine that reads from a
// connection keeps the clock of the bubble from advancing. If the connections stay
// open, leave returns an error.
func (b *bubbleTripper) leave(rt http.RoundTripper) error {
	b.inside.Add(-1)
	for tries := 0; b.inside.Load() == 0 && bubble.Connected(); tries++ {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
		if tries == maxCloseTries {
			return finalError(fmt.Sprintf("promptecho: the clock of this testing/synctest bubble does not advance, "+
				"because %T, which Upstream sets, keeps a connection open in it: "+
				"give it a method CloseIdleConnections that closes the connection, or use an *http.Transport", rt))
		}
		bubble.Outside(func() { time.Sleep(closeInterval) })
	}
	return nil
}

// leave waits for half a second in all: a transport closes a connection in
// goroutines of its own.
const (
	maxCloseTries = 50
	closeInterval = 10 * time.Millisecond
)

// tripOutside sends a request outside of the bubble in which its context was made.
// The end of that context cancels the request.
func tripOutside(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	stop := context.AfterFunc(req.Context(), cancel)
	out := req.WithContext(ctx)
	out.Cancel = nil //lint:ignore SA1019 net/http still sets it, together with the context

	var resp *http.Response
	var err error
	bubble.Outside(func() { resp, err = rt.RoundTrip(out) })

	end := func(err error) error {
		stop()
		cancel()
		if err == nil || err == io.EOF {
			return err
		}
		return cmp.Or(req.Context().Err(), err)
	}
	if !hasBodyToRead(resp) {
		return resp, end(err)
	}
	resp.Body = &bubbleBody{ReadCloser: resp.Body, run: bubble.Outside, end: end}
	return resp, nil
}

// A bubbleBody is the body of a live response whose reader is in a bubble.
type bubbleBody struct {
	io.ReadCloser
	run func(f func())        // runs each Read and Close of ReadCloser
	end func(err error) error // ends the exchange with an error, and returns the error for the reader
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
