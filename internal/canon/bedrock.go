package canon

import (
	"encoding/base64"

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
		Rewrites:    []Rewrite{dropEmpty("system"), dropEmptyObjects("inferenceConfig"), converseMessages},
		EndMarkers:  []string{"metadata"}, // the event behind messageStop
		Delta:       converseDelta,
	},
	{
		Name:        "bedrock.invoke",
		Paths:       []string{"/model/{model}/invoke"},
		StreamPaths: []string{"/model/{model}/invoke-with-response-stream"},
		Headers:     append([]string{"accept", "x-amzn-bedrock-accept"}, bedrockHeaders...),
		Rewrites:    invokeRewrites,
		EndMarkers:  []string{"invocationMetrics"}, // in the last chunk, whatever the model
		Delta:       invokeDelta,
	},
	{
		Name:     "bedrock.count_tokens",
		Paths:    []string{"/model/{model}/count-tokens"},
		Needs:    []string{"input"},
		Headers:  bedrockHeaders,
		Rewrites: []Rewrite{countedInput},
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
func countedInput(b *Body) {
	b.within(member(b.Get("input"), "converse"), []Rewrite{converseMessages})
	blob := member(member(b.Get("input"), "invokeModel"), "body")
	if !isKind(blob, exactjson.String) {
		return
	}
	data, err := base64.StdEncoding.DecodeString(exactjson.UnescapeText(blob.Text))
	if err != nil {
		return
	}
	body, err := b.call.parser.Parse(string(data))
	if err != nil || body.Kind != exactjson.Object {
		return
	}
	replace(blob, body)
	if member(blob, "anthropic_version") != nil {
		b.within(blob, conversationRewrites)
	} else {
		b.within(blob, invokeRewrites)
	}
}

var bedrockHeaders = []string{
	"x-amzn-bedrock-guardrailidentifier", "x-amzn-bedrock-guardrailversion", "x-amzn-bedrock-trace",
	"x-amzn-bedrock-performanceconfig-latency",
}

// converseDelta reads the events of a ConverseStream, which their members tell
// apart.
func converseDelta(t *transcript, event *exactjson.Value) {
	id := text(event, "contentBlockIndex")
	if name := text(event, "start", "toolUse", "name"); name != "" {
		t.call(id).name = name
	}
	t.reasoning.WriteString(text(event, "delta", "reasoningContent", "text"))
	t.text.WriteString(text(event, "delta", "text"))
	if args := text(event, "delta", "toolUse", "input"); args != "" {
		t.call(id).args.WriteString(args)
	}
}

// invokeDelta reads the chunks of the models that Bedrock passes through:
// Titan, Llama, Mistral, and Nova, which has Converse's.
func invokeDelta(t *transcript, event *exactjson.Value) {
	t.text.WriteString(text(event, "outputText"))
	t.text.WriteString(text(event, "generation"))
	for _, o := range elems(member(event, "outputs")) {
		t.text.WriteString(text(&o, "text"))
	}
	for _, name := range []string{"contentBlockStart", "contentBlockDelta"} {
		if e := member(event, name); e != nil {
			converseDelta(t, e)
		}
	}
}

// converseMessages drops cache points, which cannot change the answer, and
// replaces the ids that link a tool's use to its result.
func converseMessages(b *Body) {
	ids := ordinals{}
	dropCachePoints(b.Get("system"))
	dropCachePoints(member(b.Get("toolConfig"), "tools"))
	messages := elems(b.Get("messages"))
	for i := range messages {
		dropNull(&messages[i])
		content := member(&messages[i], "content")
		dropBlockNulls(content)
		dropCachePoints(content)
		for _, block := range elems(content) {
			ids.call(member(member(&block, "toolUse"), "toolUseId"))
			ids.result(member(member(&block, "toolResult"), "toolUseId"))
		}
	}
}

func dropCachePoints(list *exactjson.Value) {
	if list == nil || list.Kind != exactjson.Array {
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
