package echogrpc

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// A serverStream is a call with many answers. In the cassette each message is an event of the response, one
// line of JSON. If the call fails after its header has come, the last event has the status.
type serverStream struct {
	*call
	ctx  context.Context
	open opener

	// isAnswered is closed when resp or err is set. The live server may send its header late, such as
	// after another call, so a run that may make the call waits for it in a goroutine.
	isAnswered chan struct{}
	resp       *http.Response
	err        error

	// The fields below are for the goroutine that calls RecvMsg.
	events *bufio.Reader
	into   any   // what a live message is received into
	end    error // what RecvMsg returns from now on
	stop   func() bool
}

// SendMsg sends the one message of the client.
func (s *serverStream) SendMsg(message any) error {
	body, sent, err := s.keep(message)
	if err != nil {
		return err
	}
	ask := func() {
		defer close(s.isAnswered)
		s.resp, s.err = s.ask(s.ctx, body, func(req *http.Request) (*http.Response, error) {
			return s.send(req.Context(), sent)
		})
	}
	s.stop = context.AfterFunc(s.ctx, s.abandon)
	if s.rec.Online() {
		go ask()
	} else {
		ask()
	}
	return nil
}

// abandon closes the response when the program has canceled the call, as an HTTP client does. The recorder
// then has what came until now.
func (s *serverStream) abandon() {
	<-s.isAnswered
	if s.err == nil {
		s.resp.Body.Close()
	}
}

// send makes the call.
func (s *serverStream) send(ctx context.Context, message proto.Message) (*http.Response, error) {
	live, err := s.open(ctx, s.liveOptions())
	if err != nil {
		return responseOf(s.ctx, nil, err, nil, nil)
	}
	_ = live.SendMsg(message) // RecvMsg returns the status of a call that has failed
	_ = live.CloseSend()
	header, err := live.Header()
	hasFailed := err != nil || header == nil
	if !hasFailed {
		return s.liveResponse(live, header), nil
	}
	err = live.RecvMsg(new(emptypb.Empty))
	if err == io.EOF {
		return s.liveResponse(live, header), nil
	}
	return responseOf(s.ctx, nil, err, header, live.Trailer())
}

// liveResponse returns the response whose body has the messages of a live stream.
func (s *serverStream) liveResponse(live grpc.ClientStream, header metadata.MD) *http.Response {
	resp := newResponse(http.StatusOK, "application/x-ndjson", header, nil)
	resp.Trailer = http.Header{}
	resp.Body = &liveBody{stream: s, live: live, trailer: resp.Trailer}
	return resp
}

// A liveBody is the body of a response that stands for a live stream. A Read receives one message, or the
// end, and returns it as one line.
type liveBody struct {
	stream  *serverStream
	live    grpc.ClientStream
	trailer http.Header // set at the end
	line    []byte      // what Read returns next
	end     error       // what it returns then; nil if more may come
}

func (b *liveBody) Read(p []byte) (int, error) {
	if len(b.line) == 0 && b.end == nil {
		b.line, b.end = b.receive()
	}
	if len(b.line) == 0 {
		return 0, b.end
	}
	n := copy(p, b.line)
	b.line = b.line[n:]
	return n, nil
}

// receive receives a message, or the end.
func (b *liveBody) receive() (line []byte, end error) {
	into := b.stream.into
	if into == nil {
		return nil, io.ErrUnexpectedEOF // the recorder ends before the program has called RecvMsg
	}
	err := b.live.RecvMsg(into)
	if err == nil {
		line, err = encode(into)
		if err != nil {
			return nil, err
		}
		return append(line, '\n'), nil
	}
	canceled := b.stream.ctx.Err()
	if canceled != nil {
		return nil, canceled
	}
	for name, values := range headerOf(b.live.Trailer()) {
		b.trailer[name] = values
	}
	if err == io.EOF {
		return nil, io.EOF
	}
	line, failed := encodeEnd(status.Convert(err))
	if failed != nil {
		return nil, failed
	}
	return append(line, '\n'), io.EOF
}

// Close does nothing: the live stream ends with the context of the program.
func (b *liveBody) Close() error { return nil }

// CloseSend does nothing: the call has one message.
func (s *serverStream) CloseSend() error { return nil }

// RecvMsg receives a message. It returns io.EOF after the last one.
func (s *serverStream) RecvMsg(message any) error {
	if s.end != nil {
		return s.end
	}
	err := s.receive(message)
	if err != nil {
		s.finish(err)
	}
	return err
}

// receive is RecvMsg until the end of the stream.
func (s *serverStream) receive(message any) error {
	err := s.await()
	if err != nil {
		return err
	}
	if s.resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(s.resp.Body)
		if err != nil {
			return statusOf(s.ctx, err)
		}
		return recordedError(body)
	}
	if s.events == nil {
		s.events = bufio.NewReader(s.resp.Body)
	}
	s.into = message
	event, err := s.events.ReadBytes('\n')
	event = bytes.TrimSpace(event)
	switch {
	case len(event) == 0 && err == io.EOF:
		return io.EOF
	case len(event) == 0 && err != nil:
		return statusOf(s.ctx, err)
	}
	ended, isEnd, err := readEnd(event)
	if err != nil {
		return err
	}
	if !isEnd {
		return decode(event, message)
	}
	_, _ = io.Copy(io.Discard, s.events) // the recording is complete when it is read to its end
	return endOf(ended)
}

// await waits until the call has an answer.
func (s *serverStream) await() error {
	select {
	case <-s.isAnswered:
		return s.err
	case <-s.ctx.Done():
		return status.FromContextError(s.ctx.Err()).Err()
	}
}

// finish ends the call. end is what RecvMsg returns from now on.
func (s *serverStream) finish(end error) {
	s.end = end
	if s.stop != nil {
		s.stop()
	}
	var header, trailer metadata.MD
	if s.await() == nil {
		s.resp.Body.Close()
		header = metadataOf(s.resp.Header)
		trailer = metadataOf(s.resp.Trailer)
	}
	if end == io.EOF {
		end = nil
	}
	s.serveOptions(header, trailer, end)
}

// Header waits for the header, and returns it. It is empty if the call has failed.
func (s *serverStream) Header() (metadata.MD, error) {
	err := s.await()
	if err != nil {
		return nil, err
	}
	return metadataOf(s.resp.Header), nil
}

// Trailer returns the trailer. It is empty until RecvMsg has returned an error.
func (s *serverStream) Trailer() metadata.MD {
	isFailed := s.end == nil || s.await() != nil
	if isFailed {
		return nil
	}
	return metadataOf(s.resp.Trailer)
}

func (s *serverStream) Context() context.Context { return s.ctx }
