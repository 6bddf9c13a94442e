package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// newGRPCServer returns the handler of a gRPC server.
func newGRPCServer() http.Handler {
	server := grpc.NewServer()
	testgrpc.RegisterTestServiceServer(server, grpcService{})
	return server
}

// A grpcService answers calls of programs.
type grpcService struct {
	testgrpc.UnimplementedTestServiceServer
}

func (grpcService) UnaryCall(
	_ context.Context, req *testgrpc.SimpleRequest,
) (*testgrpc.SimpleResponse, error) {
	if req.GetResponseSize() < 0 {
		return nil, status.Error(codes.InvalidArgument, "a negative size")
	}
	return &testgrpc.SimpleResponse{Username: "hello, " + string(req.GetPayload().GetBody())}, nil
}

func (grpcService) StreamingOutputCall(
	req *testgrpc.StreamingOutputCallRequest, stream testgrpc.TestService_StreamingOutputCallServer,
) error {
	for _, parameters := range req.GetResponseParameters() {
		body := fmt.Sprintf("size %d", parameters.GetSize())
		err := stream.Send(&testgrpc.StreamingOutputCallResponse{
			Payload: &testgrpc.Payload{Body: []byte(body)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// callGRPC is a program that makes calls over gRPC.
func callGRPC() error {
	conn, err := grpc.NewClient("grpc.example.com:443",
		grpc.WithTransportCredentials(credentials.NewTLS(nil)))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx := context.Background()
	client := testgrpc.NewTestServiceClient(conn)
	request := &testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: []byte("a program")}}
	answer, err := client.UnaryCall(ctx, request)
	if err != nil {
		return err
	}
	fmt.Println(answer.GetUsername())
	_, err = client.UnaryCall(ctx, &testgrpc.SimpleRequest{ResponseSize: -1})
	fmt.Println(err) // that the size is negative

	stream, err := client.StreamingOutputCall(ctx, &testgrpc.StreamingOutputCallRequest{
		ResponseParameters: []*testgrpc.ResponseParameters{{Size: 1}, {Size: 2}, {Size: 3}},
	})
	if err != nil {
		return err
	}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", piece.GetPayload().GetBody())
	}
}
