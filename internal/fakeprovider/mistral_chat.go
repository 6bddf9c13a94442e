package fakeprovider

import (
	"cmp"
	"fmt"
)

// mistralChat is Mistral's chat, of agents, too.
var mistralChat = family{
	name:   "mistral.chat",
	vendor: mistral,
	owns:   suffix("/chat/completions", "/agents/completions"),
	read:   readMistralChat,
	write:  writeMistral,
}

// mistralFIM is Mistral's completion of code between a beginning and an end.
var mistralFIM = family{
	name:   "mistral.fim",
	vendor: mistral,
	owns:   suffix("/fim/completions"),
	read:   readMistralFIM,
	write:  writeMistral,
}

func readMistralChat(c *call) (prompt, *Problem) {
	isAgent := c.body.text("agent_id") != ""
	if p := mistralModel(c); p != nil && !isAgent {
		return prompt{}, p
	}
	if len(c.body.list("messages")) == 0 {
		return prompt{}, mistralMissing("messages")
	}
	return chatPrompt(c.body), nil
}

func readMistralFIM(c *call) (prompt, *Problem) {
	if p := mistralModel(c); p != nil {
		return prompt{}, p
	}
	text := c.body.text("prompt")
	if text == "" {
		return prompt{}, mistralMissing("prompt")
	}
	return prompt{
		limit: c.body.number("max_tokens"),
		stops: stopsOf(c.body.get("stop")),
		turns: []turn{{role: "user", text: appendText(text, c.body.text("suffix"))}},
	}, nil
}

// mistralFinish are Mistral's finish reasons. It has two more, which are sent as they
// are: model_length, of an answer that the model's context cuts, and error.
var mistralFinish = map[string]string{
	FinishSequence: "stop",
	FinishFilter:   "stop",
	FinishRefusal:  "stop",
}

func writeMistral(c *call, _ prompt, replies []Reply) *answer {
	if c.body.flag("stream") {
		return &answer{events: mistralEvents(c, replies)}
	}
	var choices []object
	for i, r := range replies {
		choices = append(choices, object{
			{"index", i},
			{"finish_reason", finish(r.Finish, mistralFinish)},
			{"message", object{
				{"role", "assistant"},
				{"tool_calls", mistralCalls(c, i, r)},
				{"content", mistralContent(r)},
			}},
		})
	}
	return &answer{body: encode(object{
		{"id", mistralAnswerID(c)},
		{"created", int(c.created().Unix())},
		{"model", c.body.text("model")},
		{"usage", mistralUsage(replies)},
		{"object", "chat.completion"},
		{"choices", choices},
	})}
}

// mistralText is what a reply says. Mistral has no place of its own for a refusal.
func mistralText(r Reply) string { return r.Text + r.Refusal }

// mistralContent is the content of a message: a text, or parts if the model thinks.
func mistralContent(r Reply) any {
	if r.Reasoning == "" {
		return mistralText(r)
	}
	parts := []object{mistralThinking(r.Reasoning)}
	if text := mistralText(r); text != "" {
		parts = append(parts, object{{"type", "text"}, {"text", text}})
	}
	return parts
}

// mistralThinking is a part of a content of the models that reason
// (https://docs.mistral.ai/capabilities/reasoning/).
func mistralThinking(text string) object {
	return object{
		{"type", "thinking"},
		{"thinking", []object{{{"type", "text"}, {"text", text}}}},
	}
}

// mistralCalls are the calls of a message, null if there are none.
func mistralCalls(c *call, choice int, r Reply) any {
	if len(r.Calls) == 0 {
		return nil
	}
	var calls []object
	for i, t := range r.Calls {
		calls = append(calls, object{
			{"id", cmp.Or(t.ID, mistralCallID(c, choice, i))},
			{"function", object{{"name", t.Name}, {"arguments", t.Args}}},
			{"index", i},
		})
	}
	return calls
}

// mistralCallID is the ID of a call. Mistral takes no other than nine letters and
// digits, which is too short for the word that other IDs have.
func mistralCallID(c *call, choice, i int) string {
	return fmt.Sprintf("s%05d%d%02d", c.n%100_000, choice%10, i%100)
}

func mistralUsage(replies []Reply) object {
	u := replies[0].Usage
	out := 0
	for _, r := range replies {
		out += r.Usage.Output
	}
	usage := object{
		{"prompt_tokens", u.Input},
		{"total_tokens", u.Input + out},
		{"completion_tokens", out},
	}
	if u.Cached > 0 {
		details := object{{"cached_tokens", u.Cached}}
		usage = append(usage, field{"prompt_tokens_details", details})
	}
	return usage
}

// mistralEvents are the chunks of a stream. The last of a choice has its calls, whole,
// and the usage of the answer.
func mistralEvents(c *call, replies []Reply) [][]byte {
	s := mistralStream{c: c}
	for i, r := range replies {
		s.chunk(i, object{{"role", "assistant"}, {"content", ""}}, nil, nil)
		for _, text := range r.reasoningPieces() {
			s.chunk(i, object{{"content", []object{mistralThinking(text)}}}, nil, nil)
		}
		for _, text := range r.pieces() {
			s.chunk(i, object{{"content", text}}, nil, nil)
		}
		for _, text := range r.refusalPieces() {
			s.chunk(i, object{{"content", text}}, nil, nil)
		}
	}
	for i, r := range replies {
		last := object{{"content", ""}, {"tool_calls", mistralCalls(c, i, r)}}
		s.chunk(i, last, mistralReason(r), mistralUsage(replies))
	}
	return append(s.events, []byte("data: [DONE]\n\n"))
}

// mistralReason is the finish reason at the end of a stream. The API documents no
// other sign of an error in a stream than the finish reason of that name.
func mistralReason(r Reply) string {
	if r.Broken != nil {
		return "error"
	}
	return finish(r.Finish, mistralFinish)
}

type mistralStream struct {
	c      *call
	events [][]byte
}

func (s *mistralStream) chunk(choice int, delta object, reason, usage any) {
	o := object{
		{"id", mistralAnswerID(s.c)},
		{"object", "chat.completion.chunk"},
		{"created", int(s.c.created().Unix())},
		{"model", s.c.body.text("model")},
		{"choices", []object{{{"index", choice}, {"delta", delta}, {"finish_reason", reason}}}},
	}
	if usage != nil {
		o = append(o, field{"usage", usage})
	}
	s.events = append(s.events, dataEvent(o))
}
