package echogrpc_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// A changed call fails at once, with a status that no client retries; the report names the field and the test's line.
func TestMissNamesTheFieldAndTheLineOfTheTest(t *testing.T) {
	t.Parallel()
	ask := func(text string) program {
		return func(ctx context.Context, c testpb.TestServiceClient) string {
			_, err := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload(text)}) // the line of the test
			return describe(err)
		}
	}
	file, address, _ := record(t, ask("hello"))

	rec := open(t, file, promptecho.ModeNone)
	conn := dial(t, rec, address)
	defer conn.Close()
	_, err := testpb.NewTestServiceClient(conn).UnaryCall(t.Context(), &testpb.SimpleRequest{Payload: payload("good-bye")})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("got %v, want FailedPrecondition", err)
	}
	var miss *promptecho.MissError
	if !errors.As(err, &miss) {
		t.Fatalf("errors.As finds no MissError in %v", err)
	}
	if first, _, _ := strings.Cut(status.Convert(err).Message(), ":"); first != "promptecho" {
		t.Errorf("the message begins with %q", first)
	}
	checkMiss(t, miss, "grpc/grpc.testing.TestService/UnaryCall", "payload/body")
	if err := rec.Close(); err == nil {
		t.Error("the run did not fail")
	}
}

// checkMiss checks the fields of a miss that a user reads first.
func checkMiss(t *testing.T, miss *promptecho.MissError, call, field string) {
	t.Helper()
	if miss.Call != call || !strings.Contains(miss.Diff, field) || miss.Count != 1 {
		t.Errorf("got call %q, diff %q, count %d; want call %q, field %q, once",
			miss.Call, miss.Diff, miss.Count, call, field)
	}
	if !strings.HasPrefix(miss.Caller, "miss_test.go:") {
		t.Errorf("the caller is %q, want a line of this file", miss.Caller)
	}
}

// A stream that is not recorded fails as a unary call does, whichever side sends it.
func TestMissOfAStream(t *testing.T) {
	t.Parallel()
	service := "grpc/grpc.testing.TestService/"
	calls := []struct {
		method string
		field  string
		run    func(ctx context.Context, c testpb.TestServiceClient, text string) error
	}{
		{"StreamingOutputCall", "payload/body", func(ctx context.Context, c testpb.TestServiceClient, text string) error {
			stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{Payload: payload(text)})
			for err == nil {
				_, err = stream.Recv()
			}
			return err
		}},
		{"StreamingInputCall", "1/payload/body", func(ctx context.Context, c testpb.TestServiceClient, text string) error {
			stream, err := c.StreamingInputCall(ctx)
			for _, text := range []string{"the same", text} {
				if err == nil {
					err = stream.Send(&testpb.StreamingInputCallRequest{Payload: payload(text)})
				}
			}
			if err == nil {
				_, err = stream.CloseAndRecv()
			}
			return err
		}},
		{"FullDuplexCall", "payload/body", func(ctx context.Context, c testpb.TestServiceClient, text string) error {
			stream, err := c.FullDuplexCall(ctx)
			if err == nil {
				err = stream.Send(&testpb.StreamingOutputCallRequest{Payload: payload(text)})
			}
			if err == nil {
				err = stream.CloseSend()
			}
			for err == nil {
				_, err = stream.Recv()
			}
			return err
		}},
	}
	for _, tt := range calls {
		t.Run(tt.method, func(t *testing.T) {
			t.Parallel()
			file, address, _ := record(t, func(ctx context.Context, c testpb.TestServiceClient) string {
				return describe(tt.run(ctx, c, "hello"))
			})
			rec := open(t, file, promptecho.ModeNone)
			conn := dial(t, rec, address)
			defer conn.Close()
			err := tt.run(t.Context(), testpb.NewTestServiceClient(conn), "good-bye")
			if status.Code(err) != codes.FailedPrecondition {
				t.Errorf("got %v, want FailedPrecondition", err)
			}
			var miss *promptecho.MissError
			if !errors.As(err, &miss) {
				t.Fatalf("errors.As finds no MissError in %v", err)
			}
			checkMiss(t, miss, service+tt.method, tt.field)
			if err := rec.Close(); err == nil {
				t.Error("the run did not fail")
			}
		})
	}
}

// A recorder that has ended answers calls with an error, and not with a panic or a wait.
func TestCallAfterTheEndOfTheRecorder(t *testing.T) {
	t.Parallel()
	file, address, _ := record(t, programs["unary"])
	rec := open(t, file, promptecho.ModeNone, promptecho.AllowUnused())
	conn := dial(t, rec, address)
	defer conn.Close()
	if err := rec.Close(); err != nil && !strings.Contains(err.Error(), "no request") {
		t.Fatal(err)
	}
	client := testpb.NewTestServiceClient(conn)
	_, err := client.UnaryCall(t.Context(), &testpb.SimpleRequest{})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "after the recorder was closed") {
		t.Errorf("unary call: %v", err)
	}
	_, err = client.FullDuplexCall(t.Context())
	if err == nil || !strings.Contains(err.Error(), "after the recorder was closed") {
		t.Errorf("two-way stream: %v", err)
	}
}

// A selector names a method, a service or all calls over gRPC.
func TestSelectorsOfCalls(t *testing.T) {
	t.Parallel()
	for _, selector := range []string{"grpc", "grpc/grpc.testing.TestService/UnaryCall"} {
		file, address, _ := record(t, programs["unary"])
		address2, stop := serve(t)
		_ = address
		saw, err := run(t, file, address2, promptecho.ModeNewEpisodes, programs["unary"], promptecho.Live(selector))
		stop()
		if err != nil {
			t.Errorf("Live(%q): %v", selector, err)
		}
		if !strings.Contains(saw, "hello #1") {
			t.Errorf("Live(%q) saw %s", selector, saw)
		}
	}
}

// A nil recorder adds no option, so that a program needs no second path for production.
func TestNilRecorder(t *testing.T) {
	t.Parallel()
	address, _ := serve(t)
	conn := dial(t, nil, address)
	defer conn.Close()
	reply, err := testpb.NewTestServiceClient(conn).UnaryCall(t.Context(),
		&testpb.SimpleRequest{Payload: payload("live")}, grpc.WaitForReady(true))
	if err != nil || string(reply.Payload.Body) != "live #1" {
		t.Errorf("got %v, %v", reply, err)
	}
}
