package promptecho_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	_, err, closing = run(promptecho.ModeNone, "a")
	if err == nil || closing == nil || !strings.Contains(closing.Error(), "not sent") {
		t.Errorf("a session that ends early: %v, %v", err, closing)
	}
}
