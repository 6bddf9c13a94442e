package canon

import (
	"github.com/promptecho/promptecho/internal/exactjson"
)

// Cohere's API (https://docs.cohere.com/reference/about), versions 1 and 2.
var cohereFamilies = []*Family{
	{
		Name:       "cohere.chat",
		Paths:      []string{"/v2/chat"},
		Needs:      []string{"model messages"},
		Stream:     "stream",
		Sampling:   []string{"max_tokens", "temperature", "p", "k", "seed", "frequency_penalty", "presence_penalty"},
		Rewrites:   []Rewrite{dropNulls("messages"), dropEmpty("tools", "stop_sequences"), chatMessages, toolIDs},
		EndMarkers: []string{"[DONE]", "message-end"},
		Delta:      cohereDelta,
	},
	{
		Name:       "cohere.chat_v1",
		Paths:      []string{"/v1/chat"},
		Needs:      []string{"message"},
		Stream:     "stream",
		Sampling:   []string{"max_tokens", "temperature", "p", "k", "seed", "frequency_penalty", "presence_penalty"},
		Rewrites:   []Rewrite{dropEmpty("tools", "stop_sequences")},
		EndMarkers: []string{"stream-end"},
		Delta: func(t *transcript, event *exactjson.Value) {
			if text(event, "event_type") == "text-generation" {
				t.text.WriteString(text(event, "text"))
			}
		},
	},
	{Name: "cohere.embed", Paths: []string{"/v2/embed"}, Needs: cohereEmbeds, TakesForms: true},
	{Name: "cohere.embed_v1", Paths: []string{"/v1/embed"}, Needs: cohereEmbeds},
	{Name: "cohere.rerank", Paths: []string{"/v2/rerank"}, Needs: []string{"model documents"}},
}

var cohereEmbeds = []string{"texts", "images", "inputs"}

func cohereDelta(t *transcript, event *exactjson.Value) {
	id := text(event, "index")
	switch text(event, "type") {
	case "content-delta":
		t.reasoning.WriteString(text(event, "delta", "message", "content", "thinking"))
		t.text.WriteString(text(event, "delta", "message", "content", "text"))
	case "tool-call-start", "tool-call-delta":
		fn := member(member(member(member(event, "delta"), "message"), "tool_calls"), "function")
		c := t.call(id)
		c.name += text(fn, "name")
		c.args.WriteString(text(fn, "arguments"))
	}
}
