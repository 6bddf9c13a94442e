package fakeprovider

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// URLs to which the requests of the tests are sent.
const (
	toChat      = "https://api.openai.com/v1/chat/completions"
	toResponses = "https://api.openai.com/v1/responses"
	toEmbed     = "https://api.openai.com/v1/embeddings"
	toClaude    = "https://api.anthropic.com/v1/messages"
	toInvoke    = onBedrock + "/model/anthropic.claude-sonnet-4-5/invoke"
	toConverse  = onBedrock + "/model/amazon.nova-lite-v1:0/converse"
	toGemini    = onGoogle + "/v1beta/models/gemini-2.5-flash:generateContent"
	toMistral   = "https://api.mistral.ai/v1/chat/completions"
	toDeepSeek  = "https://api.deepseek.com/chat/completions"
	toCohere    = "https://api.cohere.com/v2/chat"
	toOllama    = "http://localhost:11434/api/chat"

	onBedrock = "https://bedrock-runtime.us-east-1.amazonaws.com"
	onGoogle  = "https://generativelanguage.googleapis.com"
)

// The beginnings of right requests. A row adds members, and the last brace.
const (
	hi       = `"messages":[{"role":"user","content":"Hi."}]`
	chatHi   = `{"model":"gpt-4o",` + hi
	claudeHi = `{"model":"claude-sonnet-4-5","max_tokens":4096,` + hi
	novaHi   = `{"messages":[{"role":"user","content":[{"text":"Hi."}]}]`
	geminiHi = `{"contents":[{"role":"user","parts":[{"text":"Hi."}]}]`
)

// Requests that ask for tools of a chat.
const (
	chatCall = `{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{` +
		`"name":"add","arguments":"{}"}}]}`
	chatResult = `{"role":"tool","tool_call_id":"call_1","content":"3"}`
	userAdd    = `{"role":"user","content":"Add."}`
)

// wrongRequests are wrong requests, and the words of their provider. A status of 0 is
// 400. Each rule has a row.
var wrongRequests = []struct {
	rule, url, body string
	status          int
	message         string
}{
	// OpenAI, chat completions
	{"unknown argument", toChat, chatHi + `,"top_k":5}`, 0,
		"Unrecognized request argument supplied: top_k"},
	{"unknown argument", toChat, chatHi + `,"top_k":5,"thinking":{}}`, 0,
		"Unrecognized request arguments supplied: top_k, thinking"},
	{"unknown role", toChat, `{"model":"gpt-4o","messages":[{"role":"human","content":"Hi."}]}`, 0,
		"Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', " +
			"'function', 'tool', and 'developer'."},
	{"content part without a type", toChat, `{"model":"gpt-4o","messages":[{"role":"user",` +
		`"content":[{"text":"Hi."}]}]}`, 0,
		"Missing required parameter: 'messages[0].content[0].type'."},
	{"content is null", toChat, `{"model":"gpt-4o","messages":[{"role":"user","content":null}]}`, 0,
		"Invalid value for 'content': expected a string, got null."},
	{"tool result without a call", toChat, `{"model":"gpt-4o",` +
		`"messages":[` + userAdd + `,` + chatResult + `]}`, 0,
		"Invalid parameter: messages with role 'tool' must be a response to a preceeding message " +
			"with 'tool_calls'."},
	{"tool call without a result", toChat, `{"model":"gpt-4o",` +
		`"messages":[` + userAdd + `,` + chatCall + `]}`, 0,
		"An assistant message with 'tool_calls' must be followed by tool messages responding to " +
			"each 'tool_call_id'. " +
			"The following tool_call_ids did not have response messages: call_1"},
	{"tool call without a result", toChat, `{"model":"gpt-4o",` +
		`"messages":[` + userAdd + `,` + chatCall + `,` + userAdd + `]}`, 0,
		"did not have response messages: call_1"},
	{"max_tokens and max_completion_tokens", toChat, chatHi + `,"max_tokens":9,` +
		`"max_completion_tokens":9}`, 0,
		"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."},
	{"max_tokens with a reasoning model", toChat, `{"model":"o3",` + hi + `,"max_tokens":9}`, 0,
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use " +
			"'max_completion_tokens' instead."},
	{"temperature with a reasoning model", toChat, `{"model":"gpt-5-mini",` +
		hi + `,"temperature":0.2}`, 0,
		"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default " +
			"(1) value is supported."},
	{"temperature with a reasoning model", toChat, `{"model":"o3-mini",` +
		hi + `,"temperature":1}`, 0,
		"Unsupported parameter: 'temperature' is not supported with this model."},
	{"number out of range", toChat, chatHi + `,"temperature":2.5}`, 0,
		"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 " +
			"instead."},
	{"number out of range", toChat, chatHi + `,"max_tokens":0}`, 0,
		"Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 " +
			"instead."},
	{"number out of range", toChat, chatHi + `,"n":200}`, 0,
		"Invalid 'n': integer above maximum value. Expected a value <= 128, but got 200 instead."},
	{"too many stop sequences", toChat, chatHi + `,"stop":["a","b","c","d","e"]}`, 0,
		"Invalid 'stop': array too long. Expected an array with maximum length 4, but got an " +
			"array with length 5 instead."},
	{"too many tools", toChat, chatHi + `,"tools":[{}` + strings.Repeat(`,{}`, 149) + `]}`, 0,
		"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an " +
			"array with length 150 instead."},
	{"empty list of tools", toChat, chatHi + `,"tools":[]}`, 0,
		"Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty " +
			"array instead."},
	{"empty list of tool calls", toChat, `{"model":"gpt-4o",` +
		`"messages":[` + userAdd + `,{"role":"assistant","content":"3",` +
		`"tool_calls":[]},` + userAdd + `]}`, 0,
		"Invalid 'messages[1].tool_calls': empty array."},
	{"stop with o1-mini", toChat, `{"model":"o1-mini",` + hi + `,"stop":["a"]}`, 0,
		"Unsupported parameter: 'stop' is not supported with this model."},
	{"stream_options without stream", toChat, chatHi + `,"stream_options":{` +
		`"include_usage":true}}`, 0,
		"The 'stream_options' parameter is only allowed when 'stream' is enabled."},
	{"json_object without the word JSON", toChat, chatHi + `,"response_format":{` +
		`"type":"json_object"}}`, 0,
		"'messages' must contain the word 'json' in some form, to use 'response_format' of type " +
			"'json_object'."},
	{"tool name", toChat, chatHi + `,"tools":[{"type":"function","function":{` +
		`"name":"get weather"}}]}`, 0,
		"Invalid 'tools[0].function.name': string does not match pattern. Expected a string that " +
			"matches the pattern '^[a-zA-Z0-9_-]+$'."},
	{"tool name", toChat, chatHi + `,"tools":[{"type":"function","function":{` +
		`"name":"` + strings.Repeat("a", 70) + `"}}]}`, 0,
		"Invalid 'tools[0].function.name': string too long. Expected a string with maximum " +
			"length 64, but got a string with length 70 instead."},
	{"tool schema is not an object", toChat, chatHi + `,"tools":[{"type":"function","function":{` +
		`"name":"f","parameters":{"type":"string"}}}]}`, 0,
		`Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"',` +
			` got 'type: "string"'.`},
	{"strict tool schema", toChat, chatHi + `,"tools":[{"type":"function","function":{"name":"f",` +
		`"strict":true,"parameters":{"type":"object","properties":{"a":{"type":"string"}},` +
		`"required":["a"]}}}]}`, 0,
		"Invalid schema for function 'f': In context=(), 'additionalProperties' is required to " +
			"be supplied and to be false."},
	{"strict response schema", toChat, chatHi + `,"response_format":{"type":"json_schema",` +
		`"json_schema":{"name":"r","strict":true,"schema":{"type":"object","properties":{"a":{` +
		`"type":"object","properties":{"b":{}},"additionalProperties":false}},"required":["a"],` +
		`"additionalProperties":false}}}}`, 0,
		"Invalid schema for response_format 'r': In context=('properties', 'a'), 'required' is " +
			"required to be supplied and to be an array including every key in properties. " +
			"Missing 'b'."},
	{"tool_choice without tools", toChat, chatHi + `,"tool_choice":"auto"}`, 0,
		"Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are " +
			"specified."},
	{"parallel_tool_calls without tools", toChat, chatHi + `,"parallel_tool_calls":false}`, 0,
		"Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when " +
			"'tools' are specified."},
	{"tool_choice of a tool that is not offered", toChat, chatHi + `,"tools":[{"type":"function",` +
		`"function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"g"}}}`, 0,
		"no function named g were specified in the 'tools' parameter."},
	{"image URL", toChat, `{"model":"gpt-4o","messages":[{"role":"user","content":[{` +
		`"type":"image_url","image_url":{"url":"iVBORw0KGgo="}}]}]}`, 0,
		"Invalid image URL: 'messages[0].content[0].image_url.url'. Expected a base64-encoded " +
			"data URL"},

	// OpenAI, responses
	{"argument of chat completions", toResponses, `{"model":"gpt-4o","input":"Hi.",` + hi + `}`, 0,
		"Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to " +
			"'input'."},
	{"argument of chat completions", toResponses, `{"model":"gpt-4o","input":"Hi.",` +
		`"response_format":{"type":"text"}}`, 0,
		"Unsupported parameter: 'response_format'. In the Responses API, this parameter has " +
			"moved to 'text.format'."},
	{"unknown argument", toResponses, `{"model":"gpt-4o","input":"Hi.","top_k":5}`, 0,
		"Unknown parameter: 'top_k'."},
	{"tool result without a call", toResponses, `{"model":"gpt-4o","input":[{` +
		`"type":"function_call_output","call_id":"call_1","output":"3"}]}`, 0,
		"No tool call found for function call output with call_id call_1."},
	{"tool call without a result", toResponses, `{"model":"gpt-4o","input":[{` +
		`"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}]}`, 0,
		"No tool output found for function call call_1."},
	{"number out of range", toResponses, `{"model":"gpt-4o","input":"Hi.",` +
		`"max_output_tokens":10}`, 0,
		"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but " +
			"got 10 instead."},
	{"json_object without the word JSON", toResponses, `{"model":"gpt-4o","input":"Hi.","text":{` +
		`"format":{"type":"json_object"}}}`, 0,
		"Response input messages must contain the word 'json' in some form to use 'text.format' " +
			"of type 'json_object'."},
	{"tool name", toResponses, `{"model":"gpt-4o","input":"Hi.","tools":[{"type":"function",` +
		`"name":"a/b"}]}`, 0,
		"Invalid 'tools[0].name': string does not match pattern."},
	{"tool schema is not an object", toResponses, `{"model":"gpt-4o","input":"Hi.","tools":[{` +
		`"type":"function","name":"f","parameters":{"type":"array"}}]}`, 0,
		`schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`},
	{"strict tool schema", toResponses, `{"model":"gpt-4o","input":"Hi.","tools":[{` +
		`"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{` +
		`"a":{}},"additionalProperties":false}}]}`, 0,
		"'required' is required to be supplied and to be an array including every key in " +
			"properties. Missing 'a'."},
	{"strict response schema", toResponses, `{"model":"gpt-4o","input":"Hi.","text":{"format":{` +
		`"type":"json_schema","name":"r","strict":true,"schema":{"type":"object","properties":{` +
		`}}}}}`, 0,
		"Invalid schema for response_format 'r': In context=(), 'additionalProperties' is " +
			"required"},
	{"image URL", toResponses, `{"model":"gpt-4o","input":[{"role":"user","content":[{` +
		`"type":"input_image","image_url":"iVBORw0KGgo="}]}]}`, 0,
		"Invalid image URL: 'input[0].content[0].image_url'."},

	// OpenAI, embeddings
	{"unknown argument", toEmbed, `{"model":"text-embedding-3-small","input":"a",` +
		`"truncate":true}`, 0,
		"Unrecognized request argument supplied: truncate"},
	{"empty text in a list", toEmbed, `{"model":"text-embedding-3-small","input":["a",""]}`, 0,
		"'$.input' is invalid."},
	{"dimensions of text-embedding-ada-002", toEmbed, `{"model":"text-embedding-ada-002",` +
		`"input":"a","dimensions":8}`, 0,
		"This model does not support specifying dimensions."},

	// Anthropic
	{"unknown member", toClaude, claudeHi + `,"response_format":{"type":"text"}}`, 0,
		"response_format: Extra inputs are not permitted"},
	{"unknown member", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{` +
		`"role":"user","name":"Ann","content":"Hi."}]}`, 0,
		"messages.0.name: Extra inputs are not permitted"},
	{"unknown role", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
		`"messages":[` + userAdd + `,{"role":"tool","content":"3"}]}`, 0,
		`messages: Unexpected role "tool". Allowed roles are "user" or "assistant"`},
	{"system message at the beginning", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
		`"messages":[{"role":"system","content":"Be brief."},` + userAdd + `]}`, 0,
		"The Messages API accepts a top-level `system` parameter, not \"system\" as an input " +
			"message role."},
	{"message without content", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
		`"messages":[{"role":"user","content":""}]}`, 0,
		"messages.0: all messages must have non-empty content except for the optional final " +
			"assistant message"},
	{"empty text block", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{` +
		`"role":"user","content":[{"type":"text","text":""}]}]}`, 0,
		"messages: text content blocks must be non-empty"},
	{"assistant message ends in a blank", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
		`"messages":[` + userAdd + `,{"role":"assistant","content":"It is "}]}`, 0,
		"messages: final assistant content cannot end with trailing whitespace"},
	{"tool call without a result", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
		`"messages":[` + userAdd + `,{"role":"assistant","content":[{"type":"tool_use",` +
		`"id":"toolu_1","name":"f","input":{}}]},` + userAdd + `]}`, 0,
		"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: " +
			"toolu_1. " +
			"Each `tool_use` block must have a corresponding `tool_result` block in the next " +
			"message."},
	{"tool result without a call", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
		`"messages":[{"role":"user","content":[{"type":"tool_result",` +
		`"tool_use_id":"toolu_1"}]}]}`, 0,
		"messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1."},
	{"number out of range", toClaude, claudeHi + `,"temperature":1.5}`, 0,
		"temperature: range: 0..1"},
	{"max_tokens below 1", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":-1,` + hi + `}`, 0,
		"max_tokens: must be greater than or equal to 1"},
	{"tool name", toClaude, claudeHi + `,"tools":[{"name":"a.b","input_schema":{` +
		`"type":"object"}}]}`, 0,
		"tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
	{"tool schema is not an object", toClaude, claudeHi + `,"tools":[{"name":"f","input_schema":{` +
		`"properties":{}}}]}`, 0,
		"tools.0.custom.input_schema.type: Field required"},
	{"two tools of one name", toClaude, claudeHi + `,"tools":[{"name":"f","input_schema":{` +
		`"type":"object"}},{"name":"f","input_schema":{"type":"object"}}]}`, 0,
		"tools: Tool names must be unique."},
	{"tool_choice without tools", toClaude, claudeHi + `,"tool_choice":{"type":"any"}}`, 0,
		"`tool_choice` may only be specified while providing `tools`"},
	{"tool_choice of a tool that is not offered", toClaude, claudeHi + `,"tools":[{"name":"f",` +
		`"input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"g"}}`, 0,
		"Tool 'g' not found in provided tools"},
	{"thinking budget too small", toClaude, claudeHi + `,"thinking":{"type":"enabled",` +
		`"budget_tokens":512}}`, 0,
		"thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"},
	{"thinking budget above max_tokens", toClaude, claudeHi + `,"thinking":{"type":"enabled",` +
		`"budget_tokens":4096}}`, 0,
		"`max_tokens` must be greater than `thinking.budget_tokens`."},
	{"temperature with thinking", toClaude, claudeHi + `,"temperature":0.5,"thinking":{` +
		`"type":"enabled","budget_tokens":2048}}`, 0,
		"`temperature` may only be set to 1 when thinking is enabled."},
	{"forced tool with thinking", toClaude, claudeHi + `,"tools":[{"name":"f","input_schema":{` +
		`"type":"object"}}],"tool_choice":{"type":"any"},"thinking":{"type":"enabled",` +
		`"budget_tokens":2048}}`, 0,
		"Thinking may not be enabled when tool_choice forces tool use."},
	{"type of an image", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{` +
		`"role":"user","content":[{"type":"image","source":{"type":"base64",` +
		`"media_type":"image/bmp","data":"Qk0="}}]}]}`, 0,
		"messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', " +
			"'image/png', 'image/gif' or 'image/webp'"},
	{"unknown member", toInvoke, `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,` +
		`"model":"claude",` + hi + `}`, 0,
		"model: Extra inputs are not permitted"},

	// Bedrock, Converse
	{"unknown role", toConverse, `{"messages":[{"role":"system","content":[{"text":"Hi."}]}]}`, 0,
		"1 validation error detected: Value 'system' at 'messages.1.member.role' failed to " +
			"satisfy constraint: Member must satisfy enum value set: [user, assistant]"},
	{"no message of the user", toConverse, `{"messages":[{"role":"assistant","content":[{` +
		`"text":"Hi."}]}]}`, 0,
		"A conversation must start with a user message. Try again with a conversation that " +
			"starts with a user message."},
	{"roles do not alternate", toConverse, `{"messages":[{"role":"user","content":[{` +
		`"text":"Hi."}]},{"role":"user","content":[{"text":"Hi."}]}]}`, 0,
		"A conversation must alternate between user and assistant roles."},
	{"message without content", toConverse, `{"messages":[{"role":"user","content":[]}]}`, 0,
		"The content field in the Message object at messages.0 is empty."},
	{"empty text", toConverse, `{"messages":[{"role":"user","content":[{"text":""}]}]}`, 0,
		"The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to " +
			"the text field, and try again."},
	{"tool call without a result", toConverse, `{"toolConfig":{},"messages":[{"role":"user",` +
		`"content":[{"text":"Hi."}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1",` +
		`"name":"f","input":{}}}]},{"role":"user","content":[{"text":"Hi."}]}]}`, 0,
		"Expected toolResult blocks at messages.2.content for the following Ids: t1"},
	{"tool result without a call", toConverse, `{"toolConfig":{},"messages":[{"role":"user",` +
		`"content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"3"}]}}]}]}`, 0,
		"The number of toolResult blocks at messages.0.content exceeds the number of toolUse " +
			"blocks of previous turn."},
	{"tool blocks without toolConfig", toConverse, `{"messages":[{"role":"user","content":[{` +
		`"text":"Hi."}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f",` +
		`"input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{` +
		`"text":"3"}]}}]}]}`, 0,
		"The toolConfig field must be defined when using toolUse and toolResult content blocks."},
	{"number out of range", toConverse, novaHi + `,"inferenceConfig":{"temperature":1.5}}`, 0,
		"1 validation error detected: Value '1.5' at 'inferenceConfig.temperature' failed to " +
			"satisfy constraint: Member must have value less than or equal to 1"},
	{"tool name", toConverse, novaHi + `,"toolConfig":{"tools":[{"toolSpec":{"name":"a.b",` +
		`"inputSchema":{"json":{"type":"object"}}}}]}}`, 0,
		"Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"},

	// Gemini
	{"unknown name", toGemini, geminiHi + `,"max_tokens":5}`, 0,
		`Invalid JSON payload received. Unknown name "max_tokens": Cannot find field.`},
	{"unknown name", toGemini, geminiHi + `,"generationConfig":{"maxTokens":5}}`, 0,
		`Invalid JSON payload received. Unknown name "maxTokens" at 'generation_config': ` +
			`Cannot find field.`},
	{"unknown role", toGemini, `{"contents":[{"role":"assistant","parts":[{"text":"Hi."}]}]}`, 0,
		"Please use a valid role: user, model."},
	{"content without parts", toGemini, `{"contents":[{"role":"user"}]}`, 0,
		"* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n"},
	{"part without data", toGemini, `{"contents":[{"role":"user","parts":[{}]}]}`, 0,
		"* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must " +
			"have one initialized field\n"},
	{"function call at the beginning", toGemini, `{"contents":[{"role":"model","parts":[{` +
		`"functionCall":{"name":"f"}}]}]}`, 0,
		"Please ensure that function call turn comes immediately after a user turn or after a " +
			"function response turn."},
	{"function response without a call", toGemini, `{"contents":[{"role":"user","parts":[{` +
		`"functionResponse":{"name":"f","response":{}}}]}]}`, 0,
		"Please ensure that function response turn comes immediately after a function call turn."},
	{"function call without a response", toGemini, `{"contents":[{"role":"user","parts":[{` +
		`"text":"Hi."}]},{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{` +
		`"name":"g"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{` +
		`}}}]}]}`, 0,
		"Please ensure that the number of function response parts is equal to the number of " +
			"function call parts of the function call turn."},
	{"temperature out of range", toGemini, geminiHi + `,"generationConfig":{` +
		`"temperature":1000.0}}`, 0,
		"Unable to submit request because it has a temperature value of 1000 but the supported " +
			"range is from 0 (inclusive) to 2.0001 (exclusive)."},
	{"function name", toGemini, geminiHi + `,"tools":[{"functionDeclarations":[{` +
		`"name":"get weather"}]}]}`, 0,
		"* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name."},

	// Others
	{"unknown member", toMistral, `{"model":"mistral-small-latest",` +
		hi + `,"seed":5}`, http.StatusUnprocessableEntity,
		`"msg":"Extra inputs are not permitted"`},
	{"last message is the assistant's", toMistral, `{"model":"mistral-small-latest",` +
		`"messages":[` + userAdd + `,{"role":"assistant","content":"It"}]}`, 0,
		"Expected last role User or Tool (or Assistant with prefix True) for serving but got " +
			"assistant"},
	{"tool calls and results differ in number", toMistral, `{"model":"mistral-small-latest",` +
		`"messages":[` + userAdd + `,` + chatCall + `,` + userAdd + `]}`, 0,
		"Not the same number of function calls and responses"},
	{"tool result without a call", toDeepSeek, `{"model":"deepseek-chat",` +
		`"messages":[` + userAdd + `,` + chatResult + `]}`, 0,
		"Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"},
	{"tool call without a result", toDeepSeek, `{"model":"deepseek-chat",` +
		`"messages":[` + userAdd + `,` + chatCall + `,` + userAdd + `]}`, 0,
		"(insufficient tool messages following tool_calls message)"},
	{"unknown field", toCohere, `{"model":"command-a-03-2025",` + hi + `,"top_p":0.5}`, 0,
		"unknown field: parameter 'top_p' is not a valid field"},
	{"temperature out of range", toCohere, `{"model":"command-a-03-2025",` +
		hi + `,"temperature":1.5}`, 0,
		"invalid request: temperature must be between 0 and 1.0 inclusive."},
	{"think value", toOllama, `{"model":"qwen3",` + hi + `,"think":"hard"}`, 0,
		`invalid think value: "hard" (must be "high", "medium", "low", true, or false)`},
	{"type of an option", toOllama, `{"model":"qwen3",` + hi + `,"options":{` +
		`"temperature":"0.2"}}`, http.StatusInternalServerError,
		`option "temperature" must be of type float32`},
}

// readFrom reads a request as a provider at its host.
func readFrom(t *testing.T, url, body string) *Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sk-test")
	return Read(r, []byte(body), &State{})
}

// A wrong request is refused with the status and the words of its provider, and
// the problem names the rule and where it is documented.
func TestWrongRequestsAreRefused(t *testing.T) {
	for _, want := range wrongRequests {
		req := readFrom(t, want.url, want.body)
		p := req.Problem
		if p == nil {
			t.Errorf("%s: not refused by %q", want.body, want.rule)
			continue
		}
		if p.Rule != want.rule || !strings.HasPrefix(p.Source, "https://") {
			t.Errorf("%s: refused by %q (%s), want %q", want.body, p.Rule, p.Source, want.rule)
		}
		if !strings.Contains(p.Message, want.message) {
			t.Errorf("%s: message\n%s\nwant\n%s", want.body, p.Message, want.message)
		}
		status := want.status
		if status == 0 {
			status = http.StatusBadRequest
		}
		resp := req.Refuse(1, *p)
		words := strings.Trim(string(encode(p.Message)), `"`)
		if resp.Status != status || !strings.Contains(string(resp.Body), words) {
			t.Errorf("%s: response %d %s", want.body, resp.Status, resp.Body)
		}
	}
}

// Each rule of each provider is shown to refuse a request.
func TestEachRuleRefusesARequest(t *testing.T) {
	shown := map[string][]string{}
	for _, r := range wrongRequests {
		endpoint := readFrom(t, r.url, r.body).Endpoint()
		shown[endpoint] = append(shown[endpoint], r.rule)
	}
	// Bedrock has Anthropic's rules, Ollama's two endpoints have the same.
	shown[invoke.name] = append(shown[invoke.name], shown[messages.name]...)
	shown[ollamaGenerate.name] = shown[ollamaChat.name]
	for endpoint, sets := range ruleSets {
		for _, set := range sets {
			for _, rule := range set.rules {
				if !slices.Contains(shown[endpoint], rule.name) {
					t.Errorf("%s: no request is refused by %q", endpoint, rule.name)
				}
			}
		}
	}
}

// Requests that a provider takes are not refused, though they are near to wrong
// ones.
func TestRightRequestsAreTaken(t *testing.T) {
	for _, c := range []struct{ name, url, body string }{
		{"null members", toChat, chatHi + `,"top_k":null,"tools":null,"tool_choice":null,` +
			`"temperature":null}`},
		{"results of two calls in any order", toChat, `{"model":"gpt-4o","messages":[` + userAdd +
			`,{"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"b"}]},` +
			`{"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"a",` +
			`"content":"1"}]}`},
		{"the word JSON", toChat, `{"model":"gpt-4o","messages":[{"role":"system",` +
			`"content":"Answer in json."},` +
			userAdd + `],"response_format":{"type":"json_object"}}`},
		{"the default temperature", toChat, `{"model":"o3",` + hi + `,"temperature":1}`},
		{"temperature without reasoning", toChat, `{"model":"gpt-5.4-mini",` +
			hi + `,"temperature":0.2}`},
		{"max_tokens of a chat model", toChat, `{"model":"gpt-5-chat-latest",` +
			hi + `,"max_tokens":9}`},
		{"strict schema", toChat, chatHi + `,"tools":[{"type":"function","function":{"name":"f",` +
			`"strict":true,` +
			`"parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
			`"additionalProperties":false}}}]}`},
		{"result of an earlier response", toResponses, `{"model":"gpt-4o",` +
			`"conversation":"conv_1","input":` +
			`[{"type":"function_call_output","call_id":"call_1","output":"3"}]}`},
		{"output of a tool search", toResponses, `{"model":"gpt-5.4","input":[{` +
			`"type":"tool_search_call","call_id":"s1"},` +
			`{"type":"function_call_output","call_id":"s1","output":"one"}]}`},
		{"system message later", toClaude, `{"model":"claude-opus-5","max_tokens":9,` +
			`"messages":[` + userAdd +
			`,{"role":"system","content":"Be brief."}]}`},
		{"empty message to continue", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
			`"messages":[` + userAdd +
			`,{"role":"assistant","content":""}]}`},
		{"results in two messages", toClaude, `{"model":"claude-sonnet-4-5","max_tokens":9,` +
			`"messages":[` + userAdd +
			`,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{` +
			`"type":"tool_use","id":"b","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]},{"role":"user",` +
			`"content":[{"type":"tool_result","tool_use_id":"b"}]}]}`},
		{"tool of the provider", toClaude, claudeHi + `,"tools":[{"type":"web_search_20250305",` +
			`"name":"web_search"}]}`},
		{"assistant first", toConverse, `{"messages":[{"role":"assistant","content":[{` +
			`"text":"Hi."}]},` +
			`{"role":"user","content":[{"text":" "}]}]}`},
		{"snake case", toGemini, geminiHi + `,"generation_config":{"max_output_tokens":5},` +
			`"system_instruction":{"parts":[{"text":"Be brief."}]}}`},
		{"prefix", toMistral, `{"model":"mistral-small-latest","messages":[` + userAdd +
			`,{"role":"assistant","content":"It","prefix":true}]}`},
		{"null option", toOllama, `{"model":"qwen3",` + hi + `,"think":true,"options":{` +
			`"stop":null,"seed":5,"x":"y"}}`},
	} {
		if p := readFrom(t, c.url, c.body).Problem; p != nil {
			t.Errorf("%s: refused by %q: %s", c.name, p.Rule, p.Message)
		}
	}
}

// A gateway or a server of another vendor that has OpenAI's or Anthropic's
// endpoints takes what is its own.
func TestOtherServersHaveTheirOwnRules(t *testing.T) {
	local, azure := "http://127.0.0.1:8080/v1/chat/completions",
		"https://x.openai.azure.com/openai/v1/chat/completions"
	for _, c := range []struct {
		name, url, body string
		refused         bool
	}{
		{"OpenAI", toChat, `{"model":"any",` + hi + `,"top_k":5}`, true},
		{"base URL on loopback", local, chatHi + `,"top_k":5}`, true},
		{"local model", local, `{"model":"llama3.2",` + hi + `,"top_k":5}`, false},
		{"open model of OpenAI's", local, `{"model":"gpt-oss:20b",` + hi + `,"top_k":5}`, false},
		{"Azure", azure, chatHi + `,"top_k":5}`, true},
		{"Azure with another model", azure, `{"model":"Mistral-Large",` +
			hi + `,"top_k":5}`, false},
		{"gateway", "https://openrouter.ai/api/v1/chat/completions", chatHi + `,"top_k":5}`, false},
		{"Claude on loopback", "http://localhost:9/v1/messages", claudeHi + `,"top":5}`, true},
		{"local model with messages", "http://localhost:9/v1/messages", `{"model":"qwen3",` +
			`"max_tokens":9,` + hi + `,"top":5}`, false},
		{"gateway with messages", "https://api.z.ai/api/anthropic/v1/messages",
			claudeHi + `,"top":5}`, false},
	} {
		if p := readFrom(t, c.url, c.body).Problem; (p != nil) != c.refused {
			t.Errorf("%s: problem %v, want one: %v", c.name, p, c.refused)
		}
	}
}
