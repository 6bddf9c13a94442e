package fakeprovider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The rules of OpenAI apply where its servers answer, and where a request that
// is sent to this machine or to Azure names one of its models. Other servers
// have the same endpoints and take members and models of their own, so they have
// none of these rules:
//
//	api.openai.com                      yes
//	Azure, loopback; model gpt-4o       yes
//	Azure, loopback; model llama3.2     no: an Azure model or a local server of another vendor
//	any other host                      no: a compatible server or a gateway

const (
	openaiChatDocs      = "https://platform.openai.com/docs/api-reference/chat/create"
	openaiResponsesDocs = "https://platform.openai.com/docs/api-reference/responses/create"
	openaiEmbedDocs     = "https://platform.openai.com/docs/api-reference/embeddings/create"
)

// openaiModels matches the names of OpenAI's models, but not of its open ones,
// which other servers have.
var openaiModels = regexp.MustCompile(`^(ft:)?(gpt-[345]|chatgpt-|o[134](-|$)|text-embedding-)`)

// isOpenAI reports whether OpenAI's own servers are to answer.
func isOpenAI(s *sent) bool {
	if s.isAt("api.openai.com") {
		return true
	}
	azure := s.isAt("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com")
	return (azure || s.isLoopback()) && openaiModels.MatchString(s.model)
}

// reasons matches the models that reason before they answer.
var reasons = regexp.MustCompile(`^(o[134](-|$)|gpt-5)`)

func isReasoning(model string) bool {
	return reasons.MatchString(model) && !strings.Contains(model, "chat")
}

// onlyDefault matches the models with which the temperature cannot be chosen.
// Later ones than gpt-5 allow it if they do not reason.
var onlyDefault = regexp.MustCompile(`^(o[134](-|$)|gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$)`)

// openaiProblemAt is an error of OpenAI with a param and a code.
func openaiProblemAt(param, code, format string, args ...any) *Problem {
	p := problem("invalid_request_error", format, args...)
	p.Param, p.Code = param, code
	return p
}

var openaiChatRules = []rule{
	{"unknown argument", "https://github.com/davidmigloz/langchain_dart/issues/712",
		unrecognized(openaiChatMembers)},
	{"unknown role", openaiChatDocs, openaiRoles},
	{"content part without a type", "https://github.com/openai/openai-cookbook/issues/1248",
		openaiPartType},
	{"content is null", "https://github.com/run-llama/llama_index/issues/17555", openaiNullContent},
	{"tool result without a call", "https://github.com/openai/openai-go/issues/43",
		openaiResultWithoutCall},
	{"tool call without a result", "https://github.com/BerriAI/litellm/issues/10083",
		openaiCallWithoutResult},
	{"max_tokens and max_completion_tokens",
		"https://github.com/langchain-ai/langgraph/issues/5943",
		openaiTwoLimits},
	{"max_tokens with a reasoning model", "https://github.com/openai/openai-python/issues/2046",
		openaiMaxTokens},
	{"temperature with a reasoning model", "https://github.com/OpenHands/OpenHands/issues/4131",
		openaiTemperature},
	{"number out of range", "https://github.com/YSocialTwin/YClient/issues/6",
		openaiRange(openaiChatLimits)},
	{"too many stop sequences", openaiChatDocs, openaiTooMany("stop", 4)},
	{"too many tools", "https://github.com/0x4m4/hexstrike-ai/issues/29",
		openaiTooMany("tools", 128)},
	{"empty list of tools", "https://github.com/continuedev/continue/issues/3370", openaiNoTools},
	{"empty list of tool calls", "https://github.com/home-assistant/core/pull/118577",
		openaiNoCalls},
	{"stop with o1-mini", openaiChatDocs + "#chat-create-stop", openaiStopWithO1},
	{"stream_options without stream", "https://github.com/BerriAI/litellm/issues/5803",
		openaiStreamOptions},
	{"json_object without the word JSON", openaiChatDocs, openaiChatJSON},
	{"tool name", "https://github.com/run-llama/llama_index/issues/16093",
		openaiChatTools(openaiToolName)},
	{"tool schema is not an object", "https://github.com/browserbase/stagehand/issues/1159",
		openaiChatTools(openaiToolSchema)},
	{"strict tool schema", "https://github.com/lastmile-ai/openai-agents-mcp/issues/2",
		openaiChatTools(openaiStrictTool)},
	{"strict response schema", "https://github.com/moeru-ai/xsai/issues/145", openaiChatFormat},
	{"tool_choice without tools", "https://github.com/vllm-project/vllm/pull/40311",
		openaiChoiceWithoutTools},
	{"parallel_tool_calls without tools", "https://github.com/Upsonic/Upsonic/issues/323",
		openaiParallelWithoutTools},
	{"tool_choice of a tool that is not offered", openaiChatDocs, openaiChoiceNotOffered},
	{"image URL", "https://github.com/Alibaba-NLP/OmniSearch/issues/3", openaiChatImages},
}

var openaiEmbedRules = []rule{
	{"unknown argument", openaiEmbedDocs, unrecognized(openaiEmbedMembers)},
	{"empty text in a list", "https://github.com/openai/openai-python/issues/576",
		openaiEmptyInput},
	{"dimensions of text-embedding-ada-002", "https://github.com/SciPhi-AI/R2R/pull/768",
		openaiDimensions},
}

// unrecognized refuses members of the body that are not known.
func unrecognized(known []string) func(*sent) *Problem {
	return func(s *sent) *Problem {
		names := unknown(s.body, known)
		switch len(names) {
		case 0:
			return nil
		case 1:
			return problem("invalid_request_error", "Unrecognized request argument supplied: "+
				"%s", names[0])
		}
		return problem("invalid_request_error", "Unrecognized request arguments supplied: %s",
			strings.Join(names, ", "))
	}
}

func openaiRoles(s *sent) *Problem {
	roles := words("system assistant user function tool developer")
	for i, m := range s.list("messages") {
		role, ok := m.get("role").(string)
		if ok && !slices.Contains(roles, role) {
			return openaiProblemAt(fmt.Sprintf("messages[%d].role", i), "invalid_value",
				"Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', "+
					"'function', 'tool', and 'developer'.", role)
		}
	}
	return nil
}

func openaiPartType(s *sent) *Problem {
	for i, m := range s.list("messages") {
		for k, part := range m.list("content") {
			if o, ok := part.(object); ok && !has(o, "type") {
				return missing(fmt.Sprintf("messages[%d].content[%d].type", i, k))
			}
		}
	}
	return nil
}

func openaiNullContent(s *sent) *Problem {
	for i, m := range s.list("messages") {
		if m.text("role") == "assistant" || m.text("role") == "function" {
			continue
		}
		if slices.Contains(m, field{"content", nil}) {
			return openaiProblemAt(fmt.Sprintf("messages.[%d].content", i), "",
				"Invalid value for 'content': expected a string, got null.")
		}
	}
	return nil
}

// orphanResult returns the index of the first tool message of a chat that does
// not follow an assistant's message with tool calls, or -1.
func orphanResult(messages []object) int {
	called := false
	for i, m := range messages {
		switch m.text("role") {
		case "assistant":
			called = len(m.list("tool_calls")) > 0
		case "tool":
			if !called {
				return i
			}
		default:
			called = false
		}
	}
	return -1
}

// unanswered returns the first tool calls of a chat that the tool messages after
// them do not answer, and the index of the message that follows.
func unanswered(messages []object) (int, []string) {
	for i, m := range messages {
		var ids, answered []string
		for _, call := range objects(m.list("tool_calls")) {
			ids = append(ids, call.text("id"))
		}
		next := i + 1
		for next < len(messages) && messages[next].text("role") == "tool" {
			answered = append(answered, messages[next].text("tool_call_id"))
			next++
		}
		if left := without(ids, answered); left != nil {
			return next, left
		}
	}
	return 0, nil
}

func openaiResultWithoutCall(s *sent) *Problem {
	i := orphanResult(s.list("messages"))
	if i < 0 {
		return nil
	}
	return openaiProblemAt(fmt.Sprintf("messages.[%d].role", i), "",
		"Invalid parameter: messages with role 'tool' must be a response to a preceeding message "+
			"with 'tool_calls'.")
}

func openaiCallWithoutResult(s *sent) *Problem {
	i, ids := unanswered(s.list("messages"))
	if ids == nil {
		return nil
	}
	return openaiProblemAt(fmt.Sprintf("messages.[%d].role", i), "",
		"An assistant message with 'tool_calls' must be followed by tool messages responding to "+
			"each 'tool_call_id'. The following tool_call_ids did not have response messages: %s",
		strings.Join(ids, ", "))
}

func openaiTwoLimits(s *sent) *Problem {
	if !has(s.body, "max_tokens") || !has(s.body, "max_completion_tokens") {
		return nil
	}
	return openaiProblemAt("max_tokens", "invalid_parameter_combination",
		"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
}

func openaiMaxTokens(s *sent) *Problem {
	if !has(s.body, "max_tokens") || !isReasoning(s.model) {
		return nil
	}
	return openaiProblemAt("max_tokens", "unsupported_parameter",
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use "+
			"'max_completion_tokens' instead.")
}

func openaiTemperature(s *sent) *Problem {
	value, text, ok := float(s.body, "temperature")
	if !ok || !onlyDefault.MatchString(s.model) {
		return nil
	}
	if strings.HasPrefix(s.model, "o3-mini") {
		return openaiProblemAt("temperature", "unsupported_parameter",
			"Unsupported parameter: 'temperature' is not supported with this model.")
	}
	if value == 1 {
		return nil
	}
	return openaiProblemAt("temperature", "unsupported_value",
		"Unsupported value: 'temperature' does not support %s with this model. Only the default "+
			"(1) value is supported.", text)
}

var openaiChatLimits = []limit{
	{"temperature", 0, 2, false},
	{"top_p", 0, 1, false},
	{"presence_penalty", -2, 2, false},
	{"frequency_penalty", -2, 2, false},
	{"n", 1, 128, true},
	{"max_tokens", 1, unbounded, true},
	{"max_completion_tokens", 1, unbounded, true},
	{"top_logprobs", 0, 20, true},
}

// openaiRange refuses numbers that are out of range.
func openaiRange(limits []limit) func(*sent) *Problem {
	return func(s *sent) *Problem {
		l, above, text := exceeded(s.body, limits)
		if l.name == "" {
			return nil
		}
		kind := "decimal"
		if l.whole {
			kind = "integer"
		}
		if above {
			return openaiProblemAt(l.name, kind+"_above_max_value",
				"Invalid '%s': %s above maximum value. Expected a value <= %v, but got %s instead.",
				l.name, kind, l.max, text)
		}
		return openaiProblemAt(l.name, kind+"_below_min_value",
			"Invalid '%s': %s below minimum value. Expected a value >= %v, but got %s instead.",
			l.name, kind, l.min, text)
	}
}

// openaiTooMany refuses a list that is longer than its maximum.
func openaiTooMany(name string, most int) func(*sent) *Problem {
	return func(s *sent) *Problem {
		n := len(s.body.list(name))
		if n <= most {
			return nil
		}
		return openaiProblemAt(name, "array_above_max_length", "Invalid '%s': array too long. "+
			"Expected an array with maximum length %d, but got an array with length %d instead.",
			name, most, n)
	}
}

// isEmptyList reports whether a member is a list without elements.
func isEmptyList(o object, name string) bool {
	list, ok := o.get(name).([]any)
	return ok && len(list) == 0
}

func openaiEmptyList(where string) *Problem {
	return openaiProblemAt(where, "empty_array", "Invalid '%s': empty array. Expected an array "+
		"with minimum length 1, but got an empty array instead.", where)
}

func openaiNoTools(s *sent) *Problem {
	if !isEmptyList(s.body, "tools") {
		return nil
	}
	return openaiEmptyList("tools")
}

func openaiNoCalls(s *sent) *Problem {
	for i, m := range s.list("messages") {
		if isEmptyList(m, "tool_calls") {
			return openaiEmptyList(fmt.Sprintf("messages[%d].tool_calls", i))
		}
	}
	return nil
}

// openaiStopWithO1 refuses stop sequences for the one model that is known to
// refuse them: o3-mini takes them, though the docs say that it does not.
func openaiStopWithO1(s *sent) *Problem {
	if !has(s.body, "stop") || !strings.HasPrefix(s.model, "o1-mini") {
		return nil
	}
	return openaiProblemAt("stop", "unsupported_parameter",
		"Unsupported parameter: 'stop' is not supported with this model.")
}

func openaiStreamOptions(s *sent) *Problem {
	if !has(s.body, "stream_options") || s.body.flag("stream") {
		return nil
	}
	return openaiProblemAt("stream_options", "",
		"The 'stream_options' parameter is only allowed when 'stream' is enabled.")
}

// saysJSON reports whether a value has the word JSON in it.
func saysJSON(v any) bool {
	return strings.Contains(strings.ToLower(string(encode(v))), "json")
}

func openaiChatJSON(s *sent) *Problem {
	wants := s.body.sub("response_format").text("type") == "json_object"
	if !wants || saysJSON(s.body.list("messages")) {
		return nil
	}
	return openaiProblemAt("messages", "", "'messages' must contain the word 'json' in some "+
		"form, to use 'response_format' of type 'json_object'.")
}

// An openaiTool is a function that is offered, and its place in the request.
type openaiTool struct {
	spec object
	name string // of the field with the name
	args string // of the field with the schema
}

// openaiChatTools checks each function of a chat.
func openaiChatTools(check func(openaiTool) *Problem) func(*sent) *Problem {
	return func(s *sent) *Problem {
		for i, t := range s.list("tools") {
			where := fmt.Sprintf("tools[%d].function", i)
			p := check(openaiTool{t.sub("function"), where + ".name", where + ".parameters"})
			if p != nil {
				return p
			}
		}
		return nil
	}
}

// openaiNames matches the names of tools. Some models take dots, too.
var openaiNames = regexp.MustCompile(`^[a-zA-Z0-9_.-]+$`)

func openaiToolName(t openaiTool) *Problem {
	name := t.spec.text("name")
	if len(name) > 64 {
		return openaiProblemAt(t.name, "string_above_max_length",
			"Invalid '%s': string too long. Expected a string with maximum length 64, but got a "+
				"string with length %d instead.", t.name, len(name))
	}
	if name == "" || openaiNames.MatchString(name) {
		return nil
	}
	return openaiProblemAt(t.name, "invalid_value", "Invalid '%s': string does not match "+
		"pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", t.name)
}

func openaiToolSchema(t openaiTool) *Problem {
	kind, ok := t.spec.sub("parameters").get("type").(string)
	if !ok || kind == "object" {
		return nil
	}
	return openaiProblemAt(t.args, "invalid_function_parameters",
		"Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', "+
			"got 'type: \"%s\"'.", t.spec.text("name"), kind)
}

func openaiStrictTool(t openaiTool) *Problem {
	if !t.spec.flag("strict") {
		return nil
	}
	fault := strictFault(t.spec.sub("parameters"), nil)
	if fault == "" {
		return nil
	}
	return openaiProblemAt(t.args, "invalid_function_parameters", "Invalid schema for function "+
		"'%s': %s",
		t.spec.text("name"), fault)
}

func openaiChatFormat(s *sent) *Problem {
	f := s.body.sub("response_format").sub("json_schema")
	if !f.flag("strict") {
		return nil
	}
	fault := strictFault(f.sub("schema"), nil)
	if fault == "" {
		return nil
	}
	return openaiProblemAt("response_format", "", "Invalid schema for response_format '%s': %s",
		f.text("name"), fault)
}

func openaiChoiceWithoutTools(s *sent) *Problem {
	if !has(s.body, "tool_choice") || has(s.body, "tools") {
		return nil
	}
	return openaiProblemAt("tool_choice", "",
		"Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "+
			"specified.")
}

func openaiParallelWithoutTools(s *sent) *Problem {
	if !has(s.body, "parallel_tool_calls") || has(s.body, "tools") {
		return nil
	}
	return openaiProblemAt("parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': "+
		"'parallel_tool_calls' is only allowed when 'tools' are specified.")
}

func openaiChoiceNotOffered(s *sent) *Problem {
	name := s.body.sub("tool_choice").sub("function").text("name")
	for _, t := range s.list("tools") {
		if t.sub("function").text("name") == name {
			return nil
		}
	}
	if name == "" {
		return nil
	}
	return openaiProblemAt("tool_choice", "", "Invalid value for 'tool_choice': no function "+
		"named %s were specified in the 'tools' parameter.", name)
}

func openaiChatImages(s *sent) *Problem {
	for i, m := range s.list("messages") {
		for k, part := range elements(m.list("content")) {
			url := part.sub("image_url").text("url")
			where := fmt.Sprintf("messages[%d].content[%d].image_url.url", i, k)
			if p := openaiImage(url, where); p != nil {
				return p
			}
		}
	}
	return nil
}

// imageURLs matches the beginnings of URLs that an image may have.
var imageURLs = regexp.MustCompile(`^(?i)(https?://|data:)`)

func openaiImage(url, where string) *Problem {
	if url == "" || imageURLs.MatchString(url) {
		return nil
	}
	return openaiProblemAt(where, "invalid_value", "Invalid image URL: '%s'. Expected a "+
		"base64-encoded data URL with an image MIME type (e.g. "+
		"'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without the 'data:' "+
		"prefix.", where)
}

func openaiEmptyInput(s *sent) *Problem {
	if !slices.Contains(s.body.list("input"), any("")) {
		return nil
	}
	return problem("invalid_request_error", "'$.input' is invalid. Please check the API "+
		"reference: https://platform.openai.com/docs/api-reference.")
}

func openaiDimensions(s *sent) *Problem {
	if s.model != "text-embedding-ada-002" || !has(s.body, "dimensions") {
		return nil
	}
	return problem("invalid_request_error", "This model does not support specifying dimensions.")
}
