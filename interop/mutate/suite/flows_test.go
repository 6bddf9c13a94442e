package suite

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

func TestRetried(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Error(429), echofake.Text(capital))
	got, err := ask(t.Context(), rec, question)
	if err != nil || got != capital {
		t.Errorf("got %q, %v", got, err)
	}
}

// The program asks again if an answer is no JSON.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text("The city is Paris."), echofake.JSON(`{"city":"Paris"}`))
	client := setup.OpenAI(rec)
	params := chatOf("Which city has the Louvre? Answer as JSON.")
	var got struct{ City string }
	for range 2 {
		answer, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		err = json.Unmarshal([]byte(answer.Choices[0].Message.Content), &got)
		if err == nil {
			break
		}
		params.Messages = append(params.Messages, openai.UserMessage("That is no JSON."))
	}
	if got.City != "Paris" {
		t.Errorf("got %+v", got)
	}
}

// The answers of three models, in order.
var (
	judges  = []string{"gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano"}
	opinion = "Paris"
)

// askAll asks three models at the same time.
func askAll(t *testing.T, rec echotest.Answerer) []string {
	t.Helper()
	client := setup.OpenAI(rec)
	texts := make([]string, len(judges))
	var calls sync.WaitGroup
	for i, judge := range judges {
		calls.Go(func() {
			params := chatOf(question)
			params.Model = judge
			answer, err := client.Chat.Completions.New(t.Context(), params)
			if err != nil {
				t.Error(err)
				return
			}
			texts[i] = answer.Choices[0].Message.Content
		})
	}
	calls.Wait()
	return texts
}

func TestFanOut(t *testing.T) {
	t.Parallel()
	for i, got := range askAll(t, setup.Recorder(t, echofake.Text(opinion).Times(3))) {
		if got != opinion {
			t.Errorf("%s: got %q", judges[i], got)
		}
	}
}

func TestFanOutFirst(t *testing.T) {
	t.Parallel()
	got := askAll(t, setup.Recorder(t, echofake.Text(opinion).Times(3)))
	if got[0] != opinion {
		t.Errorf("got %q", got[0])
	}
}

func TestMajority(t *testing.T) {
	t.Parallel()
	votes := map[string]int{}
	for _, text := range askAll(t, setup.Recorder(t, echofake.Text(opinion).Times(3))) {
		votes[text]++
	}
	if votes[opinion] < 2 {
		t.Errorf("got %v", votes)
	}
}

// chain asks for a summary, and then for its translation.
func chain(t *testing.T) (summary, translation string) {
	t.Helper()
	rec := setup.Recorder(t, echofake.Text("It snows in Oslo."), echofake.Text("Es schneit in Oslo."))
	summary, err := ask(t.Context(), rec, "Summarize: white flakes fall on the capital of Norway.")
	if err != nil {
		t.Fatal(err)
	}
	translation, err = ask(t.Context(), rec, "Translate into German: "+summary)
	if err != nil {
		t.Fatal(err)
	}
	return summary, translation
}

func TestChain(t *testing.T) {
	t.Parallel()
	_, got := chain(t)
	if got != "Es schneit in Oslo." {
		t.Errorf("got %q", got)
	}
}

func TestChainWhole(t *testing.T) {
	t.Parallel()
	summary, translation := chain(t)
	if summary != "It snows in Oslo." || translation != "Es schneit in Oslo." {
		t.Errorf("got %q, %q", summary, translation)
	}
}
