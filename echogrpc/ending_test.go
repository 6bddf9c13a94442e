package echogrpc_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// A manualDeadline is a context whose deadline passes when the test says so, however busy the machine is.
// It does not end with its parent.
type manualDeadline struct {
	context.Context
	once   sync.Once
	passed chan struct{}
}

func newDeadline(ctx context.Context) *manualDeadline {
	return &manualDeadline{Context: ctx, passed: make(chan struct{})}
}

// pass lets the deadline pass.
func (d *manualDeadline) pass() { d.once.Do(func() { close(d.passed) }) }

func (d *manualDeadline) Done() <-chan struct{} { return d.passed }

func (d *manualDeadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// receiveUntil receives n messages, lets the deadline pass, and receives once more. It returns the codes.
func receiveUntil(stream receiver, n int, deadline *manualDeadline) (saw string) {
	for range n {
		_, err := stream.Recv()
		saw += status.Code(err).String() + " "
	}
	deadline.pass()
	_, err := stream.Recv()
	return saw + status.Code(err).String()
}

// A deadline that passed in the recorded run passes in a replay, in each kind of call.
func TestDeadlinesReplay(t *testing.T) {
	t.Parallel()
	var p program = func(ctx context.Context, c testpb.TestServiceClient) string {
		ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, unary := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload("wait")})
		return status.Code(unary).String()
	}
	var stream program = func(ctx context.Context, c testpb.TestServiceClient) string {
		deadline := newDeadline(ctx)
		defer deadline.pass()
		stream, err := c.StreamingOutputCall(deadline, &testpb.StreamingOutputCallRequest{
			Payload: payload("wait"), ResponseParameters: times(2),
		})
		if err != nil {
			return describe(err)
		}
		return receiveUntil(stream, 2, deadline)
	}
	var twoWay program = func(ctx context.Context, c testpb.TestServiceClient) string {
		deadline := newDeadline(ctx)
		defer deadline.pass()
		stream, err := c.FullDuplexCall(deadline)
		if err != nil {
			return describe(err)
		}
		return receiveUntil(stream, 1, deadline)
	}
	for name, tt := range map[string]struct {
		p    program
		want string
	}{
		"unary":          {p, "DeadlineExceeded"},
		"server stream":  {stream, "OK OK DeadlineExceeded"},
		"two-way stream": {twoWay, "OK DeadlineExceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, address, recorded := record(t, tt.p)
			replayed, err := run(t, file, address, promptecho.ModeNone, tt.p)
			if err != nil {
				t.Error(err)
			}
			if recorded != tt.want || replayed != tt.want {
				t.Errorf("recorded %q, replayed %q, want %q", recorded, replayed, tt.want)
			}
		})
	}
}

// receiveThenCancel receives one message, cancels the stream, and returns the text and the code of the end.
func receiveThenCancel(stream receiver, cancel context.CancelFunc) string {
	saw := receiveOne(stream)
	cancel()
	_, err := stream.Recv()
	return saw + status.Code(err).String()
}

// A program that cancels a stream after its first message gets Canceled in the recorded run and in a replay.
func TestCanceledStreamsReplay(t *testing.T) {
	t.Parallel()
	var server program = func(ctx context.Context, c testpb.TestServiceClient) string {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{
			Payload: payload("wait"), ResponseParameters: times(1),
		})
		if err != nil {
			return describe(err)
		}
		return receiveThenCancel(stream, cancel)
	}
	var twoWay program = func(ctx context.Context, c testpb.TestServiceClient) string {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := c.FullDuplexCall(ctx)
		if err != nil {
			return describe(err)
		}
		return receiveThenCancel(stream, cancel)
	}
	for name, p := range map[string]program{"server stream": server, "two-way stream": twoWay} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, address, recorded := record(t, p)
			replayed, err := run(t, file, address, promptecho.ModeNone, p)
			if err != nil {
				t.Error(err)
			}
			if replayed != recorded || !strings.HasSuffix(recorded, "<nil>"+codes.Canceled.String()) {
				t.Errorf("recorded %q, replayed %q", recorded, replayed)
			}
		})
	}
}

// A server whose header comes only after another call of the same program can be recorded: SendMsg does not wait for it.
func TestHeaderAfterAnotherCall(t *testing.T) {
	t.Parallel()
	var p program = func(ctx context.Context, c testpb.TestServiceClient) string {
		watch, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{
			Payload: payload("after the next call"), ResponseParameters: times(1),
		})
		if err != nil {
			return describe(err)
		}
		reply, err := c.UnaryCall(ctx, &testpb.SimpleRequest{Payload: payload("change")})
		saw := fmt.Sprintf("%s %v; ", reply.GetPayload().GetBody(), err)
		return saw + receiveOne(watch)
	}
	file, address, recorded := record(t, p)
	if !strings.HasPrefix(recorded, "change #1 <nil>; after the next call #2 <nil>") {
		t.Errorf("recorded %q", recorded)
	}
	replayed, err := run(t, file, address, promptecho.ModeNone, p, promptecho.AllowUnused())
	if err != nil || replayed != recorded {
		t.Errorf("replayed %q, %v", replayed, err)
	}
}
