package echogrpc

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Transport returns a transport in front of a recorder that records the gRPC calls of
// other processes, and replays them. Requests of other types go to the recorder as they
// are. It is for package echotest:
//
//	srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
//	cmd.Env = append(cmd.Environ(), "QDRANT_URL="+srv.URL("http://qdrant:6334"))
//
// The program reaches the address over HTTP/2 without TLS, or its own address through
// [echotest.Proxy] with TLS. The cassette is the same as that of a client with
// [DialOptions], so that either replays what the other one has recorded.
//
// To read a message, its descriptor must be known. That is so if the test links the
// generated package of the service: import it with the name _. For a service without
// a Go package, pass what protoc writes, read with [proto.Unmarshal]:
//
//	protoc --include_imports --descriptor_set_out=service.pb service.proto
//
// A call of a method that is not known fails with FailedPrecondition.
//
// A live call goes to the host of the request, over a connection of its own: with TLS
// if the upstream is https, and in plain text if it is http.
//
// [echotest.Proxy]: https://pkg.go.dev/github.com/promptecho/promptecho/echotest#Proxy
// [proto.Unmarshal]: https://pkg.go.dev/google.golang.org/protobuf/proto#Unmarshal
func Transport(rec *promptecho.Recorder, files ...*descriptorpb.FileDescriptorSet) http.RoundTripper {
	s := &service{rec: rec}
	s.schema, s.broken = newSchema(files)
	return &transport{rec: rec, server: s.newServer()}
}

// A transport is the one of Transport. Its server never listens: it gets its requests from
// RoundTrip, and calls a handler for each.
type transport struct {
	rec    *promptecho.Recorder
	server *grpc.Server
}

// RoundTrip answers a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !isGRPC(req) {
		return t.rec.RoundTrip(req)
	}
	w := newResponseWriter(req)
	in := req.WithContext(withUpstream(req.Context(), req.URL))
	in.ProtoMajor, in.ProtoMinor = 2, 0 // the server serves no other version
	in.Body = &requestBody{ReadCloser: bodyOf(req), onClose: w.finish}
	go func() {
		defer in.Body.Close() // the server does not if it has refused the request
		t.server.ServeHTTP(w, in)
	}()
	<-w.isBegun
	if w.failed != nil {
		return nil, w.failed
	}
	return w.response, nil
}

// isGRPC reports whether a request is a gRPC call. That of gRPC-Web is not.
func isGRPC(req *http.Request) bool {
	const mediaType = "application/grpc"
	format, isCall := strings.CutPrefix(req.Header.Get("Content-Type"), mediaType)
	return isCall && (format == "" || strings.ContainsAny(format[:1], "+;"))
}

func bodyOf(req *http.Request) io.ReadCloser {
	if req.Body == nil {
		return http.NoBody
	}
	return req.Body
}

// A requestBody is the body of a request to the server, which closes it when it has written the
// response. It then waits until a Read has returned, which may be as late as the end of the client's
// request.
type requestBody struct {
	io.ReadCloser
	onClose func()
}

func (b *requestBody) Close() error {
	b.onClose()
	return b.ReadCloser.Close()
}

// A responseWriter makes the response of a RoundTrip of what a server writes. The goroutine of the
// server calls its methods.
type responseWriter struct {
	ctx      context.Context
	header   http.Header
	body     *io.PipeWriter
	response *http.Response
	failed   error         // why there is no response; nil if there is one
	isBegun  chan struct{} // closed when response or failed is set
	begin    sync.Once
	end      sync.Once
}

// newResponseWriter returns the writer for the response to a request. What the server writes is read from the
// body of the response, through a pipe.
func newResponseWriter(req *http.Request) *responseWriter {
	reader, writer := io.Pipe()
	w := &responseWriter{
		ctx:     req.Context(),
		header:  http.Header{},
		body:    writer,
		isBegun: make(chan struct{}),
	}
	w.response = &http.Response{
		Proto:         "HTTP/2.0",
		ProtoMajor:    2,
		Body:          &responseBody{PipeReader: reader, onEnd: w.setTrailers},
		ContentLength: -1,
		Trailer:       http.Header{},
		Request:       req,
	}
	return w
}

// A responseBody is what a responseWriter writes. The trailers of a response are set when its reader
// has come to the end, and not before.
type responseBody struct {
	*io.PipeReader
	onEnd func()
}

func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if err == io.EOF {
		b.onEnd()
	}
	return n, err
}

// Header returns the headers, and after those the trailers.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader begins the response.
func (w *responseWriter) WriteHeader(status int) {
	w.begin.Do(func() {
		w.response.StatusCode = status
		w.response.Status = fmt.Sprintf("%d %s", status, http.StatusText(status))
		w.response.Header = w.header.Clone()
		w.response.Header.Del("Trailer") // the response has a field for them
		close(w.isBegun)
	})
}

// Write writes a part of the body. It waits until the reader has it.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush begins the response. What is written is never kept back.
func (w *responseWriter) Flush() { w.WriteHeader(http.StatusOK) }

// finish ends the response. One without the status of its call broke off.
func (w *responseWriter) finish() {
	w.end.Do(func() {
		hasStatus := w.header.Get(statusHeader) != "" || w.isRefused()
		if hasStatus {
			w.WriteHeader(http.StatusOK)
			w.body.Close()
			return
		}
		err := w.ctx.Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		w.begin.Do(func() {
			w.failed = err
			close(w.isBegun)
		})
		w.body.CloseWithError(err)
	})
}

// isRefused reports whether the server has answered with an error of HTTP, as to a request that is
// not POST.
func (w *responseWriter) isRefused() bool { return w.response.StatusCode >= http.StatusBadRequest }

// statusHeader is the trailer with the code of a call.
const statusHeader = "Grpc-Status"

// setTrailers sets the trailers of the response. The server announces those of gRPC, and marks the
// names of others with a prefix.
func (w *responseWriter) setTrailers() {
	announced := w.header["Trailer"]
	for name, values := range w.header {
		trailer, isMarked := strings.CutPrefix(name, http.TrailerPrefix)
		if isMarked || slices.Contains(announced, name) {
			w.response.Trailer[http.CanonicalHeaderKey(trailer)] = values
		}
	}
}
