package echogrpc_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// programs are the four kinds of calls, with what can go wrong in each.
var programs = map[string]program{
	"unary": func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer sk-secret-1234567890abcdef")
		request := &testpb.SimpleRequest{Payload: payload("hello")}
		for range 2 {
			var header, trailer metadata.MD
			reply, err := c.UnaryCall(ctx, request, grpc.Header(&header), grpc.Trailer(&trailer))
			saw += fmt.Sprintf("%s %v %q %q\n", reply.GetPayload().GetBody(), err,
				header["x-trace-bin"], trailer["x-request-id"])
		}
		return saw
	},
	"failed": func(ctx context.Context, c testpb.TestServiceClient) string {
		var trailer metadata.MD
		_, err := c.UnaryCall(ctx, &testpb.SimpleRequest{
			ResponseStatus: &testpb.EchoStatus{Code: 5, Message: "gone"},
			FillUsername:   true,
		}, grpc.Trailer(&trailer))
		return describe(err) + fmt.Sprint(trailer["x-request-id"])
	},
	"server stream": func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		for _, text := range []string{"fine", "fail first", "fail last"} {
			stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{
				Payload:            payload(text),
				ResponseParameters: times(3),
			})
			if err != nil {
				return describe(err)
			}
			saw += fmt.Sprintf("%s %q\n", receiveAll(stream), stream.Trailer()["x-request-id"])
		}
		return saw
	},
	"client stream": func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		for _, size := range []int{3, 400} {
			stream, err := c.StreamingInputCall(ctx)
			m := &testpb.StreamingInputCallRequest{}
			for i := 0; i < 3 && err == nil; i++ {
				m.Payload = payload(strings.Repeat("x", size+i)) // the same message again
				err = stream.Send(m)
			}
			reply, err := stream.CloseAndRecv()
			saw += fmt.Sprintf("%d %s\n", reply.GetAggregatedPayloadSize(), describe(err))
		}
		return saw
	},
	"two-way stream": func(ctx context.Context, c testpb.TestServiceClient) string {
		stream, err := c.FullDuplexCall(ctx)
		if err != nil {
			return describe(err)
		}
		saw := receiveOne(stream) // before anything is sent
		for _, text := range []string{"a", "b", "a"} {
			err := stream.Send(&testpb.StreamingOutputCallRequest{Payload: payload(text), ResponseParameters: times(2)})
			saw += fmt.Sprint(err)
			for range 2 {
				saw += "; " + receiveOne(stream)
			}
		}
		err = stream.CloseSend()
		if err != nil {
			return describe(err)
		}
		saw += "; " + receiveAll(stream)
		header, _ := stream.Header()
		return saw + fmt.Sprintf(" %q %q", header["x-request-id"], stream.Trailer()["x-request-id"])
	},
	"two-way stream that fails": func(ctx context.Context, c testpb.TestServiceClient) string {
		stream, err := c.FullDuplexCall(ctx)
		if err != nil {
			return describe(err)
		}
		err = stream.Send(&testpb.StreamingOutputCallRequest{ResponseStatus: &testpb.EchoStatus{Code: 9}})
		saw := describe(err)
		for err == nil {
			_, err = stream.Recv()
			saw += "; " + describe(err)
		}
		return saw
	},
}

// A program gets the recorded answers without a server: messages, errors with details, headers and trailers.
func TestCallsOfAllKindsReplayWithoutTheServer(t *testing.T) {
	t.Parallel()
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, address, recorded := record(t, p)
			for range 3 {
				replayed, err := run(t, file, address, promptecho.ModeNone, p)
				if err != nil {
					t.Fatalf("replay: %v", err)
				}
				if replayed != recorded {
					t.Fatalf("the program saw\n%s\nin the recorded run, and in a replay\n%s", recorded, replayed)
				}
			}
		})
	}
}

// A cassette has a call as text that people can read, without the credentials of its metadata.
func TestCassetteIsReadable(t *testing.T) {
	t.Parallel()
	file, _, _ := record(t, programs["unary"])
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{
		"kind: grpc\n", "boundary: grpc.testing.TestService/UnaryCall\n", "url: grpc://127.0.0.1:", "body: aGVsbG8=\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the cassette lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "sk-secret") {
		t.Errorf("the cassette has a credential:\n%s", text)
	}
}

// Peer and OnFinish are served in replay, and OnFinish is called once in each run.
func TestOptionsOfACallAreServedInReplay(t *testing.T) {
	t.Parallel()
	p := func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		var from peer.Peer
		finished := grpc.OnFinish(func(err error) { saw += "finished: " + describe(err) + "; " })
		_, err := c.UnaryCall(ctx, &testpb.SimpleRequest{}, grpc.Peer(&from), finished)
		if err != nil || from.Addr == nil {
			saw += fmt.Sprintf("%v, no address; ", err)
		}
		stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{Payload: payload("fail last")}, finished)
		for err == nil {
			_, err = stream.Recv()
		}
		twoWay, err := c.FullDuplexCall(ctx, finished)
		if err != nil {
			return err.Error()
		}
		twoWay.CloseSend()
		for err == nil {
			_, err = twoWay.Recv()
		}
		if err != io.EOF {
			saw += err.Error()
		}
		return saw
	}
	const want = "finished: <nil>; finished: DataLoss: broken off; finished: <nil>; "
	file, address, recorded := record(t, p)
	replayed, err := run(t, file, address, promptecho.ModeNone, p)
	if err != nil {
		t.Fatal(err)
	}
	if recorded != want || replayed != want {
		t.Errorf("the recorded run: %s\na replay: %s\nwant %s", recorded, replayed, want)
	}
}

// A call without a message, which grpc-go allows, is recorded as one with an empty message.
func TestACallWithoutAMessageReplays(t *testing.T) {
	t.Parallel()
	file := cassette(t)
	address, stop := serve(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		conn := dial(t, rec, address)
		var reply testpb.SimpleResponse
		err := conn.Invoke(t.Context(), testpb.TestService_UnaryCall_FullMethodName, nil, &reply)
		if err != nil || string(reply.Payload.GetBody()) != " #1" {
			t.Errorf("mode %s: %v, %v", mode, &reply, err)
		}
		conn.Close()
		err = rec.Close()
		if err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		stop()
	}
}

// A two-way stream whose deadline comes before there is a connection is recorded, and replays so.
func TestATwoWayStreamThatNeverConnectsReplays(t *testing.T) {
	t.Parallel()
	file := cassette(t)
	neverConnects := grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode, promptecho.OnRecordError(promptecho.Keep))
		conn := dial(t, rec, "passthrough:///server.invalid:1", neverConnects)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		stream, err := testpb.NewTestServiceClient(conn).FullDuplexCall(ctx)
		if err == nil {
			_, err = stream.Recv()
		}
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("mode %s: %v, want DeadlineExceeded", mode, err)
		}
		cancel()
		conn.Close()
		err = rec.Close()
		if err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
}
