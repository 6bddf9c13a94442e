package review

import (
	"strings"
	"testing"

	"example.com/app/chat"
	"github.com/promptecho/promptecho/echofake"
)

func TestJudgeAsksAgain(t *testing.T) {
	p := echofake.New(t, echofake.Text("perhaps"), echofake.Text("no"))
	model := &chat.Client{HTTP: p.Client(), Key: p.Secret("OPENAI_API_KEY")}
	got, err := Judge(t.Context(), model, "x = x")
	if err != nil || got != "no" {
		t.Errorf("%q, %v", got, err)
	}
	if asked := p.Requests()[1].Last().Text; !strings.Contains(asked, `You said "perhaps".`) {
		t.Errorf("asked %q", asked)
	}
}
