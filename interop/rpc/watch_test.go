package rpc

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sync"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// An exchange is one call, and all that the client got.
type exchange struct {
	method          string
	sent, received  []proto.Message
	status          *spb.Status
	header, trailer metadata.MD
}

// A watcher notes the calls of a client: it stands between the client and package echogrpc.
type watcher struct {
	mu        sync.Mutex // guards exchanges
	exchanges []*exchange
}

func (w *watcher) options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(w.unary),
		grpc.WithChainStreamInterceptor(w.stream),
	}
}

// begin notes a call.
func (w *watcher) begin(method string) *exchange {
	e := &exchange{method: method}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exchanges = append(w.exchanges, e)
	return e
}

func (w *watcher) unary(
	ctx context.Context, method string, request, reply any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	e := w.begin(method)
	e.sent = append(e.sent, cloneOf(request))
	options = append(options, grpc.Header(&e.header), grpc.Trailer(&e.trailer))
	err := invoke(ctx, method, request, reply, conn, options...)
	e.status = status.Convert(err).Proto()
	if err == nil {
		e.received = append(e.received, cloneOf(reply))
	}
	return err
}

func (w *watcher) stream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string,
	open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	e := w.begin(method)
	stream, err := open(ctx, desc, conn, method, options...)
	if err != nil {
		e.status = status.Convert(err).Proto()
		return nil, err
	}
	return &watchedStream{ClientStream: stream, exchange: e}, nil
}

// A watchedStream is a stream whose messages are noted.
type watchedStream struct {
	grpc.ClientStream
	*exchange
}

func (s *watchedStream) SendMsg(message any) error {
	s.sent = append(s.sent, cloneOf(message))
	return s.ClientStream.SendMsg(message)
}

func (s *watchedStream) RecvMsg(message any) error {
	err := s.ClientStream.RecvMsg(message)
	if err == nil {
		s.received = append(s.received, cloneOf(message))
		return nil
	}
	s.status = status.Convert(err).Proto()
	if err == io.EOF {
		s.status = status.Convert(nil).Proto()
		s.header, _ = s.Header() // a stream that ended without an error has one
	}
	s.trailer = s.Trailer()
	return err
}

// cloneOf returns a copy of a message, and nil for none.
func cloneOf(message any) proto.Message {
	m, isMessage := message.(proto.Message)
	if !isMessage {
		return nil
	}
	return proto.Clone(m)
}

// uuids matches IDs that clients make at random.
var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// sorted returns the calls by what was sent, since calls at once come in any order.
func (w *watcher) sorted() []*exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys := map[*exchange]string{}
	for _, e := range w.exchanges {
		key := e.method
		for _, m := range e.sent {
			key += protojson.MarshalOptions{AllowPartial: true}.Format(m)
		}
		keys[e] = uuids.ReplaceAllString(key, "uuid")
	}
	list := slices.Clone(w.exchanges)
	slices.SortStableFunc(list, func(a, b *exchange) int { return cmp.Compare(keys[a], keys[b]) })
	return list
}

// differences returns how two runs of one program differ, and "" if they do not.
func differences(recorded, replayed []*exchange) string {
	if len(recorded) != len(replayed) {
		return fmt.Sprintf("%d calls, and %d in the recorded run", len(replayed), len(recorded))
	}
	for i, want := range recorded {
		difference := want.difference(replayed[i])
		if difference != "" {
			return fmt.Sprintf("call %d, %s: %s", i, want.method, difference)
		}
	}
	return ""
}

// difference returns how another call differs, and "" if it does not.
func (e *exchange) difference(other *exchange) string {
	switch {
	case e.method != other.method:
		return "another method: " + other.method
	case !slices.EqualFunc(e.received, other.received, proto.Equal):
		return fmt.Sprintf("messages\n%v\nin the recorded run\n%v", other.received, e.received)
	case !proto.Equal(e.status, other.status):
		return fmt.Sprintf("status\n%v\nin the recorded run\n%v", other.status, e.status)
	case !equalMetadata(e.header, other.header):
		return fmt.Sprintf("header\n%q\nin the recorded run\n%q", other.header, e.header)
	case !equalMetadata(e.trailer, other.trailer):
		return fmt.Sprintf("trailer\n%q\nin the recorded run\n%q", other.trailer, e.trailer)
	}
	return ""
}

func equalMetadata(a, b metadata.MD) bool { return maps.EqualFunc(a, b, slices.Equal) }
