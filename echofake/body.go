package echofake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// errClosed is the error of reading a body that the client has closed.
var errClosed = errors.New("echofake: read of a closed response body")

// A body is the body of a response. Each Read returns bytes of one event.
type body struct {
	ctx    context.Context
	test   context.Context // ends with the test
	events [][]byte        // those that are left
	hold   <-chan struct{} // before each event but the first; nil for no waiting
	whole  bool            // not a stream: the first event waits, too
	begun  bool            // the first event of the body was read
	inside bool            // the first of events is read in part

	once   sync.Once
	closed chan struct{}
}

func newBody(ctx, test context.Context, events [][]byte, hold <-chan struct{}, whole bool) *body {
	return &body{ctx: ctx, test: test, events: events, hold: hold, whole: whole, closed: make(chan struct{})}
}

// Read reads bytes of the next event.
func (b *body) Read(p []byte) (int, error) {
	for len(b.events) > 0 && len(b.events[0]) == 0 {
		b.events = b.events[1:]
		b.inside = false
	}
	if err := b.wait(); err != nil {
		return 0, err
	}
	if len(b.events) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.events[0])
	b.events[0] = b.events[0][n:]
	b.inside = len(b.events[0]) > 0
	b.begun = true
	return n, nil
}

// wait waits until the next event may be read.
func (b *body) wait() error {
	select {
	case <-b.closed:
		return errClosed
	case <-b.ctx.Done():
		return context.Cause(b.ctx)
	default:
	}
	mayPass := b.inside || !b.begun && !b.whole || len(b.events) == 0
	if b.hold == nil || mayPass {
		return nil
	}
	select {
	case <-b.hold:
		return nil
	case <-b.closed:
		return errClosed
	case <-b.ctx.Done():
		return context.Cause(b.ctx)
	case <-b.test.Done():
		return errOver
	}
}

// Close ends the body. A Read that waits returns an error.
func (b *body) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// serveHandler lets a handler answer in a goroutine, so that the client reads
// what it writes while it writes. The goroutine ends with the handler, whose
// context ends with that of the request, with the test, and when the client closes
// the body.
func (p *Provider) serveHandler(h http.Handler, in, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(in.Context())
	in = in.WithContext(ctx)
	reader, writer := io.Pipe()
	context.AfterFunc(p.ctx, func() { cancel(errOver) })
	context.AfterFunc(ctx, func() { writer.CloseWithError(context.Cause(ctx)) })

	w := &handlerWriter{header: http.Header{}, status: make(chan int, 1), body: writer}
	go func() {
		defer func() { w.end(ctx, recover()) }()
		h.ServeHTTP(w, in)
	}()
	var status int
	select {
	case status = <-w.status:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	w.sent.Set(fakeHeader, "fake")
	return &http.Response{
		Status:        strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          handlerBody{reader, cancel},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// A handlerWriter is the response of a handler.
type handlerWriter struct {
	header http.Header
	sent   http.Header // the header as it was when the status was sent
	status chan int
	begun  bool
	body   *io.PipeWriter
}

func (w *handlerWriter) Header() http.Header { return w.header }

func (w *handlerWriter) WriteHeader(status int) {
	isInformational := status < http.StatusOK
	if w.begun || isInformational {
		return
	}
	w.begun = true
	w.sent = w.header.Clone()
	w.status <- status
}

func (w *handlerWriter) Write(p []byte) (int, error) {
	if !w.begun && w.header.Get("Content-Type") == "" {
		w.header.Set("Content-Type", http.DetectContentType(p))
	}
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush sends the header; see [http.Flusher].
func (w *handlerWriter) Flush() { w.WriteHeader(http.StatusOK) }

// end ends the response when the handler has returned, or panicked with a value.
func (w *handlerWriter) end(ctx context.Context, panicked any) {
	var err error // io.EOF for the client
	isCanceled := ctx.Err() != nil
	switch {
	case panicked == http.ErrAbortHandler:
		err = io.ErrUnexpectedEOF
	case panicked != nil:
		err = fmt.Errorf("echofake: the handler panicked: %v", panicked)
	case isCanceled:
		err = context.Cause(ctx) // the handler may have returned because of it
	}
	if !isCanceled {
		w.WriteHeader(http.StatusOK)
	}
	w.body.CloseWithError(err)
}

// A handlerBody cancels the context of the handler when it is closed.
type handlerBody struct {
	*io.PipeReader
	cancel context.CancelCauseFunc
}

func (b handlerBody) Close() error {
	b.cancel(errClosed)
	return b.PipeReader.Close()
}
