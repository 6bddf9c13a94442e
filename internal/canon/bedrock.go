package canon

import (
	"encoding/base64"
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// bedrockFamilies returns the families of Amazon Bedrock's runtime
// (https://docs.aws.amazon.com/bedrock/latest/APIReference). The path names the
// model. Streams are AWS event streams.
func bedrockFamilies() []*Family {
	return []*Family{
		{
			Name:        "bedrock.converse",
			Paths:       []string{"/model/{model}/converse"},
			StreamPaths: []string{"/model/{model}/converse-stream"},
			Bookkeeping: []string{"requestMetadata", "performanceConfig", "serviceTier"},
			Sampling: []string{
				"inferenceConfig/maxTokens", "inferenceConfig/temperature", "inferenceConfig/topP",
			},
			Headers:    bedrockHeaders,
			Rewrites:   []Rewrite{dropEmpty("system"), converseMessages},
			Defaults:   converseDefaults,
			EndMarkers: []string{"metadata"}, // the event after messageStop
			Transcript: converseTranscript,
		},
		{
			Name:        "bedrock.invoke",
			Paths:       []string{"/model/{model}/invoke"},
			StreamPaths: []string{"/model/{model}/invoke-with-response-stream"},
			Headers:     append([]string{"accept", "x-amzn-bedrock-accept"}, bedrockHeaders...),
			Rewrites:    invokeRewrites,
			EndMarkers:  []string{"invocationMetrics"}, // in the last chunk of every model
			Transcript:  invokeTranscript,
		},
		{
			Name:     "bedrock.count_tokens",
			Paths:    []string{"/model/{model}/count-tokens"},
			Needs:    []string{"input"},
			Headers:  bedrockHeaders,
			Rewrites: countedInput,
		},
		{
			Name:        "bedrock.async_invoke",
			Paths:       []string{"/async-invoke"},
			Needs:       []string{"modelId modelInput"},
			Bookkeeping: []string{"clientRequestToken", "tags"},
			Rewrites:    []Rewrite{renameMember("modelId", "model")},
			SideEffects: []string{"*"},
		},
		poll(Family{
			Name:  "bedrock.async_invoke.retrieve",
			Paths: []string{"/async-invoke/{invocation}"},
		}),
		{
			// Each agent has its own format of bodies, and may have any effect.
			Name:        "bedrock.agentcore",
			Paths:       []string{"/runtimes/{agent}/invocations"},
			NoModel:     true,
			Query:       []string{"qualifier"},
			Headers:     []string{"accept"},
			SideEffects: []string{"*"},
		},
		{
			Name:        "bedrock.agentcore.harness",
			Paths:       []string{"/harnesses/invoke"},
			Needs:       []string{"messages"},
			NoModel:     true,
			Query:       []string{"harnessArn", "qualifier"},
			Rewrites:    []Rewrite{converseMessages},
			SideEffects: []string{"*"},
			Transcript:  converseTranscript,
		},
		{
			Name: "bedrock.guardrail",
			Paths: []string{
				"/guardrail/{guardrail}/version/{version}/apply", "/guardrail-checks/invoke",
			},
			NoModel: true,
		},
	}
}

// invokeRewrites normalize bodies in the formats of the models themselves. Nova
// has tool calls in the format of Converse, and Mistral in that of OpenAI.
var invokeRewrites = []Rewrite{converseMessages, toolCalls}

// countedInput normalizes the request whose tokens are counted, as if it were
// sent.
var countedInput = []Rewrite{
	each("input/converse", dropNull, converseMessages, dropDefaults(converseDefaults)),
	each("input/invokeModel/body", decodeCountedBody),
}

// decodeCountedBody decodes and normalizes the body of a request whose tokens
// are counted: JSON in base64.
func decodeCountedBody(r *request, blob *exactjson.Value) {
	data, err := base64.StdEncoding.DecodeString(exactjson.UnescapeText(text(blob)))
	if err != nil {
		return
	}
	body, ok := parseJSON(string(data))
	if !ok || body.Kind != exactjson.Object {
		return
	}
	replace(blob, body)
	dropNull(r, blob)
	if member(blob, "anthropic_version") != nil {
		r.rewrite(blob, conversationRewrites)
		dropDefaults(anthropicDefaults)(r, blob)
	} else {
		r.rewrite(blob, invokeRewrites)
	}
}

var bedrockHeaders = []string{
	"x-amzn-bedrock-guardrailidentifier", "x-amzn-bedrock-guardrailversion", "x-amzn-bedrock-trace",
	"x-amzn-bedrock-performanceconfig-latency",
}

// The types of blocks are those of ContentBlock, ContentBlockStart and
// ContentBlockDelta in AWS's SDK. A block has one member, whose name is its
// type.
var converseTranscript = Transcript{
	Text: []string{
		converseBlocks + "text", converseBlocks + "citationsContent/content/*/text",
	},
	Reasoning: []string{
		converseBlocks + "reasoningContent/reasoningText/text",
		converseBlocks + "reasoningContent/text",
	},
	Calls: calls{
		{converseBlocks + "toolUse", "name", "input"},
		{
			converseBlocks + "text|toolUse|reasoningContent|citationsContent|citation|" +
				converseResults + "!=*",
		},
	},
	Results: calls{
		{converseBlocks + converseResults, "."},
		{converseBlocks + "reasoningContent", ".", "redactedContent"},
	},
	Finish: []string{"stopReason"},
	Pieces: pieces{
		{At: "start", To: converseBlock},
		{At: "delta", To: converseBlock, Grow: all},
		{At: "stopReason", To: "stopReason"},
		{At: "trace", To: "trace"},
		// Nova has each event in a member that is named after it.
		{
			At: "contentBlockStart/start",
			To: "output/message/content/{contentBlockStart.contentBlockIndex}",
		},
		{
			At:   "contentBlockDelta/delta",
			To:   "output/message/content/{contentBlockDelta.contentBlockIndex}",
			Grow: all,
		},
		{At: "messageStop/stopReason", To: "stopReason"},
	},
}

const (
	converseBlocks  = "output/message/content/*/"
	converseBlock   = "output/message/content/{contentBlockIndex}"
	converseResults = "toolResult|searchResult|image|audio|video|document|guardContent"
)

// invokeTranscript is for the formats of the models themselves: Titan, Llama,
// Mistral, Cohere, AI21, Nova with the format of Converse, and models with that
// of OpenAI's chat.
var invokeTranscript = Transcript{
	Text: slices.Concat(converseTranscript.Text, chatTranscript.Text, []string{
		"outputText", "results/*/outputText", "generation", "outputs/*/text", "generations/*/text",
		"completions/*/data/text", "choices/*/text", "completion",
	}),
	Reasoning: slices.Concat(converseTranscript.Reasoning, chatTranscript.Reasoning),
	Calls:     slices.Concat(converseTranscript.Calls, chatTranscript.Calls),
	Results:   slices.Concat(converseTranscript.Results, chatTranscript.Results),
	Finish: slices.Concat(converseTranscript.Finish, chatTranscript.Finish, []string{
		"completionReason", "results/*/completionReason", "stop_reason", "outputs/*/stop_reason",
		"choices/*/stop_reason", "generations/*/finish_reason", "completions/*/finishReason/reason",
	}),
	Pieces: append(pieces{
		{
			At:   "contentBlockStart|contentBlockDelta|messageStop!=*",
			Grow: names{"outputText", "generation", "text", "completion", "delta"},
		},
	}, converseTranscript.Pieces...),
}

// converseMessages normalizes a request in the format of Converse. It removes
// cache points, which cannot change the answer.
var converseMessages = each("",
	each("system", dropCachePoints),
	each("toolConfig/tools", dropCachePoints),
	messageNulls,
	each("messages/*/content", dropCachePoints),
	normalizeToolCalls("messages"),
)

// dropCachePoints removes the cache points from a list of blocks or of tools.
func dropCachePoints(_ *request, list *exactjson.Value) {
	if !isKind(list, exactjson.Array) {
		return
	}
	list.Elems = slices.DeleteFunc(list.Elems, func(v exactjson.Value) bool {
		return len(v.Elems) > 0 && hasOnly(&v, "cachePoint")
	})
}
