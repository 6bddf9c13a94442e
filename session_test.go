package promptecho_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
)

type question struct {
	Text string `json:"text"`
}

type answer struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

// A chat answers each question with two answers over a pair of channels.
type chat struct {
	ctx     context.Context
	sent    chan question
	answers chan answer
}

func openChat(ctx context.Context) (promptecho.Stream[question, answer], error) {
	c := &chat{ctx, make(chan question), make(chan answer)}
	go func() {
		defer close(c.answers)
		for q := range c.sent {
			for n := range 2 {
				select {
				case c.answers <- answer{"re: " + q.Text, n}:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return c, nil
}

func (c *chat) Send(q question) error {
	select {
	case c.sent <- q:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

func (c *chat) CloseSend() error {
	close(c.sent)
	return nil
}

func (c *chat) Recv() (answer, error) {
	a, ok := <-c.answers
	if !ok {
		return a, io.EOF
	}
	return a, nil
}

// ask asks the questions in a session, and returns all answers.
func ask(ctx context.Context, open func(context.Context) (promptecho.Stream[question, answer], error), questions ...string) (string, error) {
	s, err := open(ctx)
	if err != nil {
		return "", err
	}
	var heard strings.Builder
	for _, q := range questions {
		if err := s.Send(question{q}); err != nil {
			return heard.String(), err
		}
		for range 2 {
			a, err := s.Recv()
			if err != nil {
				return heard.String(), err
			}
			fmt.Fprintln(&heard, a)
		}
	}
	if err := s.CloseSend(); err != nil {
		return heard.String(), err
	}
	if _, err := s.Recv(); err != io.EOF {
		return heard.String(), fmt.Errorf("the session ended with %w", err)
	}
	return heard.String(), nil
}

// TestWrappedStreamReplays: a session of a Go program is replayed without being opened, and a
// message that is not recorded is a miss that names the field.
func TestWrappedStreamReplays(t *testing.T) {
	t.Setenv("CI", "")
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, questions ...string) (string, error, error) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		opened := false
		open := promptecho.WrapStream(rec, "tool/chat", func(ctx context.Context) (promptecho.Stream[question, answer], error) {
			opened = true
			return openChat(ctx)
		})
		heard, err := ask(t.Context(), open, questions...)
		if opened != (mode == promptecho.ModeAll) {
			t.Errorf("mode %s: opened is %v", mode, opened)
		}
		return heard, err, rec.Close()
	}
	want, err, closing := run(promptecho.ModeAll, "a", "b")
	if err != nil || closing != nil {
		t.Fatal(err, closing)
	}
	for range 10 {
		got, err, closing := run(promptecho.ModeNone, "a", "b")
		if got != want || err != nil || closing != nil {
			t.Fatalf("replay: %q, %v, %v, want %q", got, err, closing, want)
		}
	}
	text, _ := os.ReadFile(file)
	if !strings.Contains(string(text), "- {sent: {text: a}}\n") {
		t.Errorf("messages are not readable:\n%s", text)
	}

	_, err, closing = run(promptecho.ModeNone, "a", "c")
	var miss *promptecho.MissError
	if !errors.As(err, &miss) || !strings.Contains(miss.Diff, "text") || miss.Line == 0 {
		t.Errorf("the error of the program: %v", err)
	}
	if closing == nil || !strings.Contains(closing.Error(), `incoming: "c"`) {
		t.Errorf("the report does not name what changed: %v", closing)
	}
}

// TestStreamWhoseWaitTimesOutEnds: a program that waits for a message, and does not send what was sent
// before it, is told so after the documented time.
func TestStreamWhoseWaitTimesOutEnds(t *testing.T) {
	t.Setenv("CI", "")
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), promptecho.WrapStream(rec, "tool/chat", openChat), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = ask(t.Context(), promptecho.WrapStream(rec, "tool/chat", openChat), "a")
		var miss *promptecho.MissError
		if !errors.As(err, &miss) || miss.Code != "session-waits" || miss.Line == 0 {
			t.Errorf("the error of the program: %v", err)
		}
		if took := time.Since(began); took < 10*time.Second || took > 20*time.Second {
			t.Errorf("the program waited for %v", took)
		}
		if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "not sent") {
			t.Errorf("the report: %v", err)
		}
	})
}

// An echo is a session whose other side repeats each message in capitals.
type echo struct{ messages chan []byte }

func (e *echo) Send(message []byte) error {
	e.messages <- bytes.ToUpper(message)
	return nil
}

func (e *echo) CloseSend() error {
	close(e.messages)
	return nil
}

func (e *echo) Recv() ([]byte, error) {
	message, ok := <-e.messages
	if !ok {
		return nil, io.EOF
	}
	return message, nil
}

// TestSessionOfATransportReplays: a session over a protocol of the program's own is recorded under
// its request, and replayed without being opened.
func TestSessionOfATransportReplays(t *testing.T) {
	t.Setenv("CI", "")
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, topic, message string) (string, error, error) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "queue://orders/"+topic, nil)
		if err != nil {
			t.Fatal(err)
		}
		heard := ""
		session, err := rec.Session(req, func(context.Context) (promptecho.Stream[[]byte, []byte], error) {
			if mode == promptecho.ModeNone {
				t.Error("a replay opens the session")
			}
			return &echo{make(chan []byte, 8)}, nil
		})
		if err == nil {
			err = session.Send([]byte(message))
		}
		if err == nil {
			var answer []byte
			answer, err = session.Recv()
			heard = string(answer)
		}
		if err == nil {
			err = session.CloseSend()
		}
		if err == nil {
			_, err = session.Recv()
		}
		return heard, err, rec.Close()
	}
	if heard, err, closing := run(promptecho.ModeAll, "new", "a b"); heard != "A B" || err != io.EOF || closing != nil {
		t.Fatal(heard, err, closing)
	}
	if heard, err, closing := run(promptecho.ModeNone, "new", "a b"); heard != "A B" || err != io.EOF || closing != nil {
		t.Fatal(heard, err, closing)
	}
	for _, tt := range []struct{ topic, message, want string }{
		{"old", "a b", "POST /old"},
		{"new", "a c", "a c"},
	} {
		_, err, closing := run(promptecho.ModeNone, tt.topic, tt.message)
		var miss *promptecho.MissError
		if !errors.As(err, &miss) {
			t.Errorf("the error of the program: %v", err)
		}
		if closing == nil || !strings.Contains(closing.Error(), tt.want) {
			t.Errorf("the report does not have %q: %v", tt.want, closing)
		}
	}
}

// A described is a session that sends one message, with headers and trailers.
type described struct {
	messages []string
}

func (d *described) Send([]byte) error    { return nil }
func (d *described) CloseSend() error     { return nil }
func (d *described) Header() http.Header  { return http.Header{"X-Version": {"2"}, "Date": {"today"}} }
func (d *described) Trailer() http.Header { return http.Header{"X-Cost": {"3"}} }

func (d *described) Recv() ([]byte, error) {
	if len(d.messages) == 0 {
		return nil, io.EOF
	}
	m := d.messages[0]
	d.messages = d.messages[1:]
	return []byte(m), nil
}

// Headers and trailers of a session are replayed by the rule for those of a response: without the date.
func TestSessionHasHeadersAndTrailers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.KeepHeaders("x-version", "x-cost"))
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "custom://host/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		session, err := rec.Session(req, func(context.Context) (promptecho.Stream[[]byte, []byte], error) {
			return &described{messages: []string{`{"n":1}`}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = session.Recv()
		}
		if err != io.EOF {
			t.Errorf("%s: %v", mode, err)
		}
		metadata := session.(promptecho.MetadataStream)
		got := fmt.Sprint(metadata.Header(), metadata.Trailer())
		if want := "map[X-Version:[2]] map[X-Cost:[3]]"; got != want {
			t.Errorf("%s: got %s, want %s", mode, got, want)
		}
		if err := rec.Close(); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
