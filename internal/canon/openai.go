package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
)

// openaiBookkeeping cannot change an answer of any OpenAI endpoint; the list
// has what compatible servers (vLLM, OpenRouter) add.
var openaiBookkeeping = []string{
	"user", "metadata", "store", "service_tier", "prompt_cache_key", "prompt_cache_retention",
	"prompt_cache_options", "safety_identifier", "request_id", "priority", "cache_salt",
	"stream_options/include_obfuscation",
}

// openaiChat is POST /chat/completions
// (https://platform.openai.com/docs/api-reference/chat) of OpenAI, Azure and
// everything that speaks it, under any prefix.
var openaiChat = Family{
	Name:        "openai.chat",
	Paths:       []string{"/openai/deployments/{model}/chat/completions", "/chat/completions"},
	Stream:      "stream",
	Bookkeeping: openaiBookkeeping,
	Sampling: []string{
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "seed", "random_seed",
		"presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias",
	},
	Headers: []string{"openai-beta"},
	Rules: []Rule{
		dropNulls("messages"),
		dropEmpty("tools", "stop"),
		listed("stop"),
		renamed("max_completion_tokens", "max_tokens"),
		chatMessages,
		chatSystem,
		functionTools,
		toolChoice,
	},
	Ends:  []string{"[DONE]"},
	Delta: chatDelta,
}

// chatDelta reads the first choice; further ones (n > 1) are in the events.
func chatDelta(t *transcript, event *cassette.Value) {
	for _, choice := range elems(member(event, "choices")) {
		if text(&choice, "index") != "0" {
			continue
		}
		delta := member(&choice, "delta")
		t.text.WriteString(text(delta, "content"))
		for _, c := range elems(member(delta, "tool_calls")) {
			call := t.call(text(&c, "index"))
			call.name += text(&c, "function", "name")
			call.args.WriteString(text(&c, "function", "arguments"))
		}
	}
}

// chatMessages writes every text as one text block, tool arguments as what
// they hold, and tool call ids as ordinals.
func chatMessages(b *Body) {
	ids := ordinals{}
	messages := elems(b.Get("messages"))
	for i := range messages {
		m := &messages[i]
		calls := elems(member(m, "tool_calls"))
		if len(calls) > 0 && isString(member(m, "content"), "") {
			drop(m, "content") // go-openai and ollama write "", openai-go nothing
		}
		blocks(member(m, "content"), "text")
		for j := range calls {
			ids.replace(member(&calls[j], "id"))
			parsed(member(member(&calls[j], "function"), "arguments"))
		}
		ids.replace(member(m, "tool_call_id"))
	}
}

// chatSystem moves the leading system or developer message to where Anthropic
// has it. Only the first, and only if it holds nothing else: further ones stay
// messages, so that no two conversations become one.
func chatSystem(b *Body) {
	messages := b.Get("messages")
	list := elems(messages)
	if len(list) == 0 || b.Get("system") != nil {
		return
	}
	first := &list[0]
	role, content := member(first, "role"), member(first, "content")
	if !isString(role, "system") && !isString(role, "developer") || content == nil || !only(first, "role", "content") {
		return
	}
	system := *content
	messages.Elems = list[1:]
	b.Set("system", system)
}

// openaiResponses is POST /responses
// (https://platform.openai.com/docs/api-reference/responses); its sub-paths
// (cancel, compact, input_tokens) are other endpoints.
var openaiResponses = Family{
	Name:        "openai.responses",
	Paths:       []string{"/responses"},
	Stream:      "stream",
	Bookkeeping: openaiBookkeeping,
	Sampling:    []string{"max_output_tokens", "max_tokens", "temperature", "top_p"},
	Headers:     []string{"openai-beta"},
	Rules: []Rule{
		dropNulls(),
		dropEmpty("tools"),
		renamed("max_output_tokens", "max_tokens"),
		responsesInput,
		toolChoice,
	},
	Ends:  []string{"response.completed", "response.failed", "response.incomplete"},
	Delta: responsesDelta,
}

func responsesDelta(t *transcript, event *cassette.Value) {
	switch text(event, "type") {
	case "response.output_text.delta":
		t.text.WriteString(text(event, "delta"))
	case "response.output_item.added":
		if text(event, "item", "type") == "function_call" {
			t.call(text(event, "output_index")).name = text(event, "item", "name")
		}
	case "response.function_call_arguments.delta":
		t.call(text(event, "output_index")).args.WriteString(text(event, "delta"))
	}
}

// responsesInput writes the input as the list of items it stands for: a
// string is a message of the user ("equivalent to a text input with the user
// role"), a role alone makes a message.
func responsesInput(b *Body) {
	if in := b.Get("input"); in != nil && in.Kind == cassette.String {
		*in = listOf(cassette.Value{
			Kind:  cassette.Object,
			Names: []string{"role", "content"},
			Elems: []cassette.Value{stringValue("user"), *in},
		})
	}
	ids := ordinals{}
	items := elems(b.Get("input"))
	for i := range items {
		item := &items[i]
		role := member(item, "role")
		if role != nil && member(item, "type") == nil && item.Kind == cassette.Object {
			set(item, "type", stringValue("message"))
			role = member(item, "role")
		}
		if role != nil && slices.Contains([]string{"user", "system", "developer"}, role.Text) {
			blocks(member(item, "content"), "input_text")
		}
		ids.replace(member(item, "call_id"))
		if isString(member(item, "type"), "function_call") {
			parsed(member(item, "arguments"))
		}
	}
}

// openaiEmbeddings is POST /embeddings
// (https://platform.openai.com/docs/api-reference/embeddings).
var openaiEmbeddings = Family{
	Name: "openai.embeddings",
	Paths: []string{
		"/openai/deployments/{model}/embeddings", "/engines/{model}/embeddings", "/embeddings",
	},
	Bookkeeping: []string{"user", "metadata"},
	Rules: []Rule{
		dropNulls(),
		listed("input"), // token lists stay as they are
	},
}
