package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	"github.com/philippgille/chromem-go"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

// The example of docs/AGENTS.md, which is this very code. Its cassette was recorded
// against the stand-in.

// A concierge is an agent. It reaches its model through a client, and everything else
// through functions.
type concierge struct {
	client openai.Client
	now    func() time.Time
	search func(ctx context.Context, question string) ([]string, error)
	tools  map[string]func(ctx context.Context, args json.RawMessage) (string, error)
}

func (c concierge) ask(ctx context.Context, question string) (string, error) {
	advice, err := c.search(ctx, question)
	if err != nil {
		return "", err
	}
	system := "Today is " + c.now().Format(time.DateOnly) + ". " + strings.Join(advice, " ")
	p := openai.ChatCompletionNewParams{
		Model:    openai.ChatModelGPT5_4Mini,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage(question)},
		Tools:    conciergeTools,
	}
	for {
		r, err := c.client.Chat.Completions.New(ctx, p)
		if err != nil {
			return "", err
		}
		m := r.Choices[0].Message
		if len(m.ToolCalls) == 0 {
			return m.Content, nil
		}
		p.Messages = append(p.Messages, m.ToParam())
		for _, call := range m.ToolCalls {
			tool, ok := c.tools[call.Function.Name]
			if !ok {
				return "", fmt.Errorf("the model calls %s, which is no tool", call.Function.Name)
			}
			result, err := tool(ctx, json.RawMessage(call.Function.Arguments))
			if err != nil {
				return "", err
			}
			p.Messages = append(p.Messages, openai.ToolMessage(result, call.ID))
		}
	}
}

// The agent of docs/AGENTS.md replays its model, its tools, its retrieval and its clock.
func TestConcierge(t *testing.T) {
	rec := echotest.New(t)
	key := rec.Secret("OPENAI_API_KEY")
	agent := concierge{
		client: openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(key)),
		now:    rec.Now,
		search: promptecho.Wrap(rec, "retrieval/guide", func(ctx context.Context, question string) ([]string, error) {
			embed := chromem.NewEmbeddingFuncOpenAI(key, chromem.EmbeddingModelOpenAI3Small)
			guide, err := chromem.NewDB().CreateCollection("guide", nil, embed)
			if err != nil {
				return nil, err
			}
			if err := guide.AddDocuments(ctx, guideDocuments, 1); err != nil {
				return nil, err
			}
			found, err := guide.Query(ctx, question, 1, nil, nil)
			if err != nil {
				return nil, err
			}
			return []string{found[0].Content}, nil
		}),
		tools: map[string]func(context.Context, json.RawMessage) (string, error){
			"get_weather": promptecho.Wrap(rec, "tool/get_weather", getWeather),
			"book_table":  promptecho.Wrap(rec, "tool/book_table", bookTable),
		},
	}
	answer, err := agent.ask(t.Context(), "Call get_weather(Rome), then book_table(2, Da Enzo).")
	if err != nil {
		t.Fatal(err)
	}
	if want := "Da Enzo: table 4 for 2"; !strings.Contains(answer, want) {
		t.Errorf("the answer is %q, want %q in it", answer, want)
	}
}

var guideDocuments = []chromem.Document{
	{ID: "enzo", Content: "Da Enzo in Rome has tables in the garden."},
	{ID: "hours", Content: "Kitchens close at eleven."},
}

// getWeather and bookTable stand for tools with effects: they reach what a test must not
// reach each time.
func getWeather(_ context.Context, args json.RawMessage) (string, error) {
	return "sunny, 22 degrees", nil
}

func bookTable(_ context.Context, args json.RawMessage) (string, error) {
	var in struct {
		Guests     int    `json:"guests"`
		Restaurant string `json:"restaurant"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: table 4 for %d", in.Restaurant, in.Guests), nil
}

var conciergeTools = []openai.ChatCompletionToolUnionParam{
	openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_weather", Parameters: shared.FunctionParameters{
		"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
	}}),
	openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "book_table", Parameters: shared.FunctionParameters{
		"type": "object", "properties": map[string]any{"guests": map[string]any{"type": "integer"}, "restaurant": map[string]any{"type": "string"}},
		"required": []string{"guests", "restaurant"},
	}}),
}
