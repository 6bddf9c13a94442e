package review

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// mockModel returns its answers in turn, and keeps the questions.
type mockModel struct {
	answers   []string
	questions []string
}

func (m *mockModel) Ask(_ context.Context, question string) (string, error) {
	m.questions = append(m.questions, question)
	if len(m.answers) == 0 {
		return "", errors.New("no answer is left")
	}
	answer := m.answers[0]
	m.answers = m.answers[1:]
	return answer, nil
}

func TestJudgeAsksAgain(t *testing.T) {
	model := &mockModel{answers: []string{"perhaps", "no"}}
	got, err := Judge(t.Context(), model, "x = x")
	if err != nil || got != "no" {
		t.Errorf("%q, %v", got, err)
	}
	if !strings.Contains(model.questions[1], `You said "perhaps".`) {
		t.Errorf("asked %q", model.questions[1])
	}
}
