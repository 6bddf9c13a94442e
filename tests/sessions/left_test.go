package sessions_test

import (
	"context"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A program that leaves a session need not send what followed the last message that it received. How
// much that is depends on when it leaves.
func TestMessagesAfterTheLastReceivedOneNeedNotBeSent(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	leaveBranches(t, record(t, file), 3)
	for sent := range 4 {
		rec := replay(t, file)
		leaveBranches(t, rec, sent)
	}
}

// leaveBranches sends a message, receives the answers, sends some messages more, and leaves the
// session.
func leaveBranches(t *testing.T, rec *promptecho.Recorder, more int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), noTime)
	defer cancel()
	s, err := promptecho.WrapStream(rec, "tool/sink", openSink)(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send("first")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Recv()
	if answer != "heard" || err != nil {
		t.Fatalf("%q, %v", answer, err)
	}
	for range more {
		err := s.Send("more")
		if err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	_, err = s.Recv()
	if err != context.Canceled {
		t.Errorf("Recv: %v", err)
	}
	must.Pass(t, rec)
}

// A sink answers the first message only.
type sink struct {
	ctx     context.Context
	answers chan string
}

func openSink(ctx context.Context) (textStream, error) {
	s := &sink{ctx, make(chan string, 1)}
	s.answers <- "heard"
	return s, nil
}

func (s *sink) Send(string) error { return nil }

func (s *sink) CloseSend() error { return nil }

func (s *sink) Recv() (string, error) {
	select {
	case answer := <-s.answers:
		return answer, nil
	case <-s.ctx.Done():
		return "", s.ctx.Err()
	}
}
