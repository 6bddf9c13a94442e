package canon

import "github.com/promptecho/promptecho/internal/cassette"

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
		Rules:       []Rule{dropNulls(), dropEmpty("system", "inferenceConfig"), converseMessages},
	},
	{
		Name:        "bedrock.invoke",
		Paths:       []string{"/model/{model}/invoke"},
		StreamPaths: []string{"/model/{model}/invoke-with-response-stream"},
		Headers:     append([]string{"accept", "x-amzn-bedrock-accept"}, bedrockHeaders...),
	},
	{
		Name:    "bedrock.count_tokens",
		Paths:   []string{"/model/{model}/count-tokens"},
		Headers: bedrockHeaders,
	},
	{
		Name:  "bedrock.guardrail",
		Paths: []string{"/guardrail/{guardrail}/version/{version}/apply"},
	},
}

var bedrockHeaders = []string{
	"x-amzn-bedrock-guardrailidentifier", "x-amzn-bedrock-guardrailversion", "x-amzn-bedrock-trace",
	"x-amzn-bedrock-performanceconfig-latency",
}

// converseMessages drops cache points, which cannot change the answer, and
// replaces the ids that link a tool's use to its result.
func converseMessages(b *Body) {
	ids := ordinals{}
	dropCachePoints(b.Get("system"))
	dropCachePoints(member(b.Get("toolConfig"), "tools"))
	messages := elems(b.Get("messages"))
	for i := range messages {
		content := member(&messages[i], "content")
		dropCachePoints(content)
		for _, block := range elems(content) {
			ids.call(member(member(&block, "toolUse"), "toolUseId"))
			ids.result(member(member(&block, "toolResult"), "toolUseId"))
		}
	}
}

func dropCachePoints(list *cassette.Value) {
	if list == nil || list.Kind != cassette.Array {
		return
	}
	kept := list.Elems[:0:0]
	for _, e := range list.Elems {
		if !only(&e, "cachePoint") || len(e.Names) == 0 {
			kept = append(kept, e)
		}
	}
	list.Elems = kept
}
