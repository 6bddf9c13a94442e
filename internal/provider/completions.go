package provider

import (
	"fmt"
	"net/http"
	"strings"
)

// completions is OpenAI Completions, the older API without messages.
var completions = family{
	name:   "openai.completions",
	vendor: openai,
	owns: func(path string) bool {
		return strings.HasSuffix(path, "/completions") && !strings.HasSuffix(path, "/agents/completions") // Mistral's
	},
	answer: answerCompletions,
}

func answerCompletions(c *call) (*answer, *problem) {
	if p := openaiModel(c); p != nil {
		return nil, p
	}
	texts := embeddingInputs(c.body.get("prompt"))
	if len(texts) == 0 {
		return nil, missing("prompt")
	}
	var replies []reply
	for _, text := range texts {
		for i := range min(max(1, c.body.number("n")), 128) {
			r := completionsPrompt(c.body, text).reply(i)
			if c.body.flag("echo") {
				r.text = text + r.text
				r.tokens = append([]string{text}, r.tokens...)
			}
			replies = append(replies, r)
		}
	}
	if c.body.flag("stream") {
		return &answer{events: completionsEvents(c, replies)}, nil
	}
	var choices []object
	for i, r := range replies {
		choices = append(choices, completionsChoice(i, r.text, completionsFinish(r)))
	}
	o := append(completionsBody(c, choices), field{"usage", completionsUsage(replies)})
	return &answer{body: append(pretty(o, "  "), '\n')}, nil
}

func completionsPrompt(body object, text string) prompt {
	p := prompt{
		limit: max(body.number("max_tokens"), 0),
		stops: stopsOf(body.get("stop")),
		turns: []turn{{role: "user", text: text}},
	}
	if end := body.text("suffix"); end != "" {
		p.turns[0].text += "..." + end
	}
	return p
}

func completionsFinish(r reply) any {
	if r.why == limited {
		return "length"
	}
	return "stop"
}

func completionsChoice(i int, text string, finish any) object {
	return object{{"text", text}, {"index", i}, {"logprobs", nil}, {"finish_reason", finish}}
}

func completionsBody(c *call, choices []object) object {
	return object{
		{"id", fmt.Sprintf("cmpl-standin-%06d", c.n)},
		{"object", "text_completion"},
		{"created", int(c.created().Unix())},
		{"model", c.body.text("model")},
		{"choices", choices},
	}
}

func completionsUsage(replies []reply) object {
	in, out := 0, 0
	for _, r := range replies {
		in += r.in
		out += r.out
	}
	return object{{"prompt_tokens", in}, {"completion_tokens", out}, {"total_tokens", in + out}}
}

func completionsEvents(c *call, replies []reply) [][]byte {
	var events [][]byte
	usage := c.body.sub("stream_options").flag("include_usage")
	send := func(choices []object, total any) {
		o := completionsBody(c, choices)
		if usage {
			o = append(o, field{"usage", total})
		}
		events = append(events, dataEvent(encode(o)))
	}
	for i, r := range replies {
		for _, text := range deltas(r.tokens) {
			send([]object{completionsChoice(i, text, nil)}, nil)
		}
		send([]object{completionsChoice(i, "", completionsFinish(r))}, nil)
	}
	if usage {
		send([]object{}, completionsUsage(replies))
	}
	return append(events, dataEvent([]byte("[DONE]")))
}

// dataEvent is a server-sent event without a name.
func dataEvent(data []byte) []byte {
	return append(append([]byte("data: "), data...), "\n\n"...)
}

// namedEvent is a server-sent event whose data begins with its name as type.
func namedEvent(kind string, fields ...field) []byte {
	data := encode(append(object{{"type", kind}}, fields...))
	return []byte("event: " + kind + "\ndata: " + string(data) + "\n\n")
}

// fim is Mistral's completion between a prompt and a suffix, which answers as
// chat does.
var fim = family{
	name:   "mistral.fim",
	vendor: openai,
	owns:   suffix("/fim/completions"),
	answer: answerFIM,
}

func answerFIM(c *call) (*answer, *problem) {
	if p := openaiModel(c); p != nil {
		return nil, p
	}
	text := c.body.text("prompt")
	if text == "" {
		return nil, missing("prompt")
	}
	prompt := completionsPrompt(c.body, text)
	replies := []reply{prompt.reply(0)}
	if c.body.flag("stream") {
		return &answer{events: chatEvents(c, prompt, replies)}, nil
	}
	return &answer{body: encode(chatBody(c, prompt, replies))}, nil
}

// inputTokens is OpenAI's count of the tokens of a Responses request.
var inputTokens = family{
	name:   "openai.input_tokens",
	vendor: openai,
	owns:   suffix("/responses/input_tokens"),
	answer: func(c *call) (*answer, *problem) {
		if p := openaiModel(c); p != nil {
			return nil, p
		}
		prompt, p := responsesPrompt(c)
		if p != nil {
			return nil, p
		}
		return &answer{body: pretty(object{
			{"object", "response.input_tokens"},
			{"input_tokens", prompt.size()},
		}, "  ")}, nil
	},
}

// moderations is OpenAI Moderations.
var moderations = family{
	name:   "openai.moderations",
	vendor: openai,
	owns:   suffix("/moderations"),
	answer: answerModerations,
}

// violent is the words that are flagged.
var violent = map[string]bool{"kill": true, "murder": true, "attack": true, "hurt": true, "harm": true}

var moderated = []string{
	"harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent",
	"self-harm", "self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors",
	"violence", "violence/graphic",
}

func answerModerations(c *call) (*answer, *problem) {
	model, _ := c.body.or("model", "omni-moderation-latest").(string)
	if model == noModel {
		return nil, openaiModel(c)
	}
	var results []object
	for _, text := range moderationInputs(c.body.get("input")) {
		flagged := false
		for _, word := range lowerWords(text) {
			flagged = flagged || violent[word]
		}
		var categories, scores, types object
		for _, name := range moderated {
			hit, score := flagged && name == "violence", raw("0.0001")
			if hit {
				score = raw("0.9")
			}
			categories = append(categories, field{name, hit})
			scores = append(scores, field{name, score})
			types = append(types, field{name, []any{"text"}})
		}
		results = append(results, object{{"flagged", flagged}, {"categories", categories},
			{"category_scores", scores}, {"category_applied_input_types", types}})
	}
	if results == nil {
		return nil, &problem{status: http.StatusBadRequest, kind: "invalid_request_error", param: "input",
			message: "Invalid value for 'input': expected a text, texts, or parts."}
	}
	return &answer{body: pretty(object{
		{"id", fmt.Sprintf("modr-standin%06d", c.n)},
		{"model", model},
		{"results", results},
	}, "  ")}, nil
}

// moderationInputs is what gets a result each: texts, or parts as one.
func moderationInputs(v any) []string {
	if list, ok := v.([]any); ok && len(objects(list)) > 0 {
		return []string{contentText(list)}
	}
	return stopsOf(v)
}
