package suite

import (
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/realtime"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// askOver asks a model over one WebSocket, one prompt after the other, and returns its texts.
func askOver(t *testing.T, rec echotest.Answerer, prompts ...string) (texts []string, err error) {
	client := setup.OpenAI(rec)
	conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, prompt := range prompts {
		err := conn.Create(t.Context(), responses.ResponsesClientEventResponseCreateParam{
			Model: model,
			Input: responses.ResponsesClientEventResponseCreateInputUnionParam{OfString: openai.String(prompt)},
		})
		if err != nil {
			return nil, err
		}
		text := ""
		for isOver := false; !isOver; {
			event, err := conn.Recv(t.Context())
			if err != nil {
				return nil, err
			}
			switch event.Type {
			case "response.output_text.delta":
				text += event.OfResponsesServerEventResponseTextWsDelta.Delta
			case "response.completed", "response.incomplete":
				isOver = true
			case "response.failed", "error":
				return nil, errors.New(event.RawJSON())
			}
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func TestSocketTexts(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text("Good morning, Ann."), echofake.Text("Good night, Bob."))
	got, err := askOver(t, rec, "Greet Ann.", "Greet Bob.")
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != "Good morning, Ann." || got[1] != "Good night, Bob." {
		t.Errorf("got %q", got)
	}
}

func TestSocketWord(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(capital))
	got, err := askOver(t, rec, question)
	if err != nil || !strings.Contains(got[0], "Paris") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRealtimeAnswers(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(setup.Recorder(t, echofake.Text(capital)))
	conn, err := client.Realtime.Connect(t.Context(), realtime.RealtimeConnectionOptions{},
		option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, e := range []realtime.RealtimeClientEventUnionParam{
		{OfSessionUpdate: &realtime.SessionUpdateEventParam{
			Session: realtime.SessionUpdateEventSessionUnionParam{
				OfRealtime: &realtime.RealtimeSessionCreateRequestParam{OutputModalities: []string{"text"}},
			},
		}},
		{OfConversationItemCreate: &realtime.ConversationItemCreateEventParam{
			Item: realtime.ConversationItemParamOfRealtimeUserMessageItem(
				[]realtime.RealtimeConversationItemUserMessageContentParam{
					{Type: "input_text", Text: openai.String(question)},
				}),
		}},
		{OfResponseCreate: &realtime.ResponseCreateEventParam{}},
	} {
		err := conn.Send(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
	}
	for {
		event, err := conn.Recv(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if event.Type == "response.done" {
			return
		}
	}
}
