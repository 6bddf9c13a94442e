// Package echogrpc records gRPC calls through a recorder of package promptecho, and
// replays them: those of a vector store (Qdrant, Milvus, Pinecone, Weaviate), of a
// model server (Gemini, Vertex AI, Triton), of an agent (A2A), or of any service.
//
//	rec := echotest.New(t)
//	conn, err := grpc.NewClient(address, append(options, echogrpc.DialOptions(rec)...)...)
//
// A call is a request to the recorder: POST grpc://HOST/PACKAGE.SERVICE/METHOD, with the
// message as JSON (https://protobuf.dev/programming-guides/json/). So record modes,
// matching options, redaction, misses, Live and Frozen, Pace and the command work as
// they do for requests over HTTP. A two-way stream is a session; see
// [promptecho.Recorder.Session]. In replay nothing is dialled, and no name is resolved.
//
//	call           in the cassette
//	unary          one request, and its answer
//	server stream  one request, and an answer of one event for each message
//	client stream  one request with the list of the messages, and its answer
//	two-way        one session of messages, as they were sent and received
//
// The messages of a client stream are sent to the server when the program waits for
// the answer, since only the whole list says whether the call is recorded.
//
// An error is recorded as google.rpc.Status with its details. Headers and trailers are
// recorded by the rule for headers of HTTP responses: volatile ones are left out, and
// secrets are replaced. [grpc.Header], [grpc.Trailer], [grpc.Peer] and [grpc.OnFinish] are
// served in replay.
//
// A call that is not recorded returns a status of code FailedPrecondition, which no
// client retries. [errors.As] finds the [promptecho.MissError] in it.
//
// [Transport] serves programs in other languages, and clients whose dialling cannot be
// changed. Their cassettes are the same.
//
// These do nothing in replay, since they belong to the transport: per-RPC credentials,
// stats handlers, the retries of a service config, and compression. Interceptors that
// stand before those of this package run as always.
package echogrpc

import (
	"context"
	"errors"
	"net"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
)

// DialOptions returns the options that make a client record its calls through rec, or
// replay them. Give them last: the interceptors must be the innermost ones, and in replay
// the dialler must be the one that dials nothing. If rec is nil there are none, so that a
// program needs no second path for production.
func DialOptions(rec *promptecho.Recorder) []grpc.DialOption {
	if rec == nil {
		return nil
	}
	options := []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(UnaryClientInterceptor(rec)),
		grpc.WithChainStreamInterceptor(StreamClientInterceptor(rec)),
	}
	if !rec.Online() {
		options = append(options, grpc.WithContextDialer(dialNothing))
	}
	return options
}

// errReplay is the error of a connection that is opened in replay.
var errReplay = errors.New("promptecho: no connection is opened in replay; " +
	"do not wait for one (grpc.WithBlock, ClientConn.Connect)")

func dialNothing(context.Context, string) (net.Conn, error) { return nil, errReplay }

// UnaryClientInterceptor returns the interceptor of [DialOptions] for unary calls, for
// programs that chain their interceptors themselves. It must be the last one in the
// chain. If rec is nil, it only makes the call.
func UnaryClientInterceptor(rec *promptecho.Recorder) grpc.UnaryClientInterceptor {
	return func(
		ctx context.Context, method string, req, reply any,
		conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		if rec == nil {
			return invoke(ctx, method, req, reply, conn, options...)
		}
		c := &call{rec: rec, host: hostOf(conn.Target()), method: method, options: options}
		live := func(ctx context.Context, options []grpc.CallOption) error {
			return invoke(ctx, method, req, reply, conn, options...)
		}
		return c.unary(ctx, req, reply, live)
	}
}

// StreamClientInterceptor is [UnaryClientInterceptor] for streams.
func StreamClientInterceptor(rec *promptecho.Recorder) grpc.StreamClientInterceptor {
	return func(
		ctx context.Context, desc *grpc.StreamDesc,
		conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		if rec == nil {
			return open(ctx, desc, conn, method, options...)
		}
		c := &call{rec: rec, host: hostOf(conn.Target()), method: method, options: options}
		live := func(ctx context.Context, options []grpc.CallOption) (grpc.ClientStream, error) {
			return open(ctx, desc, conn, method, options...)
		}
		return c.stream(ctx, desc, live)
	}
}
