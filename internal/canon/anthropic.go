package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Anthropic's API (https://docs.anthropic.com/en/api), by itself, behind
// gateways that speak it under a prefix, and on Vertex and Bedrock, where the
// model and the stream are in the path.
var anthropicFamilies = []*Family{
	{
		Name:        "anthropic.count_tokens",
		Paths:       []string{"/v1/messages/count_tokens", "/publishers/anthropic/models/count-tokens:rawPredict"},
		Needs:       []string{"model messages"},
		Bookkeeping: []string{"anthropic_version"},
		Headers:     anthropicHeaders,
		Rewrites:    messagesRewrites,
	},
	{
		Name:        "anthropic.messages",
		Paths:       []string{"/v1/messages", "/publishers/anthropic/models/{model}:rawPredict"},
		StreamPaths: []string{"/publishers/anthropic/models/{model}:streamRawPredict"},
		Needs:       []string{"model messages", "anthropic_version messages"},
		Stream:      "stream",
		Bookkeeping: messagesBookkeeping,
		Sampling:    messagesSampling,
		Headers:     anthropicHeaders,
		Rewrites:    messagesRewrites,
		EndMarkers:  []string{"message_stop"},
		Delta:       anthropicDelta,
	},
	{
		// Bedrock streams in another format, which no client of the others can read.
		Name:        "anthropic.messages",
		Paths:       []string{"/model/{model}/invoke"},
		StreamPaths: []string{"/model/{model}/invoke-with-response-stream"},
		StreamWire:  "eventstream",
		Needs:       []string{"anthropic_version"},
		Bookkeeping: messagesBookkeeping,
		Sampling:    messagesSampling,
		Headers:     append([]string{"anthropic-beta"}, bedrockHeaders...),
		Rewrites:    messagesRewrites,
		EndMarkers:  []string{"message_stop"},
		Delta:       anthropicDelta,
	},
	{
		Name:        "anthropic.complete",
		Paths:       []string{"/v1/complete"},
		Needs:       []string{"model prompt"},
		Stream:      "stream",
		Bookkeeping: []string{"metadata"},
		Sampling:    []string{"max_tokens_to_sample", "temperature", "top_p", "top_k"},
		Headers:     anthropicHeaders,
		Rewrites:    []Rewrite{dropEmpty("stop_sequences")},
		Delta:       func(t *transcript, event *exactjson.Value) { t.text.WriteString(text(event, "completion")) },
	},
	{
		Name:        "anthropic.batches",
		Paths:       []string{"/v1/messages/batches"},
		Needs:       []string{"requests"},
		NoModel:     true, // each request names its own
		Bookkeeping: []string{"requests/*/custom_id", "requests/*/params/metadata"},
		Headers:     anthropicHeaders,
		Rewrites:    []Rewrite{batchParams},
	},
}

var (
	anthropicHeaders    = []string{"anthropic-beta"}
	messagesBookkeeping = []string{
		"metadata", "service_tier", "inference_geo", "diagnostics", "fallback_credit_token", "anthropic_version",
	}
	messagesSampling = []string{"max_tokens", "temperature", "top_p", "top_k"}
)

// messagesRewrites bring a conversation in Anthropic's spelling to the common one.
var messagesRewrites = append([]Rewrite{anthropicBeta}, conversationRewrites...)

// conversationRewrites are those of them that hold inside a body too.
var conversationRewrites = []Rewrite{
	dropNulls("messages"),
	dropEmpty("tools", "stop_sequences", "system"),
	anthropicBlocks,
	toolIDs,
	functionTools,
	anthropicParallel,
	toolChoice,
	renamed("stop_sequences", "stop"),
}

// batchParams brings each request of a batch to the one spelling. Its betas are
// its own, and stay where they are.
func batchParams(b *Body) {
	requests := elems(b.Get("requests"))
	for i := range requests {
		dropNull(&requests[i])
		b.within(member(&requests[i], "params"), conversationRewrites)
	}
}

func anthropicDelta(t *transcript, event *exactjson.Value) {
	id := text(event, "index")
	switch text(event, "type") {
	case "content_block_start":
		if name := text(event, "content_block", "name"); name != "" {
			t.call(id).name = name
		}
	case "content_block_delta":
		t.reasoning.WriteString(text(event, "delta", "thinking"))
		t.text.WriteString(text(event, "delta", "text"))
		if args := text(event, "delta", "partial_json"); args != "" {
			t.call(id).args.WriteString(args)
		}
	}
}

// anthropicBeta joins the body's anthropic_beta (Bedrock, Vertex) with the
// anthropic-beta header: one set of features however they were asked for.
func anthropicBeta(b *Body) {
	list := b.Get("anthropic_beta")
	for _, v := range elems(list) {
		if v.Kind != exactjson.String {
			return
		}
	}
	for _, v := range elems(list) {
		b.addHeader("anthropic-beta", exactjson.UnescapeText(v.Text))
	}
	if list != nil && list.Kind == exactjson.Array {
		drop(b.Value, "anthropic_beta")
	}
}

// anthropicBlocks writes every text as one text block and drops what is a
// default or a caching hint. A cache_control that is user data (in a tool's
// input or schema) stays.
func anthropicBlocks(b *Body) {
	b.blocks(b.Get("system"), "text")
	for _, list := range [][]exactjson.Value{elems(b.Get("system")), elems(b.Get("tools"))} {
		for i := range list {
			dropNull(&list[i])
			drop(&list[i], "cache_control")
		}
	}
	drop(b.Value, "cache_control")
	messages := elems(b.Get("messages"))
	for i := range messages {
		b.blocks(member(&messages[i], "content"), "text")
		content := elems(member(&messages[i], "content"))
		for j := range content {
			b.anthropicBlock(&content[j])
		}
	}
}

func (b *Body) anthropicBlock(block *exactjson.Value) {
	drop(block, "cache_control")
	// What a response has and its client may not send back: "direct" is who calls
	// a tool if nobody is named, and text without citations has none.
	if caller := member(block, "caller"); isString(member(caller, "type"), "direct") && only(caller, "type") {
		drop(block, "caller")
	}
	citations := elems(member(block, "citations"))
	for i := range citations {
		dropNull(&citations[i])
	}
	if isString(member(block, "type"), "text") {
		dropIfEmpty(block, exactjson.Array, []string{"citations"})
	}
	dropNull(block)
	if content := member(block, "content"); content != nil {
		dropNull(content)
		dropBlockNulls(content)
	}
	if !isString(member(block, "type"), "tool_result") {
		return
	}
	if e := member(block, "is_error"); e != nil && e.Kind == exactjson.Bool && e.Text == "false" {
		drop(block, "is_error")
	}
	b.blocks(member(block, "content"), "text")
	inner := elems(member(block, "content"))
	for i := range inner {
		drop(&inner[i], "cache_control")
	}
}

// toolIDs replaces the ids that link tool calls to their results, in the
// spelling of either provider: a conversation can hold both, since what is more
// than a call is not rewritten. They are numbered in one pass, when everything
// is in its place: numbering twice would lose which result belongs to which
// call.
func toolIDs(b *Body) {
	ids := ordinals{}
	for _, m := range elems(b.Get("messages")) {
		for _, call := range elems(member(&m, "tool_calls")) {
			ids.call(member(&call, "id"))
		}
		ids.result(member(&m, "tool_call_id"))
		for _, block := range elems(member(&m, "content")) {
			kind := member(&block, "type")
			if kind == nil {
				continue
			}
			if slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use"}, kind.Text) {
				ids.call(member(&block, "id"))
			}
			ids.result(member(&block, "tool_use_id"))
			ids.result(member(member(&block, "caller"), "tool_id"))
		}
	}
}

// anthropicParallel moves disable_parallel_tool_use out of tool_choice, where
// OpenAI has parallel_tool_calls beside it.
func anthropicParallel(b *Body) {
	tc := b.Get("tool_choice")
	off := member(tc, "disable_parallel_tool_use")
	if off == nil || off.Kind != exactjson.Bool {
		return
	}
	if off.Text == "true" {
		b.Set("parallel_tool_calls", exactjson.Value{Kind: exactjson.Bool, Text: "false"})
		tc = b.Get("tool_choice") // Set may have moved it
	}
	drop(tc, "disable_parallel_tool_use")
}
