package echogrpc_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// A testServer answers each call differently from the one before, so that a test notices a call that
// was made again, or that got the answer of another one.
type testServer struct {
	testpb.UnimplementedTestServiceServer
	calls   atomic.Int64
	changed chan struct{} // gets a value for each unary call whose text is "change"
}

func payload(text string) *testpb.Payload { return &testpb.Payload{Body: []byte(text)} }

// number returns a text with the number of the call.
func (s *testServer) number(text string) *testpb.Payload {
	return payload(fmt.Sprintf("%s #%d", text, s.calls.Add(1)))
}

func (s *testServer) UnaryCall(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	err := grpc.SetHeader(ctx, metadata.Pairs("x-request-id", "header", "x-trace-bin", "\x00\xff"))
	if err != nil {
		return nil, err
	}
	err = grpc.SetTrailer(ctx, metadata.Pairs("x-request-id", "trailer"))
	if err != nil {
		return nil, err
	}
	switch string(r.Payload.GetBody()) {
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "what came with it?":
		sent, _ := metadata.FromIncomingContext(ctx)
		_, hasDeadline := ctx.Deadline()
		return &testpb.SimpleResponse{
			Payload:  payload(fmt.Sprintf("%q %q %v", sent["x-tenant"], sent["x-trace-bin"], hasDeadline)),
			Username: strings.Join(sent["user-agent"], " "),
		}, nil
	case "change":
		answer := s.number("change")
		s.changed <- struct{}{}
		return &testpb.SimpleResponse{Payload: answer}, nil
	}
	if r.ResponseStatus.GetCode() == 0 {
		return &testpb.SimpleResponse{Payload: s.number(string(r.Payload.GetBody()))}, nil
	}
	failed := status.New(codes.Code(r.ResponseStatus.Code), r.ResponseStatus.Message)
	if r.FillUsername { // the test wants details
		failed, err = failed.WithDetails(
			&errdetails.ErrorInfo{Reason: "GONE", Metadata: map[string]string{"a": "b"}},
			&errdetails.RetryInfo{},
		)
		if err != nil {
			return nil, err
		}
	}
	return nil, failed.Err()
}

func (s *testServer) StreamingOutputCall(
	r *testpb.StreamingOutputCallRequest, out testpb.TestService_StreamingOutputCallServer,
) error {
	text := string(r.Payload.GetBody())
	if text == "after the next call" {
		<-s.changed
	}
	if text == "fail first" {
		return status.Error(codes.NotFound, "nothing here")
	}
	for range r.ResponseParameters {
		err := out.Send(&testpb.StreamingOutputCallResponse{Payload: s.number(text)})
		if err != nil {
			return err
		}
	}
	out.SetTrailer(metadata.Pairs("x-request-id", "trailer"))
	switch text {
	case "fail last":
		return status.Error(codes.DataLoss, "broken off")
	case "wait":
		<-out.Context().Done()
		return out.Context().Err()
	}
	return nil
}

func (s *testServer) StreamingInputCall(in testpb.TestService_StreamingInputCallServer) error {
	size := 0
	for {
		m, err := in.Recv()
		if err == io.EOF {
			return in.SendAndClose(&testpb.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(m.Payload.GetBody())
		if size > 1000 {
			return status.Error(codes.ResourceExhausted, "too much")
		}
	}
}

// FullDuplexCall greets, answers each message as often as it asks for, and says goodbye.
func (s *testServer) FullDuplexCall(stream testpb.TestService_FullDuplexCallServer) error {
	send := func(text string) error {
		return stream.Send(&testpb.StreamingOutputCallResponse{Payload: s.number(text)})
	}
	err := stream.SetHeader(metadata.Pairs("x-request-id", "header"))
	if err == nil {
		err = send("welcome")
	}
	for err == nil {
		var m *testpb.StreamingOutputCallRequest
		m, err = stream.Recv()
		if err == io.EOF {
			stream.SetTrailer(metadata.Pairs("x-request-id", "trailer"))
			return send("bye")
		}
		if m.GetResponseStatus() != nil {
			return status.Error(codes.Code(m.ResponseStatus.Code), "as told")
		}
		for range m.GetResponseParameters() {
			err = send("you said " + string(m.Payload.GetBody()))
		}
	}
	return err
}

// times returns the parameters of a call with n answers.
func times(n int) []*testpb.ResponseParameters {
	list := make([]*testpb.ResponseParameters, n)
	for i := range list {
		list[i] = &testpb.ResponseParameters{Size: int32(i)}
	}
	return list
}

// serve starts a server, and returns its address and what stops it.
func serve(t testing.TB, options ...grpc.ServerOption) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(append(options, grpc.MaxRecvMsgSize(8<<20))...)
	testpb.RegisterTestServiceServer(s, &testServer{changed: make(chan struct{}, 1)})
	go s.Serve(l) // it returns when Stop closes the listener
	t.Cleanup(s.Stop)
	return l.Addr().String(), s.Stop
}

// A program calls a server, and returns all that it saw.
type program func(ctx context.Context, client testpb.TestServiceClient) string

// A receiver is a stream whose server sends messages.
type receiver interface {
	Recv() (*testpb.StreamingOutputCallResponse, error)
}

// receiveAll returns what a stream sends until its end: the texts, and the error.
func receiveAll(stream receiver) (saw string) {
	for {
		m, err := stream.Recv()
		if err != nil {
			return saw + describe(err)
		}
		saw += string(m.GetPayload().GetBody()) + "; "
	}
}

// receiveOne returns the text of the next message of a stream, and the error.
func receiveOne(stream receiver) string {
	m, err := stream.Recv()
	return fmt.Sprintf("%s %v", m.GetPayload().GetBody(), err)
}

// cassette returns the name of a file that does not exist.
func cassette(t testing.TB) string { return filepath.Join(t.TempDir(), "cassette.yaml") }

// open returns a recorder on a file.
func open(t testing.TB, file string, mode promptecho.Mode, options ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	rec, err := promptecho.Open(file, append(options, promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// dial returns a client that goes through a recorder.
func dial(t testing.TB, rec *promptecho.Recorder, address string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(address, append(options, echogrpc.DialOptions(rec)...)...)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// run runs a program through a recorder, and closes the recorder.
func run(
	t testing.TB, file, address string, mode promptecho.Mode, p program, options ...promptecho.Option,
) (saw string, closed error) {
	t.Helper()
	rec := open(t, file, mode, options...)
	conn := dial(t, rec, address)
	saw = p(t.Context(), testpb.NewTestServiceClient(conn))
	conn.Close()
	return saw, rec.Close()
}

// record runs a program with a server, and returns the cassette, the address, and what it saw.
func record(t testing.TB, p program, options ...promptecho.Option) (file, address, saw string) {
	t.Helper()
	file = cassette(t)
	address, stop := serve(t)
	defer stop()
	saw, err := run(t, file, address, promptecho.ModeAll, p, options...)
	if err != nil {
		t.Fatalf("recording: %v", err)
	}
	return file, address, saw
}

// describe returns all of an error that a program can see.
func describe(err error) string {
	if err == nil || err == io.EOF {
		return fmt.Sprint(err)
	}
	s, _ := status.FromError(err)
	text := fmt.Sprintf("%s: %s", s.Code(), s.Message())
	for _, detail := range s.Details() {
		m, isMessage := detail.(proto.Message)
		if !isMessage {
			text += fmt.Sprintf(" [%v]", detail)
			continue
		}
		// prototext adds spaces at random.
		text += fmt.Sprintf(" [%s]", strings.Join(strings.Fields(prototext.Format(m)), " "))
	}
	return text
}
