package echogrpc_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/internal/testing/full"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/resolver"
)

// atOnce runs a program n times at once, and returns what each saw.
func atOnce(n int, p func(i int) string) string {
	saw := make([]string, n)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { saw[i] = p(i) })
	}
	running.Wait()
	return strings.Join(saw, "\n")
}

// Each of many calls and streams at once gets the answer that it got in the recorded run.
func TestConcurrentCallsReplay(t *testing.T) {
	t.Parallel()
	var p program = func(ctx context.Context, c testpb.TestServiceClient) string {
		return atOnce(64+8, func(i int) string {
			text := fmt.Sprint("call ", i)
			if i < 64 {
				reply, err := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload(text)})
				return fmt.Sprintf("%s %v", reply.GetPayload().GetBody(), err)
			}
			stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{
				Payload: payload(text), ResponseParameters: times(5),
			})
			if err != nil {
				return describe(err)
			}
			return receiveAll(stream)
		})
	}
	file, address, recorded := record(t, p)
	for range full.Cases(3, 200) {
		replayed, err := run(t, file, address, promptecho.ModeNone, p)
		if err != nil {
			t.Fatal(err)
		}
		if replayed != recorded {
			t.Fatalf("recorded:\n%s\nreplayed:\n%s", recorded, replayed)
		}
	}
}

// Twenty two-way streams that begin alike, each with a goroutine that sends and one that receives, get their own answers.
func TestConcurrentTwoWayStreamsReplay(t *testing.T) {
	t.Parallel()
	var p program = func(ctx context.Context, c testpb.TestServiceClient) string {
		// The streams are equal, so it does not matter which is the first one.
		saw := strings.Split(atOnce(20, func(int) string { return converse(ctx, c) }), "\n")
		slices.Sort(saw)
		return strings.Join(saw, "\n")
	}
	for range full.Cases(1, 10) {
		file, address, recorded := record(t, p)
		for range full.Cases(5, 50) {
			replayed, err := run(t, file, address, promptecho.ModeNone, p)
			if err != nil {
				t.Fatal(err)
			}
			if replayed != recorded {
				t.Fatalf("recorded:\n%s\nreplayed:\n%s", recorded, replayed)
			}
		}
	}
}

// converse sends in one goroutine and receives in another. What is sent depends on what was received.
func converse(ctx context.Context, c testpb.TestServiceClient) string {
	stream, err := c.FullDuplexCall(ctx)
	if err != nil {
		return describe(err)
	}
	const rounds = 3
	toSend := make(chan string, rounds)
	toSend <- "hello"
	sent := make(chan error, 1)
	go func() {
		for text := range toSend {
			err := stream.Send(&testpb.StreamingOutputCallRequest{Payload: payload(text), ResponseParameters: times(1)})
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	saw := ""
	for n := 0; ; n++ {
		m, err := stream.Recv()
		if err != nil {
			return saw + fmt.Sprint(describe(err), <-sent)
		}
		text := string(m.Payload.Body)
		saw += text + "; "
		if n > 0 && n < rounds {
			toSend <- text
		}
		if n == rounds {
			close(toSend)
		}
	}
}

// In replay nothing is dialled, no name is resolved, and no goroutine is left.
func TestReplayOpensNoConnection(t *testing.T) {
	for _, p := range programs { // in turn, since goroutines are counted
		file, address, recorded := record(t, p)
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.NumGoroutine()
		rec := open(t, file, promptecho.ModeNone)
		conn, err := grpc.NewClient("failing:///127.0.0.1:"+port,
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithResolvers(failingResolver{t}),
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
				t.Error("a connection is opened")
				return nil, io.EOF
			}),
			grpc.WithUnaryInterceptor(echogrpc.UnaryClientInterceptor(rec)),
			grpc.WithStreamInterceptor(echogrpc.StreamClientInterceptor(rec)))
		if err != nil {
			t.Fatal(err)
		}
		replayed := p(t.Context(), testpb.NewTestServiceClient(conn))
		conn.Close()
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		if replayed != recorded {
			t.Errorf("recorded:\n%s\nreplayed:\n%s", recorded, replayed)
		}
		waitUntilEnded(t, before)
	}
}

// waitUntilEnded waits until no more goroutines run than before: those of a grpc.ClientConn end
// soon after it is closed.
func waitUntilEnded(t *testing.T, before int) {
	t.Helper()
	for range 1_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	stacks := make([]byte, 1<<20)
	t.Fatalf("%d goroutines are left:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
}

// A failingResolver fails the test if a name is resolved.
type failingResolver struct{ t *testing.T }

func (r failingResolver) Scheme() string { return "failing" }

func (r failingResolver) Build(resolver.Target, resolver.ClientConn, resolver.BuildOptions) (resolver.Resolver, error) {
	r.t.Error("a name is resolved")
	return nil, io.EOF
}
