package echogrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// runServed is run for a program in another process: a client that knows nothing of the recorder.
func runServed(
	t *testing.T, file, address string, mode promptecho.Mode, p program,
) (saw string, closed error) {
	t.Helper()
	rec := open(t, file, mode)
	t.Run("served", func(t *testing.T) {
		srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
		conn := dialServed(t, srv, "http://"+address)
		saw = p(t.Context(), testpb.NewTestServiceClient(conn))
	})
	return saw, rec.Close()
}

// dialServed returns a client of a server behind a recorder. upstream is the URL of the server.
func dialServed(t *testing.T, srv *echotest.Server, upstream string) *grpc.ClientConn {
	t.Helper()
	_, at, _ := strings.Cut(srv.URL(upstream), "//")
	conn, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A cassette recorded by DialOptions answers a program behind Serve, and the other way round.
func TestServeAndDialOptionsShareACassette(t *testing.T) {
	t.Parallel()
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inProcess, address, saw := record(t, p)
			server, stop := serve(t)
			served := cassette(t)
			sawServed, err := runServed(t, served, server, promptecho.ModeAll, p)
			stop()
			if err != nil || sawServed != saw {
				t.Fatalf("recording through Serve: %v\n%s\nwant\n%s", err, sawServed, saw)
			}
			replayed, err := runServed(t, inProcess, address, promptecho.ModeNone, p)
			if err != nil || replayed != saw {
				t.Errorf("a cassette of DialOptions through Serve: %v\n%s\nwant\n%s", err, replayed, saw)
			}
			replayed, err = run(t, served, server, promptecho.ModeNone, p)
			if err != nil || replayed != saw {
				t.Errorf("a cassette of Serve by DialOptions: %v\n%s\nwant\n%s", err, replayed, saw)
			}
		})
	}
}

// Concurrent calls of a program behind Serve get the answers that they got in the recorded run.
func TestServedCallsRunConcurrently(t *testing.T) {
	t.Parallel()
	p := func(ctx context.Context, c testpb.TestServiceClient) string {
		saw := make([]string, 64)
		var group sync.WaitGroup
		for i := range saw {
			group.Go(func() {
				text := fmt.Sprintf("call %d", i)
				reply, err := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload(text)})
				saw[i] = string(reply.GetPayload().GetBody()) + describe(err)
			})
		}
		group.Wait()
		return strings.Join(saw, "\n")
	}
	checkServed(t, p)
}

// Equal two-way streams, each with a goroutine that sends and one that receives, each get one recorded stream.
func TestServedTwoWayStreamsRunConcurrently(t *testing.T) {
	t.Parallel()
	p := func(ctx context.Context, c testpb.TestServiceClient) string {
		saw := make([]string, 8)
		var group sync.WaitGroup
		for i := range saw {
			group.Go(func() { saw[i] = talk(ctx, c) })
		}
		group.Wait()
		slices.Sort(saw)
		return strings.Join(saw, "\n")
	}
	checkServed(t, p)
}

// talk sends messages in a goroutine, and returns what it receives meanwhile.
func talk(ctx context.Context, c testpb.TestServiceClient) string {
	stream, err := c.FullDuplexCall(ctx)
	if err != nil {
		return describe(err)
	}
	sent := make(chan error, 1)
	go func() {
		for i := range 5 {
			m := &testpb.StreamingOutputCallRequest{
				Payload:            payload(fmt.Sprintf("message %d", i)),
				ResponseParameters: times(1),
			}
			err := stream.Send(m)
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	return receiveAll(stream) + describe(<-sent)
}

// checkServed records a program behind Serve, and replays it without its server.
func checkServed(t *testing.T, p program) {
	t.Helper()
	server, stop := serve(t)
	file := cassette(t)
	recorded, err := runServed(t, file, server, promptecho.ModeAll, p)
	stop()
	if err != nil {
		t.Fatalf("recording: %v\n%s", err, recorded)
	}
	for range 3 {
		replayed, err := runServed(t, file, server, promptecho.ModeNone, p)
		if err != nil || replayed != recorded {
			t.Fatalf("replay: %v\n%s\nin the recorded run\n%s", err, replayed, recorded)
		}
	}
}

// A miss behind Serve is FailedPrecondition, which no client retries, and the report names the program.
func TestServedMissFailsTheCallAndTheRun(t *testing.T) {
	t.Parallel()
	ask := func(text string) program {
		return func(ctx context.Context, c testpb.TestServiceClient) string {
			_, err := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload(text)})
			return describe(err)
		}
	}
	file, address, _ := record(t, ask("hello"))
	saw, err := runServed(t, file, address, promptecho.ModeNone, ask("goodbye"))
	if !strings.HasPrefix(saw, "FailedPrecondition: promptecho: not recorded: ") {
		t.Errorf("the program got %s", saw)
	}
	var miss *promptecho.MissError
	if !errors.As(err, &miss) {
		t.Fatalf("the run ended with %v", err)
	}
	if miss.Count != 1 || !strings.HasPrefix(miss.Caller, "grpc-go/") {
		t.Errorf("%d attempts of %s, want 1 of grpc-go", miss.Count, miss.Caller)
	}
}

// A stream that is open when the test ends is recorded until then, and replays as far.
func TestStreamUnderWayAtTheEndOfATestReplays(t *testing.T) {
	t.Parallel()
	forever := context.Background()
	var ended sync.WaitGroup
	t.Cleanup(ended.Wait)
	// readOn returns the first message, and waits for others in a goroutine.
	readOn := func(receive func() (*testpb.StreamingOutputCallResponse, error)) string {
		m, err := receive()
		ended.Go(func() {
			for err == nil {
				_, err = receive()
			}
		})
		return string(m.GetPayload().GetBody())
	}
	programs := map[string]program{
		"two-way": func(_ context.Context, c testpb.TestServiceClient) string {
			stream, err := c.FullDuplexCall(forever)
			if err != nil {
				return describe(err)
			}
			return readOn(stream.Recv)
		},
		"server stream": func(_ context.Context, c testpb.TestServiceClient) string {
			stream, err := c.StreamingOutputCall(forever, &testpb.StreamingOutputCallRequest{
				Payload:            payload("wait"),
				ResponseParameters: times(1),
			})
			if err != nil {
				return describe(err)
			}
			return readOn(stream.Recv)
		},
	}
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkServed(t, p)
			server, stop := serve(t)
			file := cassette(t)
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				rec := open(t, file, mode)
				conn := dial(t, rec, server)
				saw := p(t.Context(), testpb.NewTestServiceClient(conn))
				err := rec.Close() // before the connection, which ends the stream
				conn.Close()
				stop()
				if err != nil || !strings.HasSuffix(saw, " #1") {
					t.Errorf("by DialOptions, mode %v: %v, %s", mode, err, saw)
				}
			}
		})
	}
}

// A program behind Serve that cancels a stream after its first messages sees the same in replay.
func TestServedCallsThatAreCanceledReplay(t *testing.T) {
	t.Parallel()
	p := func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{
			Payload:            payload("wait"),
			ResponseParameters: times(2),
		})
		for i := 0; i < 2 && err == nil; i++ {
			var m *testpb.StreamingOutputCallResponse
			m, err = stream.Recv()
			saw += string(m.GetPayload().GetBody()) + "; "
		}
		if err != nil {
			return saw + describe(err)
		}
		cancel()
		_, err = stream.Recv()
		return saw + status.Code(err).String()
	}
	checkServed(t, p)
}

// A call of a method that the test does not know fails with what to do, and fails the run.
func TestServedMethodThatIsNotKnownFailsTheRun(t *testing.T) {
	t.Parallel()
	server, stop := serve(t)
	defer stop()
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, cassette(t), mode)
		t.Run("served", func(t *testing.T) {
			srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
			conn := dialServed(t, srv, "http://"+server)
			err := conn.Invoke(t.Context(), "/shop.Shop/Find", payload("x"), payload("x"))
			if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "protoc --include_imports") {
				t.Errorf("mode %v: the program got %v", mode, err)
			}
		})
		err := rec.Close()
		if err == nil || !strings.Contains(err.Error(), "the messages of shop.Shop/Find cannot be read") {
			t.Errorf("mode %v: the run ended with %v", mode, err)
		}
	}
}

// What comes with a call reaches the server: metadata, the deadline, the name of the program, a large message.
func TestServedCallReachesTheServerWithItsMetadata(t *testing.T) {
	t.Parallel()
	p := func(ctx context.Context, c testpb.TestServiceClient) (saw string) {
		ctx = metadata.AppendToOutgoingContext(ctx, "x-tenant", "a", "x-tenant", "b", "x-trace-bin", "\x00\xff")
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		m := &testpb.SimpleRequest{Payload: payload("what came with it?")}
		reply, err := c.UnaryCall(ctx, m, grpc.UseCompressor("gzip"))
		saw += fmt.Sprintf("%s %v ", reply.GetPayload().GetBody(), err)
		if !strings.Contains(reply.GetUsername(), "grpc-go/") {
			saw += "no User-Agent"
		}
		m.Payload = payload(strings.Repeat("x", 5<<20)) // more than the 4 MB of a server by default
		reply, err = c.UnaryCall(ctx, m, grpc.MaxCallRecvMsgSize(6<<20))
		return saw + fmt.Sprint(len(reply.GetPayload().GetBody()) > 5<<20, err)
	}
	const want = `["a" "b"] ["\x00\xff"] true <nil> true <nil>`
	server, stop := serve(t)
	file := cassette(t)
	recorded, err := runServed(t, file, server, promptecho.ModeAll, p)
	stop()
	if err != nil || recorded != want {
		t.Fatalf("%v: %s, want %s", err, recorded, want)
	}
	replayed, err := runServed(t, file, server, promptecho.ModeNone, p)
	if err != nil || replayed != want {
		t.Errorf("replay: %v: %s, want %s", err, replayed, want)
	}
}

// Requests that are no gRPC calls go to the recorder as without Transport.
func TestOtherRequestsPassToTheRecorder(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello")
	}))
	defer upstream.Close()
	file := cassette(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		client := &http.Client{Transport: echogrpc.Transport(rec)}
		resp, err := client.Get(upstream.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != "hello" {
			t.Errorf("mode %v: %q, %v", mode, body, err)
		}
		err = rec.Close()
		if err != nil {
			t.Errorf("mode %v: %v", mode, err)
		}
		upstream.Close()
	}
}
