package echofake_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echofake"
)

// A test fails if its script and its program do not fit, and the report says what to do.
func TestReports(t *testing.T) {
	t.Parallel()
	steps := func(all ...echofake.Step) []echofake.Step { return all }
	for _, tt := range []struct {
		name   string
		script []echofake.Step
		test   func(p *echofake.Provider)
		want   string
	}{
		{
			name:   "a request too many",
			script: steps(echofake.Text("It is sunny.")),
			test: func(p *echofake.Provider) {
				chat(t, p.Client(), "Weather in Paris?")
				chat(t, p.Client(), "And in Rome?")
			},
			want: `echofake: request 2 has no turn: all turns are used: the script has 1 turn
  asked:  llm/openai.chat, model gpt-5.4-mini, "And in Rome?"
  caller: harness_test.go:N

  the script:
    report_test.go:N  Text("It is sunny."): request 1

  To answer it, add a turn after report_test.go:N.`,
		},
		{
			name:   "a request too few",
			script: steps(echofake.Text("one"), echofake.Text("two"), echofake.Text("three").Always()),
			test:   func(p *echofake.Provider) { chat(t, p.Client(), "hi") },
			want: `echofake: 1 turn was not used: the program sent 1 request

  the script:
    report_test.go:N  Text("one"): request 1
    report_test.go:N  Text("two"): not used
    report_test.go:N  Text("three"): not needed

  If the program is right, remove what it does not need, or let a turn be optional with Always.`,
		},
		{
			name:   "no condition holds",
			script: steps(echofake.Text("one").When(echofake.User("red"))),
			test:   func(p *echofake.Provider) { chat(t, p.Client(), "blue") },
			want: `echofake: request 1 has no turn: no unused turn has conditions that it meets
  asked:  llm/openai.chat, model gpt-5.4-mini, "blue"
  caller: harness_test.go:N

  the script:
    report_test.go:N  Text("one"): not used

  To answer it, add a turn after report_test.go:N.`,
		},
		{
			name:   "vectors without an Embedding",
			script: steps(echofake.Text("hello").Always()),
			test: func(p *echofake.Provider) {
				post(t, p.Client(), "https://api.openai.com/v1/embeddings", `{"model":"text-embedding-3-small","input":"a cat"}`)
			},
			want: `echofake: request 1 has no turn: it asks for vectors, and no unused turn is an Embedding
  asked:  llm/openai.embeddings, model text-embedding-3-small
  caller: harness_test.go:N

  the script:
    report_test.go:N  Text("hello"): not needed

  To answer it, add a turn after report_test.go:N.`,
		},
		{
			name:   "a tool that is not offered",
			script: steps(echofake.ToolCall("search", `{"q":"x"}`)),
			test:   func(p *echofake.Provider) { chat(t, p.Client(), "hi", weatherTool) },
			want: `echofake: turn 1 (report_test.go:N: ToolCall("search")) does not fit request 1: the request does not offer the tool "search"
  asked:  llm/openai.chat, model gpt-5.4-mini, "hi"
  caller: harness_test.go:N

  Change the turn, or mark it with Unchecked() if the model is to be wrong.`,
		},
		{
			name:   "arguments that the schema forbids",
			script: steps(echofake.ToolCall("get_weather", `{"town":"Paris"}`)),
			test:   func(p *echofake.Provider) { chat(t, p.Client(), "hi", weatherTool) },
			want: `echofake: turn 1 (report_test.go:N: ToolCall("get_weather")) does not fit request 1: the arguments of get_weather are not valid for its schema: city is missing
  asked:  llm/openai.chat, model gpt-5.4-mini, "hi"
  caller: harness_test.go:N

  Change the turn, or mark it with Unchecked() if the model is to be wrong.`,
		},
		{
			name:   "a request that the provider refuses",
			script: steps(echofake.Text("hello").Always()),
			test: func(p *echofake.Provider) {
				if got := post(t, p.Client(), chatURL, `{"model":"m","messages":[]}`); got.StatusCode != 400 {
					t.Errorf("got %d", got.StatusCode)
				}
			},
			want: `echofake: request 1 is one that the provider refuses, with status 400: Missing required parameter: 'messages'.
  asked:  llm/openai.chat, model m
  caller: harness_test.go:N

  To answer it nevertheless, mark the turn with Unchecked().`,
		},
		{
			name:   "a request that a rule of the provider forbids",
			script: steps(echofake.Text("hello").Always()),
			test:   func(p *echofake.Provider) { chat(t, p.Client(), "hi", `"temprature":1`) },
			want: `echofake: request 1 is one that the provider refuses, with status 400: Unrecognized request argument supplied: temprature
  asked:  llm/openai.chat, model gpt-5.4-mini, "hi"
  caller: harness_test.go:N
  source: https://github.com/davidmigloz/langchain_dart/issues/712

  To answer it nevertheless, mark the turn with Unchecked().`,
		},
		{
			name:   "an unknown endpoint",
			script: nil,
			test:   func(p *echofake.Provider) { post(t, p.Client(), "https://example.com/v1/other", `{}`) },
			want: `echofake: request 1 is to an endpoint that echofake does not have
  asked:  POST https://example.com/v1/other
  caller: harness_test.go:N

  To answer it, use the method Handle, or a turn of Handler. docs/FAKES.md lists the endpoints.`,
		},
		{
			name:   "a turn that is not valid",
			script: steps(echofake.JSON(`{"a":`)),
			test:   func(p *echofake.Provider) {},
			want:   `echofake: report_test.go:N: JSON({"a":): this is not JSON: {"a":`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := errorsOf(tt.script, tt.test)
			got = regexp.MustCompile(`_test\.go:\d+`).ReplaceAllString(got, "_test.go:N")
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A program that asks on and on gives three reports and a count.
func TestManyMissesAreCounted(t *testing.T) {
	t.Parallel()
	got := errorsOf(nil, func(p *echofake.Provider) {
		for range 10 {
			chat(t, p.Client(), "again")
		}
	})
	if n := strings.Count(got, "echofake: request "); n != 3 || !strings.HasSuffix(got, "7 more reports of requests without a turn") {
		t.Errorf("%d reports: %s", n, got)
	}
}
