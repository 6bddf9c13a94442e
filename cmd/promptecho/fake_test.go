package main

import (
	"bytes"
	"go/format"
	"strings"
	"testing"
)

// Each recorded answer becomes a turn of a script, and what a script cannot have becomes a
// comment.
func TestFakePrintsTheTurnOfEachAnswer(t *testing.T) {
	t.Chdir(t.TempDir())
	const (
		chat       = "https://api.openai.com/v1/chat/completions"
		responses  = "https://api.openai.com/v1/responses"
		claude     = "https://api.anthropic.com/v1/messages"
		gemini     = "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"
		embeddings = "https://api.openai.com/v1/embeddings"
		ollama     = "http://localhost:11434/api/chat"
	)
	for _, tt := range []struct {
		name, url, response string // the response is YAML behind its status
		want                string
	}{
		{"a text", chat, `200, body: {choices: [{message: {content: "It is sunny."}, finish_reason: stop}]}`,
			`echofake.Text("It is sunny."),`},
		{"lines", chat, `200, body: {choices: [{message: {content: "a\n\"b\""}, finish_reason: stop}]}`,
			"echofake.Text(`a\n\"b\"`),"},
		{"a character that no editor shows", chat, `200, body: {choices: [{message: {content: "a\n\u202eb"}, finish_reason: stop}]}`,
			`echofake.Text("a\n\u202eb"),`},
		{"a tool call", chat, `200, body: {choices: [{message: {tool_calls: [{id: c, type: function, function: {name: get_weather, arguments: '{"city":"Paris"}'}}]}, finish_reason: tool_calls}]}`,
			"echofake.ToolCall(\"get_weather\", `{\"city\":\"Paris\"}`),"},
		{"a call whose arguments were cut", chat, `200, body: {choices: [{message: {tool_calls: [{id: c, type: function, function: {name: f, arguments: '{"a":'}}]}, finish_reason: length}]}`,
			"echofake.ToolCall(\"f\", `{\"a\":`).Finish(echofake.Length).Unchecked(),"},
		{"a reason that is like a filter", gemini, `200, body: {candidates: [{content: {parts: [{text: Hi}]}, finishReason: BLOCKLIST}]}`,
			`echofake.Text("Hi").Finish("BLOCKLIST"),`},
		{"a text and two calls", claude, `200, body: {type: message, content: [{type: text, text: I look.}, {type: tool_use, id: a, name: f, input: {a: 1}}, {type: tool_use, id: b, name: g, input: {}}], stop_reason: tool_use}`,
			"echofake.Text(\"I look.\").ToolCall(\"f\", `{\"a\":1}`).ToolCall(\"g\", \"{}\"),"},
		{"reasoning", claude, `200, body: {type: message, content: [{type: thinking, thinking: Hm., signature: x}, {type: text, text: Hi}], stop_reason: end_turn}`,
			`echofake.Text("Hi").Reasoning("Hm."),`},
		{"a limit", claude, `200, body: {type: message, content: [{type: text, text: Hi}], stop_reason: max_tokens}`,
			`echofake.Text("Hi").Finish(echofake.Length),`},
		{"a filter", gemini, `200, body: {candidates: [{finishReason: SAFETY, index: 0}]}`,
			`echofake.Text("").Finish(echofake.Filter),`},
		{"another reason", ollama, `200, body: {model: m, message: {role: assistant, content: Hi}, done: true, done_reason: odd}`,
			`echofake.Text("Hi").Finish("odd"),`},
		{"a refusal", chat, `200, body: {choices: [{message: {content: null, refusal: "I cannot."}, finish_reason: stop}]}`,
			`echofake.Refusal("I cannot."),`},
		{"a refusal of Responses", responses, `200, body: {object: response, status: completed, output: [{type: message, content: [{type: refusal, refusal: "I cannot."}]}]}`,
			`echofake.Refusal("I cannot."),`},
		{"an error", claude, `529, body: {type: error, error: {type: overloaded_error, message: Overloaded}}`,
			`echofake.Error(529, "Overloaded"),`},
		{"an error without a message", chat, `503, body: ""`, `echofake.Error(503),`},
		{"embeddings", embeddings, `200, body: {object: list, data: [{embedding: [0.5, -1]}, {embedding: "AACAPwAAAEA="}]}`,
			`echofake.Embedding([]float32{0.5, -1}, []float32{1, 2}),`},
		{"long embeddings", embeddings, `200, body: {data: [{embedding: [` + strings.Repeat("0.5, ", 40) + `1]}]}`,
			"// #1: 1 vector of 41 numbers left out; the fake makes vectors of the words\n\techofake.Embedding(),"},
		{"a limit of Responses", responses, `200, body: {object: response, status: incomplete, incomplete_details: {reason: max_output_tokens}, output: [{type: message, status: incomplete, content: [{type: output_text, text: Hi}]}]}`,
			`echofake.Text("Hi").Finish(echofake.Length),`},
		{"a picture", gemini, `200, body: {candidates: [{content: {parts: [{text: Hi}, {inlineData: {mimeType: image/png, data: QUJD}}]}, finishReason: STOP}]}`,
			"// #1: without its media, which a script cannot have\n\techofake.Text(\"Hi\"),"},
		{"two choices", chat, `200, body: {choices: [{message: {content: a}, finish_reason: stop}, {message: {content: b}, finish_reason: stop}]}`,
			"// #1: the answer has 2 choices; their texts are joined"},
	} {
		write(t, "c.yaml", "version: 1\ninteractions:\n  - request: {method: POST, url: \""+tt.url+
			"\", body: {model: m, max_tokens: 9, messages: [{role: user, content: hi}], contents: [], input: hi}}\n"+
			"    response: {status: "+tt.response+"}\n")
		var out, errs bytes.Buffer
		if status := run([]string{"fake", "c.yaml"}, &out, &errs); status != 0 || errs.Len() > 0 {
			t.Errorf("%s: status %d, %s", tt.name, status, errs.String())
		}
		script := out.String()
		if !strings.HasPrefix(script, "echofake.New(t,\n\t"+tt.want) || !strings.HasSuffix(script, "\n)\n") {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, script, tt.want)
		}
		if formatted, err := format.Source(out.Bytes()); err != nil || string(formatted) != script {
			t.Errorf("%s: not formatted: %v\n%s", tt.name, err, script)
		}
	}
}

// A cassette without answers of a model gives comments and a fake without turns, and several
// cassettes give a script each.
func TestFakeOfOtherCassettes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.yaml", "version: 1\ninteractions:\n  - request: {method: GET, url: \"https://example.com/x\"}\n    response: {status: 200}\n")
	write(t, "b.yaml", "version: 1\ninteractions:\n"+
		"  - request: {method: POST, url: \"https://api.openai.com/v1/chat/completions\", body: {model: m, messages: []}}\n"+
		"    response: {status: 200, body: {choices: [{message: {content: Hi}, finish_reason: stop}], usage: {prompt_tokens: 5, completion_tokens: 1}}}\n"+
		"    usage: {input_tokens: 5, output_tokens: 1}\n")
	var out, errs bytes.Buffer
	if status := run([]string{"fake", "-usage", "a.yaml", "b.yaml"}, &out, &errs); status != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %s", status, errs.String())
	}
	const want = `// a.yaml
echofake.New(t)
// #1: left out: http/example.com does not call a model

// b.yaml
echofake.New(t,
	echofake.Text("Hi").Usage(5, 1),
)
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
