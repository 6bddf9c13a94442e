package echogrpc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A twoWay is a stream in which both sides send messages: a session of the recorder.
type twoWay struct {
	*call
	ctx     context.Context
	session promptecho.MetadataStream
	live    *liveTwoWay // nil in a replay

	mu  sync.Mutex // guards end
	end error      // what RecvMsg returns from now on; nil if the stream has not ended
}

// openTwoWay opens a two-way stream, or a recorded one.
func (c *call) openTwoWay(ctx context.Context, open opener) (grpc.ClientStream, error) {
	s := &twoWay{call: c, ctx: ctx}
	req, err := c.request(ctx, nil)
	if err != nil {
		return nil, err
	}
	session, err := c.rec.Session(req, func(ctx context.Context) (promptecho.Stream[[]byte, []byte], error) {
		stream, err := open(ctx, c.liveOptions())
		if status.Code(err) == codes.DeadlineExceeded {
			stream = &lateStream{ctx: ctx, err: err}
			err = nil
		}
		if err != nil {
			return nil, err
		}
		s.live = &liveTwoWay{ctx: s.ctx, stream: stream}
		return s.live, nil
	})
	if err != nil {
		err = statusOf(ctx, err)
		c.serveOptions(nil, nil, err)
		return nil, err
	}
	described, hasMetadata := session.(promptecho.MetadataStream)
	if !hasMetadata {
		return nil, status.Error(codes.Internal, "promptecho: update the modules promptecho and echogrpc together")
	}
	s.session = described
	return s, nil
}

// SendMsg sends a message.
func (s *twoWay) SendMsg(message any) error {
	body, err := encodeRequest(message)
	if err != nil {
		return err
	}
	if s.live != nil {
		s.live.sending = message
	}
	return s.sendError(s.session.Send(body))
}

// CloseSend says that no message follows.
func (s *twoWay) CloseSend() error { return s.sendError(s.session.CloseSend()) }

// sendError returns an error of the session as gRPC has it: io.EOF if RecvMsg has the status.
func (s *twoWay) sendError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return statusOf(s.ctx, err)
}

// RecvMsg receives a message. It returns io.EOF if the server has ended the stream without an error.
func (s *twoWay) RecvMsg(message any) error {
	if end := s.ended(); end != nil {
		return end
	}
	err := s.receive(message)
	if err != nil {
		s.finish(err)
	}
	return err
}

// receive is RecvMsg until the end of the stream.
func (s *twoWay) receive(message any) error {
	if s.live != nil {
		s.live.into = message
	}
	body, err := s.session.Recv()
	if err == io.EOF {
		return io.EOF
	}
	if err != nil {
		return statusOf(s.ctx, err)
	}
	ended, isEnd, err := readEnd(body)
	if err != nil {
		return err
	}
	if !isEnd {
		return decode(body, message)
	}
	// The session ends after the status. If the deadline of the program comes in between, the
	// status stands.
	_, err = s.session.Recv()
	switch {
	case err == nil:
		return status.Errorf(codes.Internal,
			"promptecho: a message follows %s in the recording of %s", statusKey, s.method)
	case err != io.EOF && s.ctx.Err() == nil:
		return statusOf(s.ctx, err)
	}
	return endOf(ended)
}

func (s *twoWay) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// finish ends the stream. end is what RecvMsg returns from now on.
func (s *twoWay) finish(end error) {
	s.mu.Lock()
	s.end = end
	s.mu.Unlock()
	header := metadataOf(s.session.Header())
	trailer := metadataOf(s.session.Trailer())
	if end == io.EOF {
		end = nil
	}
	s.serveOptions(header, trailer, end)
}

// Header waits for the header, and returns it.
func (s *twoWay) Header() (metadata.MD, error) { return metadataOf(s.session.Header()), nil }

// Trailer returns the trailer. It is empty until RecvMsg has returned an error.
func (s *twoWay) Trailer() metadata.MD {
	if s.ended() == nil {
		return nil
	}
	return metadataOf(s.session.Trailer())
}

func (s *twoWay) Context() context.Context { return s.ctx }

// A liveTwoWay is a live stream as the recorder has it.
type liveTwoWay struct {
	ctx     context.Context
	stream  grpc.ClientStream
	sending any  // the message that Send sends; set by SendMsg
	into    any  // what Recv receives into; set by RecvMsg
	isEnded bool // the message with the status was the last one
}

// Send sends the message of the program itself, of which body is the JSON.
func (l *liveTwoWay) Send(body []byte) error { return l.stream.SendMsg(l.sending) }

func (l *liveTwoWay) CloseSend() error { return l.stream.CloseSend() }

// Recv receives a message. The status of a stream that has failed is a message, too: the last one.
func (l *liveTwoWay) Recv() ([]byte, error) {
	if l.isEnded {
		return nil, io.EOF
	}
	err := l.stream.RecvMsg(l.into)
	switch {
	case err == nil:
		return encode(l.into)
	case err == io.EOF:
		return nil, io.EOF
	case errors.Is(l.ctx.Err(), context.Canceled):
		return nil, l.ctx.Err()
	}
	l.isEnded = true
	return encodeEnd(status.Convert(err))
}

func (l *liveTwoWay) Header() http.Header {
	header, err := l.stream.Header()
	if err != nil {
		return nil // Recv returns the status
	}
	return headerOf(header)
}

func (l *liveTwoWay) Trailer() http.Header { return headerOf(l.stream.Trailer()) }

// A lateStream is a stream whose deadline came before there was a connection. It is recorded as one whose
// deadline came a moment later: as a stream that ended with this status.
type lateStream struct {
	ctx context.Context
	err error
}

func (s *lateStream) SendMsg(any) error            { return io.EOF } // RecvMsg has the status
func (s *lateStream) CloseSend() error             { return nil }
func (s *lateStream) RecvMsg(any) error            { return s.err }
func (s *lateStream) Header() (metadata.MD, error) { return nil, s.err }
func (s *lateStream) Trailer() metadata.MD         { return nil }
func (s *lateStream) Context() context.Context     { return s.ctx }
