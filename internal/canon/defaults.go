package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// A Default is a value of a field that means the same as no such field, as the reference of the
// provider says. The field is left out where it has this value.
//
// A row is for a default that all servers of the endpoint share. Many of them speak OpenAI's API,
// so a default that one of them has otherwise is no row; docs/MATCHING.md lists those.
type Default struct {
	Path  string // of the field, with the steps of [exactjson.Steps] and the names of the form
	Value string // JSON

	// With names a member of the body that must be a list with elements, Without one that must
	// not be there. Otherwise the value says something.
	With, Without string

	Source string // where the provider says so
}

// The references that the rows name.
const (
	openaiReference    = "https://platform.openai.com/docs/api-reference/"
	anthropicReference = "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use"
	geminiReference    = "https://ai.google.dev/api/"
	bedrockReference   = "https://docs.aws.amazon.com/bedrock/latest/APIReference/"
	ollamaReference    = "https://github.com/ollama/ollama/blob/main/"
	cohereReference    = "https://docs.cohere.com/reference/"
	mistralReference   = "https://docs.mistral.ai/api"
	voyageReference    = "https://docs.voyageai.com/reference/"
	cloudflareModels   = "https://developers.cloudflare.com/workers-ai/models/"
)

var chatDefaults = []Default{
	{Path: "n", Value: "1", Source: openaiReference + "chat/create"},
	{Path: "logprobs", Value: "false", Source: openaiReference + "chat/create"},
	{Path: "logit_bias", Value: "{}", Source: openaiReference + "chat/create"},
	{Path: "response_format", Value: `{"type":"text"}`, Source: openaiReference + "chat/create"},
	{Path: "tool_choice", Value: `"auto"`, With: "tools", Source: openaiReference + "chat/create"},
	{Path: "function_call", Value: `"auto"`, With: "functions", Source: openaiReference + "chat/create"},
	{
		Path: "messages/*/content/*/type=image_url/image_url/detail", Value: `"auto"`,
		Source: openaiReference + "chat/create",
	},
	{Path: "safe_prompt", Value: "false", Source: mistralReference},
}

var responsesDefaults = []Default{
	{Path: "background", Value: "false", Source: openaiReference + "responses/create"},
	{Path: "truncation", Value: `"disabled"`, Source: openaiReference + "responses/create"},
	{Path: "include", Value: "[]", Source: openaiReference + "responses/create"},
	{Path: "text/format", Value: `{"type":"text"}`, Source: openaiReference + "responses/create"},
	{Path: "text", Value: "{}", Source: openaiReference + "responses/create"},
	{
		Path: "input/*/content/*/type=input_image/detail", Value: `"auto"`,
		Source: openaiReference + "responses/create",
	},
}

var completionsDefaults = []Default{
	{Path: "n", Value: "1", Source: openaiReference + "completions/create"},
	{Path: "best_of", Value: "1", Without: "n", Source: openaiReference + "completions/create"},
	{Path: "echo", Value: "false", Source: openaiReference + "completions/create"},
	{Path: "logit_bias", Value: "{}", Source: openaiReference + "completions/create"},
}

var embeddingsDefaults = []Default{
	{Path: "encoding_format", Value: `"float"`, Source: openaiReference + "embeddings/create"},
	{Path: "truncation", Value: "true", Source: voyageReference + "embeddings-api"},
	{Path: "output_dtype", Value: `"float"`, Source: voyageReference + "embeddings-api"},
}

// imagesDefaults are those of an operation on images.
func imagesDefaults(operation string) (list []Default) {
	from := openaiReference + "images"
	list = []Default{{Path: "n", Value: "1", Source: from}}
	if operation != "variations" {
		list = append(list,
			Default{Path: "partial_images", Value: "0", Source: from},
			Default{Path: "background", Value: `"auto"`, Source: from},
		)
	}
	if operation == "generations" {
		list = append(list, Default{Path: "moderation", Value: `"auto"`, Source: from})
	}
	return list
}

// audioDefaults are those of an operation on audio.
func audioDefaults(operation string) []Default {
	from := openaiReference + "audio"
	if operation == "speech" {
		return []Default{
			{Path: "speed", Value: "1", Source: from},
			{Path: "stream_format", Value: `"audio"`, Source: from},
		}
	}
	return []Default{{Path: "response_format", Value: `"json"`, Source: from}}
}

var anthropicDefaults = []Default{
	{Path: "tool_choice", Value: `"auto"`, With: "tools", Source: anthropicReference},
}

var converseDefaults = []Default{
	{Path: "toolConfig/toolChoice", Value: `{"auto":{}}`, Source: bedrockReference + "API_runtime_ToolChoice.html"},
	{Path: "inferenceConfig/stopSequences", Value: "[]", Source: bedrockReference + "API_runtime_InferenceConfiguration.html"},
	{Path: "inferenceConfig", Value: "{}", Source: bedrockReference + "API_runtime_InferenceConfiguration.html"},
	{Path: "additionalModelRequestFields", Value: "{}", Source: bedrockReference + "API_runtime_Converse.html"},
	{Path: "additionalModelResponseFieldPaths", Value: "[]", Source: bedrockReference + "API_runtime_Converse.html"},
}

// protoJSON says that a list without elements is one that is not set.
const protoJSON = "https://protobuf.dev/programming-guides/field_presence/"

var generateDefaults = []Default{
	{Path: "safetySettings", Value: "[]", Source: protoJSON},
	{Path: "generationConfig/stopSequences", Value: "[]", Source: protoJSON},
	{Path: "generationConfig/responseModalities", Value: "[]", Source: protoJSON},
	{Path: "generationConfig/candidateCount", Value: "1", Source: geminiReference + "generate-content"},
	{Path: "generationConfig/responseMimeType", Value: `"text/plain"`, Source: geminiReference + "generate-content"},
	{Path: "generationConfig/responseLogprobs", Value: "false", Source: geminiReference + "generate-content"},
	{Path: "generationConfig/thinkingConfig/includeThoughts", Value: "false", Source: geminiReference + "generate-content"},
	{Path: "generationConfig", Value: "{}", Source: geminiReference + "generate-content"},
	{Path: "toolConfig/functionCallingConfig/allowedFunctionNames", Value: "[]", Source: protoJSON},
}

// Only the texts of the parts are embedded, so a role says nothing.
var embedContentDefaults = []Default{
	{Path: "content/role", Value: `"user"`, Source: geminiReference + "embeddings"},
}

var batchEmbedContentsDefaults = []Default{
	{Path: "requests/*/content/role", Value: `"user"`, Source: geminiReference + "embeddings"},
}

var cohereChatDefaults = []Default{
	{Path: "logprobs", Value: "false", Source: cohereReference + "chat"},
}

var cohereEmbedDefaults = []Default{
	{Path: "truncate", Value: `"END"`, Source: cohereReference + "embed"},
}

var ollamaGenerateDefaults = []Default{
	{Path: "raw", Value: "false", Source: ollamaReference + "api/types.go"},
	{Path: "logprobs", Value: "false", Source: ollamaReference + "api/types.go"},
	{Path: "top_logprobs", Value: "0", Source: ollamaReference + "api/types.go"},
}

var ollamaEmbedDefaults = []Default{
	{Path: "truncate", Value: "true", Source: ollamaReference + "docs/api.md"},
}

var cloudflareDefaults = []Default{
	{Path: "raw", Value: "false", Source: cloudflareModels},
}

var multimodalDefaults = []Default{
	{Path: "truncation", Value: "true", Source: voyageReference + "multimodal-embeddings-api"},
}

var rerankDefaults = []Default{
	{Path: "truncation", Value: "true", Source: voyageReference + "reranker-api"},
}

// dropDefaults leaves out what has its default value, in the order of the rows: a later row sees
// what the earlier ones have left.
func dropDefaults(rows []Default) Rewrite {
	return func(r *request, body *exactjson.Value) {
		if usesStoredSettings(body) {
			return
		}
		for _, row := range rows {
			lacks := row.With != "" && len(elems(member(body, row.With))) == 0
			has := row.Without != "" && member(body, row.Without) != nil
			if !lacks && !has {
				row.drop(r, body)
			}
		}
	}
}

// drop leaves the field out wherever it has the value, and remembers that for a report.
func (d *Default) drop(r *request, body *exactjson.Value) {
	parent, name := "", d.Path
	if at := strings.LastIndexByte(d.Path, '/'); at >= 0 {
		parent, name = d.Path[:at], d.Path[at+1:]
	}
	value := defaultValues.Get(d.Value)
	body.Each(parent, func(v *exactjson.Value) {
		m := member(v, name)
		if list := elems(m); len(list) == 1 && r.encoding != jsonBody {
			m = &exactjson.Value{Kind: value.Kind, Text: list[0].Text} // a field of a form
		}
		if m == nil || !isDefault(m, &value) {
			return
		}
		drop(v, name)
		if r.defaults == nil {
			r.defaults = map[string]string{}
		}
		r.defaults["body/"+d.Path] = d.Value
	})
}

// defaultValues are the values of the rows.
var defaultValues = memo.Strings[exactjson.Value]{Func: func(text string) exactjson.Value {
	v, err := exactjson.ParseEscaped(text)
	if err != nil {
		panic(err)
	}
	return v
}}

// isDefault reports whether a value of JSON is the given one.
func isDefault(v, value *exactjson.Value) bool {
	if v.Kind == exactjson.Number && value.Kind == exactjson.Number {
		return exactjson.PlainNumber(v.Text) == exactjson.PlainNumber(value.Text)
	}
	return equal(v, value)
}

// usesStoredSettings reports whether a request names settings that its provider keeps: a field
// that is left out has the value that is kept, and not the default. These are OpenAI's prompts
// (https://platform.openai.com/docs/guides/prompting) and OpenRouter's presets
// (https://openrouter.ai/docs/features/presets).
func usesStoredSettings(body *exactjson.Value) bool {
	isPrompt := isKind(member(body, "prompt"), exactjson.Object)
	return isPrompt || member(body, "preset") != nil || strings.Contains(modelOf(body), "@preset/")
}
