package decode

import (
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// messages returns the requests for a text and for calls.
func messages() []anthropic.MessageNewParams {
	var list []anthropic.MessageNewParams
	for _, question := range []string{forText, forCall} {
		list = append(list, anthropic.MessageNewParams{
			Model:     anthropic.ModelClaudeHaiku4_5,
			MaxTokens: 1000,
			Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
		})
	}
	list[1].Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
		Name: "get_weather",
		InputSchema: anthropic.ToolInputSchemaParam{
			Properties: schema["properties"],
			Required:   []string{"city", "days"},
		},
	}}}
	return list
}

func TestMessages(t *testing.T) {
	t.Parallel()
	client := setup.Anthropic(recorder(t, 2))
	for _, params := range messages() {
		_, err := client.Messages.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestMessagesStream(t *testing.T) {
	t.Parallel()
	client := setup.Anthropic(recorder(t, 2))
	for _, params := range messages() {
		stream := client.Messages.NewStreaming(t.Context(), params)
		defer stream.Close()
		var message anthropic.Message
		for stream.Next() {
			err := message.Accumulate(stream.Current())
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
