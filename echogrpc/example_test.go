package echogrpc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// The first run records a call, and the second one replays it when the server is gone. A changed call is a miss.
func ExampleDialOptions() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := grpc.NewServer()
	testpb.RegisterTestServiceServer(server, &testServer{})
	go server.Serve(listener) // it returns when Stop closes the listener

	ask := func(question string, mode promptecho.Mode) {
		rec, err := promptecho.Open(filepath.Join(dir, "cassette.yaml"), promptecho.InMode(mode))
		if err != nil {
			fmt.Println(err)
			return
		}
		defer rec.Close()
		options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
		conn, err := grpc.NewClient(listener.Addr().String(), append(options, echogrpc.DialOptions(rec)...)...)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer conn.Close()
		reply, err := testpb.NewTestServiceClient(conn).UnaryCall(context.Background(),
			&testpb.SimpleRequest{Payload: payload(question)})
		var miss *promptecho.MissError
		if errors.As(err, &miss) {
			fmt.Println(status.Code(err), miss.Code)
			return
		}
		fmt.Println(string(reply.GetPayload().GetBody()), err)
	}
	ask("hello", promptecho.ModeAll)
	server.Stop()
	ask("hello", promptecho.ModeNone)
	ask("good-bye", promptecho.ModeNone)
	// Output:
	// hello #1 <nil>
	// hello #1 <nil>
	// FailedPrecondition request-changed
}
