package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// anthropicFamilies returns the families of Anthropic's API
// (https://docs.anthropic.com/en/api): its own endpoints, gateways that have
// them under a prefix, and Vertex AI and Bedrock, where the path names the
// model and asks for a stream.
func anthropicFamilies() []*Family {
	return []*Family{
		{
			Name: "anthropic.count_tokens",
			Paths: []string{
				"/v1/messages/count_tokens", "/publishers/anthropic/models/count-tokens:rawPredict",
			},
			Needs:       []string{"model messages"},
			Bookkeeping: []string{"anthropic_version"},
			Rewrites:    messagesRewrites,
			Defaults:    anthropicDefaults,
		},
		anthropicMessages(Family{
			Paths: []string{
				"/v1/messages", "/publishers/anthropic/models/{model}:rawPredict",
			},
			StreamPaths: []string{"/publishers/anthropic/models/{model}:streamRawPredict"},
			Needs:       []string{"model messages", "anthropic_version messages"},
			Stream:      "stream",
		}),
		anthropicMessages(Family{
			// Streams of Bedrock are AWS event streams.
			Paths:       []string{"/model/{model}/invoke"},
			StreamPaths: []string{"/model/{model}/invoke-with-response-stream"},
			StreamWire:  "eventstream",
			Needs:       []string{"anthropic_version"},
			Headers:     bedrockHeaders,
		}),
		{
			Name:        "anthropic.complete",
			Paths:       []string{"/v1/complete"},
			Needs:       []string{"model prompt"},
			Stream:      "stream",
			Bookkeeping: []string{"metadata"},
			Sampling:    []string{"max_tokens_to_sample", "temperature", "top_p", "top_k"},
			Rewrites:    []Rewrite{dropEmpty("stop_sequences")},
			Transcript: Transcript{
				Text:   []string{"completion"},
				Finish: []string{"stop_reason"},
				Pieces: pieces{{Grow: names{"completion"}}},
			},
		},
		{
			Name:        "anthropic.batches",
			Paths:       []string{"/v1/messages/batches"},
			Needs:       []string{"requests"},
			NoModel:     true, // each request names its own
			Bookkeeping: []string{"requests/*/params/metadata"},
			Rewrites:    []Rewrite{batchParams},
			SideEffects: []string{"*"},
		},
		poll(Family{
			Name:  "anthropic.batches.retrieve",
			Paths: []string{"/v1/messages/batches/{batch}"},
		}),
		poll(Family{
			Name:  "anthropic.batches.results",
			Paths: []string{"/v1/messages/batches/{batch}/results"},
		}),
	}
}

// anthropicMessages returns the family of POST /v1/messages, or of the same
// endpoint of another provider.
func anthropicMessages(f Family) *Family {
	f.Name = "anthropic.messages"
	f.Bookkeeping = []string{
		"metadata", "service_tier", "inference_geo", "diagnostics", "fallback_credit_token",
		"anthropic_version",
	}
	f.Sampling = []string{"max_tokens", "temperature", "top_p", "top_k"}
	f.Rewrites = messagesRewrites
	f.Defaults = anthropicDefaults
	f.EndMarkers = []string{"message_stop"}
	f.Transcript = anthropicTranscript
	return &f
}

// messagesRewrites normalize a request in Anthropic's format.
var messagesRewrites = append([]Rewrite{moveAnthropicBeta}, conversationRewrites...)

// conversationRewrites are the messagesRewrites that also apply to a request
// inside a body: to one of a batch, and to one whose tokens are counted.
var conversationRewrites = []Rewrite{
	messageNulls,
	dropEmpty("tools", "stop_sequences", "system"),
	anthropicBlocks,
	toolCalls,
	functionTools,
	moveParallelToolUse,
	normalizeToolChoice,
	renameMember("stop_sequences", "stop"),
}

// batchParams normalizes each request of a batch. The betas of each are its
// own, and stay in it.
var batchParams = each("requests/*",
	dropNull,
	each("params", dropNull),
	each("params", conversationRewrites...),
	each("params", dropDefaults(anthropicDefaults)),
)

// moveAnthropicBeta moves the body's anthropic_beta (Bedrock, Vertex AI) to the
// set of values of the header anthropic-beta.
func moveAnthropicBeta(r *request, body *exactjson.Value) {
	list := member(body, "anthropic_beta")
	if !isKind(list, exactjson.Array) {
		return
	}
	hasOthers := slices.ContainsFunc(list.Elems, func(v exactjson.Value) bool {
		return v.Kind != exactjson.String
	})
	if hasOthers {
		return
	}
	for _, v := range list.Elems {
		r.addToSet("anthropic-beta", exactjson.UnescapeText(v.Text))
	}
	drop(body, "anthropic_beta")
}

// The types of blocks are those of BetaContentBlockUnion in Anthropic's SDK.
var anthropicTranscript = Transcript{
	Text:      []string{"content/*/type=text|text_delta/text"},
	Reasoning: []string{"content/*/type=thinking|thinking_delta/thinking"},
	Calls: calls{
		{anthropicCalls + "/partial_json!=*", "toolset_name server_name name", "input"},
		// of a stream
		{anthropicCalls + "/partial_json=*", "toolset_name server_name name", "partial_json"},
		{"content/*/type!=text|text_delta|thinking|thinking_delta|tool_use|server_tool_use|" +
			"mcp_tool_use|input_json_delta|" +
			"signature_delta|" + anthropicResults, "type"},
	},
	Results: calls{
		{
			"content/*/type=" + anthropicResults,
			"type",
			"content data mcp_server_name tools tool_changes .",
		},
	},
	Finish: []string{"stop_reason", "stop_details/category"},
	Pieces: pieces{
		{At: "message"},
		{At: "type=content_block_start/content_block", To: "content/{index}"},
		{
			At:   "type=content_block_delta/delta/type!=citations_delta",
			To:   "content/{index}",
			Grow: all,
		},
		{At: "type=message_delta/delta"},
	},
}

const (
	anthropicCalls   = "content/*/type=tool_use|server_tool_use|mcp_tool_use|input_json_delta"
	anthropicResults = "web_search_tool_result|web_fetch_tool_result|code_execution_tool_result|" +
		"bash_code_execution_tool_result|" +
		"text_editor_code_execution_tool_result|tool_search_tool_result|mcp_tool_result|" +
		"advisor_tool_result|redacted_thinking|compaction|mcp_tool_listing"
)
