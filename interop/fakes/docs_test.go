// Package fakes tests programs with package echofake: the examples of docs/FAKES.md, and tests of
// the kinds that people write by hand.
package fakes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
)

// runAgent asks a model that may ask for the weather, until it answers.
func runAgent(ctx context.Context, client openai.Client, question string) (string, error) {
	params := openai.ChatCompletionNewParams{
		Model: "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("Be brief."),
			openai.UserMessage(question),
		},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "get_weather",
			Parameters: openai.FunctionParameters{
				"type":       "object",
				"properties": map[string]any{"city": map[string]any{"type": "string"}},
				"required":   []string{"city"},
			},
		})},
	}
	for range 5 {
		answer, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return "", err
		}
		message := answer.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return message.Content, nil
		}
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			params.Messages = append(params.Messages, openai.ToolMessage(`{"sky":"clear"}`, call.ID))
		}
	}
	return "", fmt.Errorf("no answer after five turns")
}

// The example of docs/FAKES.md tests an agent without a recording.
func TestWeatherAgent(t *testing.T) {
	p := echofake.New(t,
		echofake.ToolCall("get_weather", `{"city":"Paris"}`),
		echofake.Text("It is sunny in Paris."),
	)
	client := openai.NewClient(
		option.WithHTTPClient(p.Client()),
		option.WithAPIKey(p.Secret("OPENAI_API_KEY")),
	)
	got, err := runAgent(t.Context(), client, "What is the weather in Paris?")
	if err != nil || got != "It is sunny in Paris." {
		t.Errorf("got %q, %v", got, err)
	}
	if r, _ := p.Requests()[1].Result("get_weather"); r.Text != `{"sky":"clear"}` {
		t.Errorf("the agent sent %q", r.Text)
	}
}

// Two agents that run at once each get the turns of their own conditions.
func TestAgentsAtOnce(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.When(echofake.System("You plan."), echofake.Text("1. Search."), echofake.Text("Done.")),
		echofake.When(echofake.Offers("search"), echofake.ToolCall("search", nil), echofake.Text("Found it.")),
	)
	client := openai.NewClient(option.WithHTTPClient(p.Client()), option.WithAPIKey("k"))
	ask := func(params openai.ChatCompletionNewParams) string {
		params.Model = "gpt-5.4-mini"
		answer, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Error(err)
			return ""
		}
		m := answer.Choices[0].Message
		for _, call := range m.ToolCalls {
			return call.Function.Name
		}
		return m.Content
	}
	planner := openai.ChatCompletionNewParams{Messages: []openai.ChatCompletionMessageParamUnion{
		openai.SystemMessage("You plan."), openai.UserMessage("Go."),
	}}
	searcher := openai.ChatCompletionNewParams{
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Go.")},
		Tools: []openai.ChatCompletionToolUnionParam{
			openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "search"}),
		},
	}
	planned := make(chan []string)
	go func() { planned <- []string{ask(planner), ask(planner)} }()
	if got := ask(searcher) + ", " + ask(searcher); got != "search, Found it." {
		t.Errorf("the searcher got %q", got)
	}
	if got := strings.Join(<-planned, ", "); got != "1. Search., Done." {
		t.Errorf("the planner got %q", got)
	}
}

// A program in another process gets its answers from the script.
func TestProgram(t *testing.T) {
	if question := os.Getenv("FAKES_QUESTION"); question != "" { // the program
		client := openai.NewClient()
		answer, err := runAgent(t.Context(), client, question)
		fmt.Fprintln(os.Stderr, answer, err)
		return
	}
	p := echofake.New(t, echofake.Text("Sunny."))
	cmd := exec.Command(os.Args[0], "-test.run=^TestProgram$")
	srv := echotest.Serve(t, p)
	cmd.Env = append(cmd.Environ(), srv.Env()...)
	cmd.Env = append(cmd.Env, "FAKES_QUESTION=Weather?")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Sunny. <nil>") {
		t.Errorf("got %v, %s", err, out)
	}
	if got := p.Requests()[0].Last().Text; got != "Weather?" {
		t.Errorf("the program asked %q", got)
	}
}

// Code that reads a base URL from the environment gets its answers from the script.
func TestBaseURL(t *testing.T) {
	p := echofake.New(t, echofake.JSON(map[string]int{"n": 1}))
	t.Setenv("OPENAI_BASE_URL", echotest.Serve(t, p).URL("https://api.openai.com/v1"))
	client := openai.NewClient(option.WithAPIKey("k"))
	got, err := runAgent(t.Context(), client, "How many?")
	var v struct{ N int }
	if err != nil || json.Unmarshal([]byte(got), &v) != nil || v.N != 1 {
		t.Errorf("got %q, %v", got, err)
	}
}
