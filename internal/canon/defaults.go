package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// A Default is the default value of a field, by the provider's reference. A
// field with this value is removed: it means the same as no such field.
//
// A table has only the defaults that all servers of the endpoint share. Many
// servers have OpenAI's API, and docs/MATCHING.md lists the fields for which
// they have other defaults.
type Default struct {
	Path  string // a path of [exactjson.Steps] in the body, after the rewrites
	Value string // JSON

	// The value is a default only if the body has a list with elements as its
	// member With, and has no member Without. Both may be "".
	With, Without string

	Source string // the URL of the reference
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
	{
		Path:   "function_call",
		Value:  `"auto"`,
		With:   "functions",
		Source: openaiReference + "chat/create",
	},
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

// responsesSessionDefaults are those of response.create in a session, next to
// responsesDefaults.
var responsesSessionDefaults = []Default{
	{
		Path: "generate", Value: "true",
		Source: "https://developers.openai.com/api/reference/resources/responses/websocket-events",
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

// imagesDefaults returns the defaults of an operation on images.
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

// audioDefaults returns the defaults of an operation on audio.
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
	{
		Path:   "toolConfig/toolChoice",
		Value:  `{"auto":{}}`,
		Source: bedrockReference + "API_runtime_ToolChoice.html",
	},
	{
		Path:   "inferenceConfig/stopSequences",
		Value:  "[]",
		Source: bedrockReference + "API_runtime_InferenceConfiguration.html",
	},
	{
		Path:   "inferenceConfig",
		Value:  "{}",
		Source: bedrockReference + "API_runtime_InferenceConfiguration.html",
	},
	{
		Path:   "additionalModelRequestFields",
		Value:  "{}",
		Source: bedrockReference + "API_runtime_Converse.html",
	},
	{
		Path:   "additionalModelResponseFieldPaths",
		Value:  "[]",
		Source: bedrockReference + "API_runtime_Converse.html",
	},
}

// protoJSON is the page that says that an empty list is a list that is not set.
const protoJSON = "https://protobuf.dev/programming-guides/field_presence/"

var generateDefaults = []Default{
	{Path: "safetySettings", Value: "[]", Source: protoJSON},
	{Path: "generationConfig/stopSequences", Value: "[]", Source: protoJSON},
	{Path: "generationConfig/responseModalities", Value: "[]", Source: protoJSON},
	{
		Path:   "generationConfig/candidateCount",
		Value:  "1",
		Source: geminiReference + "generate-content",
	},
	{
		Path:   "generationConfig/responseMimeType",
		Value:  `"text/plain"`,
		Source: geminiReference + "generate-content",
	},
	{
		Path:   "generationConfig/responseLogprobs",
		Value:  "false",
		Source: geminiReference + "generate-content",
	},
	{
		Path:   "generationConfig/thinkingConfig/includeThoughts",
		Value:  "false",
		Source: geminiReference + "generate-content",
	},
	{Path: "generationConfig", Value: "{}", Source: geminiReference + "generate-content"},
	{Path: "toolConfig/functionCallingConfig/allowedFunctionNames", Value: "[]", Source: protoJSON},
}

// Only the texts of the parts are embedded, so the role does not matter.
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

// dropDefaults returns a rewrite that removes fields with their default values,
// in the order of the table: a row sees what the rows before it have left.
func dropDefaults(rows []Default) Rewrite {
	return func(r *request, body *exactjson.Value) {
		if usesStoredSettings(body) {
			return
		}
		for _, row := range rows {
			lacksWith := row.With != "" && len(elems(member(body, row.With))) == 0
			hasWithout := row.Without != "" && member(body, row.Without) != nil
			if !lacksWith && !hasWithout {
				row.removeFrom(r, body)
			}
		}
	}
}

// removeFrom removes the field from each object of the body that has it with
// its default value. If it removes one, it sets r.defaults for the path, which
// [Form.Default] returns.
//
// For the path "requests/*/content/role" and the default "user", it removes
// "role": "user" from the content of each request, and leaves "role": "model".
func (d *Default) removeFrom(r *request, body *exactjson.Value) {
	parentPath := parentOf(d.Path)
	name := strings.TrimPrefix(d.Path[len(parentPath):], "/")
	defaultValue := defaultValues.Get(d.Value)
	body.Each(parentPath, func(parent *exactjson.Value) {
		field := member(parent, name)
		// A multipart or URL-encoded body is read as {"n": ["1"]}: each field is a list
		// of strings, as it may occur several times. One that occurs once is compared as
		// a value of the default's kind, here the number 1.
		isSingleFormField := r.encoding != jsonBody && len(elems(field)) == 1
		if isSingleFormField {
			text := singleValue(field).Text
			field = &exactjson.Value{Kind: defaultValue.Kind, Text: text}
		}
		if field == nil || !isDefault(field, &defaultValue) {
			return
		}

		drop(parent, name)
		if r.defaults == nil {
			r.defaults = map[string]string{}
		}
		r.defaults["body/"+d.Path] = d.Value
	})
}

// defaultValues caches the parsed values of the tables.
var defaultValues = memo.Strings[exactjson.Value]{Func: func(text string) exactjson.Value {
	v, err := exactjson.ParseEscaped(text)
	if err != nil {
		panic(err)
	}
	return v
}}

// isDefault reports whether a value equals a default value. Numbers may be
// written differently: 1.0 equals 1.
func isDefault(v, defaultValue *exactjson.Value) bool {
	if v.Kind == exactjson.Number && defaultValue.Kind == exactjson.Number {
		return exactjson.PlainNumber(v.Text) == exactjson.PlainNumber(defaultValue.Text)
	}
	return equal(v, defaultValue)
}

// usesStoredSettings reports whether a request names settings that the provider
// stores: a prompt of OpenAI
// (https://platform.openai.com/docs/guides/prompting) or a preset of OpenRouter
// (https://openrouter.ai/docs/features/presets). A missing field then has the
// stored value, and not the default.
func usesStoredSettings(body *exactjson.Value) bool {
	hasPrompt := isKind(member(body, "prompt"), exactjson.Object)
	return hasPrompt || member(body, "preset") != nil || strings.Contains(modelOf(body), "@preset/")
}
