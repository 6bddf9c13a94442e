package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A method answers a call with messages, and perhaps with an error. n is the number of the call, which
// goes into the answer: no two answers are equal.
type method func(n int64, request proto.Message) ([]proto.Message, error)

// methods has the methods of a server by their names: "qdrant.Points/Query". The types of the messages
// are those that the client's own package has linked.
type methods map[string]method

// isFake is the header with which a server says that it is a fake: the cassette then says so, too.
const isFake = "x-promptecho-provider"

// server returns a server with the methods.
func (m methods) server() *grpc.Server {
	calls := new(atomic.Int64)
	return grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		name, _ := grpc.MethodFromServerStream(stream)
		request, err := requestOf(name)
		if err == nil {
			err = stream.RecvMsg(request)
		}
		if err != nil {
			return err
		}
		answer := m[strings.TrimPrefix(name, "/")]
		if answer == nil {
			return fmt.Errorf("the server of the test has no method %s", name)
		}
		n := calls.Add(1)
		number := fmt.Sprint(n)
		err = stream.SetHeader(metadata.Pairs("x-call", number, "x-call-bin", "\x00\xff"+number, isFake, "fake"))
		if err != nil {
			return err
		}
		stream.SetTrailer(metadata.Pairs("x-cost", number))
		replies, failed := answer(n, request)
		for _, reply := range replies {
			err := stream.SendMsg(reply)
			if err != nil {
				return err
			}
		}
		return failed
	}))
}

// requestOf returns an empty request of a method: "/package.Service/Method".
func requestOf(name string) (proto.Message, error) {
	full := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(name, "/"), "/", "."))
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(full)
	if err != nil {
		return nil, err
	}
	described, isMethod := found.(protoreflect.MethodDescriptor)
	if !isMethod {
		return nil, fmt.Errorf("%s is not a method", name)
	}
	return newMessage(described.Input().FullName())
}

// newMessage returns an empty message of a type that is linked.
func newMessage(name protoreflect.FullName) (proto.Message, error) {
	linked, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		return nil, err
	}
	return linked.New().Interface(), nil
}

// ofJSON answers calls with messages of a type. Their JSON has %d in the places of the call's number.
func ofJSON(name protoreflect.FullName, texts ...string) method {
	return func(n int64, _ proto.Message) (messages []proto.Message, err error) {
		for _, text := range texts {
			m, err := newMessage(name)
			if err != nil {
				return nil, err
			}
			err = protojson.Unmarshal([]byte(strings.ReplaceAll(text, "%d", fmt.Sprint(n))), m)
			if err != nil {
				return nil, err
			}
			messages = append(messages, m)
		}
		return messages, nil
	}
}

// one returns the messages of an answer that has one.
func one(m proto.Message) ([]proto.Message, error) { return []proto.Message{m}, nil }

// failing answers calls with an error.
func failing(err error) method {
	return func(int64, proto.Message) ([]proto.Message, error) { return nil, err }
}

// host is the host of all servers. No resolver knows it (RFC 2606).
const host = "db.invalid"

// serve starts a server, and returns the options of a client that reaches it at any port of host.
func serve(t testing.TB, s *grpc.Server) []grpc.DialOption {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l) // it returns when Stop closes the listener
	t.Cleanup(s.Stop)
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	}
	return []grpc.DialOption{grpc.WithResolvers(new(lookups)), grpc.WithContextDialer(dial)}
}

// lookups is the resolver of DNS names. It counts them, and takes each name for an address.
type lookups struct{ atomic.Int64 }

func (l *lookups) Scheme() string { return "dns" }

func (l *lookups) Build(
	target resolver.Target, conn resolver.ClientConn, _ resolver.BuildOptions,
) (resolver.Resolver, error) {
	l.Add(1)
	return l, conn.UpdateState(resolver.State{Addresses: []resolver.Address{{Addr: target.Endpoint()}}})
}

func (l *lookups) ResolveNow(resolver.ResolveNowOptions) {}
func (l *lookups) Close()                                {}

// errDialled is the error of a dial in replay.
var errDialled = errors.New("a replay has dialled")

// dials counts the connections that a client opens by the dialler of the program.
type dials struct{ atomic.Int64 }

func (d *dials) dial(context.Context, string) (net.Conn, error) {
	d.Add(1)
	return nil, errDialled
}
