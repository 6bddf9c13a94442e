package canon

import (
	"encoding/base64"
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Amazon Bedrock's runtime
// (https://docs.aws.amazon.com/bedrock/latest/APIReference). The model is in
// the path, escaped; streams are AWS event streams.
var bedrockFamilies = []*Family{
	{
		Name:        "bedrock.converse",
		Paths:       []string{"/model/{model}/converse"},
		StreamPaths: []string{"/model/{model}/converse-stream"},
		Bookkeeping: []string{"requestMetadata", "performanceConfig", "serviceTier"},
		Sampling:    []string{"inferenceConfig/maxTokens", "inferenceConfig/temperature", "inferenceConfig/topP"},
		Headers:     bedrockHeaders,
		Rewrites:    []Rewrite{dropEmpty("system"), dropDefault(`{}`, "inferenceConfig"), converseMessages},
		EndMarkers:  []string{"metadata"}, // the event behind messageStop
		Transcript:  converseTranscript,
		Whole:       converseWhole,
	},
	{
		Name:        "bedrock.invoke",
		Paths:       []string{"/model/{model}/invoke"},
		StreamPaths: []string{"/model/{model}/invoke-with-response-stream"},
		Headers:     append([]string{"accept", "x-amzn-bedrock-accept"}, bedrockHeaders...),
		Rewrites:    invokeRewrites,
		EndMarkers:  []string{"invocationMetrics"}, // in the last chunk, whatever the model
		Transcript:  invokeTranscript,
		Whole:       invokeWhole,
	},
	{
		Name:     "bedrock.count_tokens",
		Paths:    []string{"/model/{model}/count-tokens"},
		Needs:    []string{"input"},
		Headers:  bedrockHeaders,
		Rewrites: countedInput,
	},
	{
		Name:    "bedrock.guardrail",
		Paths:   []string{"/guardrail/{guardrail}/version/{version}/apply"},
		NoModel: true,
	},
}

// invokeRewrites are for the bodies of the models that Bedrock passes through. Those
// that call tools spell it as Converse does (Nova), as Anthropic or as OpenAI
// (Mistral).
var invokeRewrites = []Rewrite{converseMessages, toolIDs}

// countedInput brings what is counted to the spelling of the call it stands for.
var countedInput = []Rewrite{
	each("input/converse", dropNull, converseMessages),
	each("input/invokeModel/body", countedBody),
}

// countedBody reads the body of a call that is counted, which is JSON in base64.
func countedBody(r *request, blob *exactjson.Value) {
	data, err := base64.StdEncoding.DecodeString(exactjson.UnescapeText(text(blob)))
	if err != nil {
		return
	}
	body, ok := r.parseObject(string(data))
	if !ok {
		return
	}
	replace(blob, body)
	dropNull(r, blob)
	if member(blob, "anthropic_version") != nil {
		r.rewrite(blob, conversationRewrites)
	} else {
		r.rewrite(blob, invokeRewrites)
	}
}

var bedrockHeaders = []string{
	"x-amzn-bedrock-guardrailidentifier", "x-amzn-bedrock-guardrailversion", "x-amzn-bedrock-trace",
	"x-amzn-bedrock-performanceconfig-latency",
}

var converseTranscript = Transcript{
	Text:      []string{"delta/text"},
	Reasoning: []string{"delta/reasoningContent/text"},
	Calls:     []CallPaths{{ID: "contentBlockIndex", Name: "start/toolUse/name", Args: "delta/toolUse/input"}},
	Finish:    []string{"stopReason"},
}

var converseWhole = Transcript{
	Text:      []string{"output/message/content/*/text"},
	Reasoning: []string{"output/message/content/*/reasoningContent/reasoningText/text"},
	Calls:     []CallPaths{{At: "output/message/content/*/toolUse", Name: "name", Args: "input"}},
	Finish:    []string{"stopReason"},
}

// invokeTranscript is of the models that Bedrock passes through: Titan, Llama, Mistral,
// and Nova, which has Converse's.
var invokeTranscript = Transcript{
	Text:      []string{"outputText", "generation", "outputs/*/text", "contentBlockDelta/delta/text", "completion"},
	Reasoning: []string{"contentBlockDelta/delta/reasoningContent/text"},
	Calls: []CallPaths{
		{At: "contentBlockStart", ID: "contentBlockIndex", Name: "start/toolUse/name"},
		{At: "contentBlockDelta", ID: "contentBlockIndex", Args: "delta/toolUse/input"},
	},
	Finish: []string{"completionReason", "stop_reason", "outputs/*/stop_reason", "messageStop/stopReason"},
}

// invokeWhole is of the same models, of Cohere's and AI21's, and of those that are called
// as OpenAI's are.
var invokeWhole = Transcript{
	Text: slices.Concat(converseWhole.Text, chatWhole.Text, []string{
		"results/*/outputText", "generation", "outputs/*/text", "generations/*/text", "completions/*/data/text", "choices/*/text",
		"completion",
	}),
	Reasoning: slices.Concat(converseWhole.Reasoning, chatWhole.Reasoning),
	Calls:     slices.Concat(converseWhole.Calls, chatWhole.Calls),
	Finish: slices.Concat(converseWhole.Finish, chatWhole.Finish, []string{
		"results/*/completionReason", "stop_reason", "outputs/*/stop_reason", "choices/*/stop_reason", "generations/*/finish_reason",
		"completions/*/finishReason/reason",
	}),
}

// converseMessages drops cache points, which cannot change the answer, and
// replaces the ids that link a tool's use to its result.
var converseMessages = each("",
	each("system", dropCachePoints),
	each("toolConfig/tools", dropCachePoints),
	each("messages/*", dropNull, each("content/*", dropNull), each("content", dropCachePoints)),
	linkTools("messages"),
)

func dropCachePoints(_ *request, list *exactjson.Value) {
	if isKind(list, exactjson.Array) {
		list.Elems = slices.DeleteFunc(list.Elems, func(v exactjson.Value) bool {
			return len(v.Elems) > 0 && only(&v, "cachePoint")
		})
	}
}
