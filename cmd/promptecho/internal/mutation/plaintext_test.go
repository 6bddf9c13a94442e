package mutation

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An exampleAnswer is an answer that this test has made up after the documentation of an API. Of a
// stream it has the events.
type exampleAnswer struct {
	name, url, request string
	payloads           []string
	streamed           bool
}

// interaction returns the answer as it is recorded.
func (e exampleAnswer) interaction() *interaction.Interaction {
	it := &interaction.Interaction{}
	it.Request = interaction.Request{Method: "POST", URL: e.url, Body: []byte(e.request)}
	it.Response.Status = 200
	if !e.streamed {
		it.Response.Body = []byte(e.payloads[0])
		return it
	}
	it.Response.Stream = "sse"
	for _, p := range e.payloads {
		it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: p}})
	}
	return it
}

// A text with a reason for its end is changed in the formats of models and servers that have more.
func TestPlainTextsAreChanged(t *testing.T) {
	t.Parallel()
	prompt := `{"model":"m","prompt":"x"}`
	inputs := `{"inputs":"x"}`
	for _, tt := range []struct {
		answer exampleAnswer
		kind   Kind
		want   string
	}{
		{
			answer: exampleAnswer{
				name: "completions", url: "https://api.openai.com/v1/completions", request: prompt,
				payloads: []string{`{"choices":[{"text":"Hello","index":0,"finish_reason":"stop"}]}`},
			},
			kind: CutOff, want: `{"choices":[{"text":"He","index":0,"finish_reason":"length"}]}`,
		},
		{
			answer: exampleAnswer{
				name: "TGI, whole", url: "http://tgi/generate", request: inputs,
				payloads: []string{`{"generated_text":"Hello","details":{"finish_reason":"eos_token"}}`},
			},
			kind: CutOff, want: `{"generated_text":"He","details":{"finish_reason":"length"}}`,
		},
		{
			answer: exampleAnswer{
				name: "TGI, streamed", url: "http://tgi/generate_stream", request: inputs, streamed: true,
				payloads: []string{
					`{"token":{"text":"Hel","special":false},"generated_text":null}`,
					`{"token":{"text":"lo","special":false},"generated_text":null}`,
					`{"token":{"text":"</s>","special":true},"generated_text":"Hello"}`,
				},
			},
			kind: OtherText,
			want: `{"token":{"text":"It de","special":false},"generated_text":null}` + "\n" +
				`{"token":{"text":"pends.","special":false},"generated_text":null}` + "\n" +
				`{"token":{"text":"</s>","special":true},"generated_text":"It depends."}`,
		},
		{
			answer: exampleAnswer{
				name: "Llama", url: bedrockURL + "meta.llama3-8b-instruct-v1:0/invoke", request: prompt,
				payloads: []string{`{"generation":"Hello","stop_reason":"stop"}`},
			},
			kind: CutOff, want: `{"generation":"He","stop_reason":"length"}`,
		},
		{
			answer: exampleAnswer{
				name: "Mistral", url: bedrockURL + "mistral.mistral-7b-instruct-v0:2/invoke", request: prompt,
				payloads: []string{`{"outputs":[{"text":"Hello","stop_reason":"stop"}]}`},
			},
			kind: CutOff, want: `{"outputs":[{"text":"He","stop_reason":"length"}]}`,
		},
		{
			answer: exampleAnswer{
				name: "Command", url: bedrockURL + "cohere.command-text-v14/invoke", request: prompt,
				payloads: []string{`{"generations":[{"finish_reason":"COMPLETE","text":"Hello"}]}`},
			},
			kind: Filtered, want: `{"generations":[{"finish_reason":"ERROR_TOXIC","text":""}]}`,
		},
		{
			answer: exampleAnswer{
				name: "chat on Bedrock", url: bedrockURL + "openai.gpt-oss-20b-1:0/invoke",
				request:  `{"messages":[{"role":"user","content":"x"}]}`,
				payloads: []string{`{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`},
			},
			kind: CutOff, want: `{"choices":[{"message":{"content":"He"},"finish_reason":"length"}]}`,
		},
	} {
		if got := wireOf(made(t, tt.answer.interaction(), tt.kind)); got != tt.want {
			t.Errorf("%s: %s:\ngot  %s\nwant %s", tt.answer.name, tt.kind, got, tt.want)
		}
	}
}

// A changed text has no citation of a place that it may not have. The control keeps citations.
func TestCitationsGoWithTheirText(t *testing.T) {
	t.Parallel()
	const cited = "example.com"
	part := `{"type":"output_text","text":"Hello","annotations":[{"type":"url_citation",` +
		`"start_index":0,"end_index":5,"url":"https://example.com"}]}`
	message := `{"id":"m1","type":"message","status":"completed","content":[` + part + `]}`
	for _, e := range []exampleAnswer{
		{
			name: "chat", url: "https://api.openai.com/v1/chat/completions", request: chatRequest,
			payloads: []string{`{"choices":[{"index":0,"message":{"content":"Hello","annotations":[` +
				`{"url_citation":{"start_index":0,"end_index":5,"url":"https://example.com"}}]}}]}`},
		},
		{
			name: "responses", url: "https://api.openai.com/v1/responses", streamed: true,
			request: `{"model":"m","input":"x"}`,
			payloads: []string{
				`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hello"}`,
				`{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,` +
					`"annotation":{"url":"https://example.com"}}`,
				`{"type":"response.output_item.done","output_index":0,"item":` + message + `}`,
				`{"type":"response.completed","response":{"status":"completed","output":[` + message + `]}}`,
			},
		},
		{
			name: "cohere", url: "https://api.cohere.com/v2/chat", request: chatRequest, streamed: true,
			payloads: []string{
				`{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hello"}}}}`,
				`{"type":"citation-start","index":0,"delta":{"message":{"citations":` +
					`{"start":0,"end":5,"text":"Hello","sources":["example.com"]}}}}`,
				`{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}`,
			},
		},
	} {
		it := e.interaction()
		if wire := wireOf(made(t, it, Control)); !strings.Contains(wire, cited) {
			t.Errorf("%s: the control has no citation: %s", e.name, wire)
		}
		if wire := wireOf(made(t, it, OtherText)); strings.Contains(wire, cited) {
			t.Errorf("%s: the changed text has a citation: %s", e.name, wire)
		}
	}
}

// A stream may have each piece in two forms (Writer, Perplexity). Both have the changed text.
func TestBothFormsOfAPieceAreChanged(t *testing.T) {
	t.Parallel()
	chunk := func(delta, message string) string {
		return `{"choices":[{"index":0,"delta":{"content":"` + delta + `"},` +
			`"message":{"content":"` + message + `"}}]}`
	}
	for _, tt := range []struct{ name, first, second, wantFirst, wantSecond string }{
		{"copy", chunk("Hel", "Hel"), chunk("lo", "lo"),
			chunk("It de", "It de"), chunk("pends.", "pends.")},
		{"message so far", chunk("Hel", "Hel"), chunk("lo", "Hello"),
			chunk("It de", "It de"), chunk("pends.", "It depends.")},
	} {
		it := exampleAnswer{
			url: "https://api.perplexity.ai/chat/completions", request: chatRequest, streamed: true,
			payloads: []string{tt.first, tt.second},
		}.interaction()
		want := tt.wantFirst + "\n" + tt.wantSecond
		if got := wireOf(made(t, it, OtherText)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, want)
		}
	}
}
