package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/promptecho/promptecho"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/interop"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// A fatalLogger panics where grpc-go's cases would end the process. Its other methods discard.
type fatalLogger struct{ grpclog.LoggerV2 }

func (fatalLogger) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (fatalLogger) Fatalln(args ...any)               { panic(fmt.Sprintln(args...)) }
func (fatalLogger) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// grpc-go has one logger, which must be set before anything logs.
func init() {
	grpclog.SetLoggerV2(fatalLogger{grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard)})
}

// grpcCases are the interop cases of grpc-go that need no transport
// (https://github.com/grpc/grpc/blob/master/doc/interop-test-descriptions.md). docs/GRPC.md has a table of
// all cases.
var grpcCases = map[string]func(context.Context, *grpc.ClientConn){
	"empty_unary":                 onTestService(interop.DoEmptyUnaryCall),
	"large_unary":                 onTestService(interop.DoLargeUnaryCall),
	"client_streaming":            onTestService(interop.DoClientStreaming),
	"server_streaming":            onTestService(interop.DoServerStreaming),
	"ping_pong":                   onTestService(interop.DoPingPong),
	"empty_stream":                onTestService(interop.DoEmptyStream),
	"timeout_on_sleeping_server":  onTestService(interop.DoTimeoutOnSleepingServer),
	"cancel_after_begin":          onTestService(interop.DoCancelAfterBegin),
	"cancel_after_first_response": onTestService(interop.DoCancelAfterFirstResponse),
	"status_code_and_message":     onTestService(interop.DoStatusCodeAndMessage),
	"special_status_message":      onTestService(interop.DoSpecialStatusMessage),
	"custom_metadata":             onTestService(interop.DoCustomMetadata),
	"unimplemented_method":        interop.DoUnimplementedMethod,
	"unimplemented_service": func(ctx context.Context, conn *grpc.ClientConn) {
		interop.DoUnimplementedService(ctx, pb.NewUnimplementedServiceClient(conn))
	},
}

// onTestService returns a case of the test service.
func onTestService(
	do func(context.Context, pb.TestServiceClient, ...grpc.CallOption),
) func(context.Context, *grpc.ClientConn) {
	return func(ctx context.Context, conn *grpc.ClientConn) { do(ctx, pb.NewTestServiceClient(conn)) }
}

// dialTest returns a connection to a server of the test.
func dialTest(at run) (*grpc.ClientConn, error) {
	return grpc.NewClient(host+":10000",
		append(at.options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
}

// keepFailures records calls that were refused, and those that timed out: they are what the tests are about.
var keepFailures = promptecho.OnRecordError(promptecho.Keep)

// runCase returns a program that runs a case, and returns its failure as an error.
func runCase(do func(context.Context, *grpc.ClientConn)) program {
	return func(ctx context.Context, at run) (failed error) {
		conn, err := dialTest(at)
		if err != nil {
			return err
		}
		defer conn.Close()
		defer func() {
			reason := recover()
			if reason != nil {
				failed = fmt.Errorf("%v", reason)
			}
		}()
		do(ctx, conn)
		return nil
	}
}

// newTestServer returns a server with the test service of grpc-go.
func newTestServer() *grpc.Server {
	s := grpc.NewServer()
	pb.RegisterTestServiceServer(s, interop.NewTestServer())
	return s
}

// The interop cases of grpc-go that need no transport pass while they are recorded, and in replay.
func TestInteropCasesOfGRPC(t *testing.T) {
	t.Parallel()
	for name, do := range grpcCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, newTestServer(), runCase(do), keepFailures).replays(t)
		})
	}
}

// 100 equal calls of one client all have the answer of the server that was recorded.
func TestPickFirstUnaryOfGRPC(t *testing.T) {
	t.Parallel()
	server := methods{"grpc.testing.TestService/UnaryCall": ofJSON("grpc.testing.SimpleResponse", `{"serverId": "a"}`)}
	record(t, server.server(), runCase(func(ctx context.Context, conn *grpc.ClientConn) {
		interop.DoPickFirstUnary(ctx, pb.NewTestServiceClient(conn))
	})).replays(t)
}

// withStatus answers with the status that a call asks for, and with details if it wants the user's name.
func withStatus(_ int64, request proto.Message) ([]proto.Message, error) {
	asked := request.(*pb.SimpleRequest)
	s := status.New(codes.Code(asked.GetResponseStatus().GetCode()), asked.GetResponseStatus().GetMessage())
	if !asked.GetFillUsername() {
		return nil, s.Err()
	}
	details := []protoadapt.MessageV1{
		&errdetails.ErrorInfo{Reason: "REASON", Metadata: map[string]string{"a": "b"}},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "vector"}}},
	}
	s, err := s.WithDetails(details...)
	if err != nil {
		return nil, err
	}
	return nil, s.Err()
}

// All 16 codes of errors come back with their message and their details, if they have any.
func TestAllCodesReplay(t *testing.T) {
	t.Parallel()
	server := methods{"grpc.testing.TestService/UnaryCall": withStatus}
	program := func(ctx context.Context, at run) error {
		conn, err := dialTest(at)
		if err != nil {
			return err
		}
		defer conn.Close()
		client := pb.NewTestServiceClient(conn)
		for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
			for _, hasDetails := range []bool{false, true} {
				_, err := client.UnaryCall(ctx, &pb.SimpleRequest{
					ResponseStatus: &pb.EchoStatus{Code: int32(code), Message: "it is " + code.String()},
					FillUsername:   hasDetails,
				})
				s := status.Convert(err)
				isWanted := s.Code() == code && s.Message() == "it is "+code.String()
				if !isWanted || len(s.Details()) > 0 != hasDetails {
					return fmt.Errorf("%s with details (%v): %v, %v", code, hasDetails, err, s.Details())
				}
			}
		}
		return nil
	}
	record(t, server.server(), program, keepFailures).replays(t)
}

// 64 calls and 8 server streams at once each get their own answer.
func TestCallsAndStreamsAtOnce(t *testing.T) {
	t.Parallel()
	server := methods{
		"grpc.testing.TestService/UnaryCall": ofJSON("grpc.testing.SimpleResponse", `{"username": "%d"}`),
		"grpc.testing.TestService/StreamingOutputCall": ofJSON("grpc.testing.StreamingOutputCallResponse",
			`{"payload": {"type": %d}}`, `{}`, `{"payload": {"body": "AP8="}}`),
	}
	record(t, server.server(), callAtOnce).replays(t)
}

func callAtOnce(ctx context.Context, at run) error {
	conn, err := dialTest(at)
	if err != nil {
		return err
	}
	defer conn.Close()
	client := pb.NewTestServiceClient(conn)
	return atOnce(64+8, func(i int) error {
		if i < 64 {
			_, err := client.UnaryCall(ctx, &pb.SimpleRequest{ResponseSize: int32(i)})
			return err
		}
		stream, err := client.StreamingOutputCall(ctx, &pb.StreamingOutputCallRequest{
			ResponseParameters: []*pb.ResponseParameters{{Size: int32(i)}},
		})
		for err == nil {
			_, err = stream.Recv()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
}
