package echogrpc

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// An opener opens the live stream of a call.
type opener func(ctx context.Context, options []grpc.CallOption) (grpc.ClientStream, error)

// stream opens a stream, or a recorded one.
func (c *call) stream(ctx context.Context, desc *grpc.StreamDesc, open opener) (grpc.ClientStream, error) {
	switch {
	case desc.ClientStreams && desc.ServerStreams:
		return c.openTwoWay(ctx, open)
	case desc.ServerStreams:
		return &serverStream{call: c, ctx: ctx, open: open, isAnswered: make(chan struct{})}, nil
	}
	return &clientStream{call: c, ctx: ctx, open: open, isList: desc.ClientStreams}, nil
}

// A clientStream is a call with one answer: a stream of the client, or a unary call by the methods of a
// stream. It sends nothing until the program waits for the answer, because all messages together are the
// request.
type clientStream struct {
	*call
	ctx    context.Context
	open   opener
	isList bool // the request is the list of the messages, and not one message

	mu      sync.Mutex // guards what follows
	bodies  []json.RawMessage
	sent    []proto.Message // copies of the messages; nil in a run that makes no call
	isEnded bool            // RecvMsg has returned the answer
	header  metadata.MD
	trailer metadata.MD
}

// SendMsg keeps a message.
func (s *clientStream) SendMsg(message any) error {
	body, sent, err := s.keep(message)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnded {
		return io.EOF
	}
	s.bodies = append(s.bodies, body)
	s.sent = append(s.sent, sent)
	return nil
}

// CloseSend does nothing: RecvMsg sends the messages.
func (s *clientStream) CloseSend() error { return nil }

// RecvMsg sends the messages, and waits for the answer.
func (s *clientStream) RecvMsg(reply any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnded {
		return io.EOF
	}
	s.isEnded = true
	body, err := s.body()
	if err != nil {
		return err
	}
	resp, err := s.ask(s.ctx, body, func(req *http.Request) (*http.Response, error) {
		return s.send(req.Context(), reply)
	})
	if err != nil {
		s.serveOptions(nil, nil, err)
		return err
	}
	err = s.answer(s.ctx, resp, reply)
	s.header = metadataOf(resp.Header)
	s.trailer = metadataOf(resp.Trailer)
	return err
}

// body returns the body of the request that stands for the call.
func (s *clientStream) body() ([]byte, error) {
	if s.isList {
		return json.Marshal(append([]json.RawMessage{}, s.bodies...))
	}
	if len(s.bodies) != 1 {
		return nil, status.Errorf(codes.Internal, "promptecho: %s takes one message, and %d were sent",
			s.method, len(s.bodies))
	}
	return s.bodies[0], nil
}

// send makes the call with all messages of the program. ctx is that of the request to the recorder.
func (s *clientStream) send(ctx context.Context, reply any) (*http.Response, error) {
	live, err := s.open(ctx, s.liveOptions())
	if err != nil {
		return responseOf(s.ctx, nil, err, nil, nil)
	}
	for _, message := range s.sent {
		err := live.SendMsg(message)
		if err != nil {
			break // the stream has ended, and RecvMsg returns its status
		}
	}
	_ = live.CloseSend() // if it fails, RecvMsg returns the same error
	err = live.RecvMsg(reply)
	header, _ := live.Header() // if the call has failed, err says so
	return responseOf(s.ctx, reply, err, header, live.Trailer())
}

// Header returns the header of the answer, which is known after RecvMsg.
func (s *clientStream) Header() (metadata.MD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isEnded {
		return nil, status.Errorf(codes.Unimplemented, "promptecho: the header of %s is known after its answer: "+
			"call Header after CloseAndRecv", s.method)
	}
	return s.header, nil
}

func (s *clientStream) Trailer() metadata.MD {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trailer
}

func (s *clientStream) Context() context.Context { return s.ctx }
