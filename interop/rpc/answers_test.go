package rpc

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// showsAnswers reports which answers of googleAnswer and googleStream "promptecho show" could not print: each is
// one of a model, and has its text, its tool call and its tokens.
func (r *recording) showsAnswers(t *testing.T) {
	t.Helper()
	stored, err := cassette.Load(r.file)
	if err != nil {
		t.Fatal(err)
	}
	whole, streamed := 0, 0
	for _, it := range stored.Interactions {
		switch {
		case strings.HasSuffix(it.Request.URL, "/StreamGenerateContent"):
			streamed++
			showsAnswer(t, it, "Sunny, ", said.Call{Name: "stop_here", Args: "{}"}, 3, 5)
		case strings.HasSuffix(it.Request.URL, "/GenerateContent"):
			whole++
			showsAnswer(t, it, "Let me look ", said.Call{Name: "get_weather", Args: `{"city":"Paris","days":`}, 7, 11)
		}
	}
	if whole == 0 || streamed == 0 {
		t.Errorf("%d whole answers and %d streams", whole, streamed)
	}
}

// showsAnswer reports whether an answer is not as expected. text and the arguments of call are beginnings.
func showsAnswer(t *testing.T, it *interaction.Interaction, text string, call said.Call, input, output int64) {
	t.Helper()
	answer := said.Read(new(canon.Options).Form(&it.Request), &it.Response)
	if it.Kind != "llm" || !strings.HasPrefix(answer.Text, text) {
		t.Errorf("kind %s, text %q", it.Kind, answer.Text)
	}
	isCall := len(answer.Calls) == 1 && answer.Calls[0].Name == call.Name
	if !isCall || !strings.HasPrefix(answer.Calls[0].Args, call.Args) {
		t.Errorf("tool calls %v, want %v", answer.Calls, call)
	}
	if answer.Usage == nil || answer.Usage.InputTokens != input || answer.Usage.OutputTokens != output {
		t.Errorf("tokens %+v, want %d and %d", answer.Usage, input, output)
	}
}
