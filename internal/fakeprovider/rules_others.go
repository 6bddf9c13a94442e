package fakeprovider

import (
	"encoding/json"
	"net/http"
	"slices"
)

// The rules of DeepSeek apply at its host: its models have the same names on other
// servers. Those of Cohere apply at its host and on loopback. Those of Mistral and
// Ollama apply everywhere: only their own servers have these endpoints.

func isDeepSeek(s *sent) bool { return s.isAt("deepseek.com") }
func isCohere(s *sent) bool   { return s.isAt("cohere.com", "cohere.ai") || s.isLoopback() }
func anywhere(*sent) bool     { return true }

const (
	cohereDocs   = "https://docs.cohere.com/v2/reference/chat"
	ollamaSource = "https://github.com/ollama/ollama/blob/v0.17.4/api/types.go"
)

var mistralRules = []rule{
	{"unknown member", "https://github.com/partITech/php-mistral/issues/76", mistralUnknown},
	{"last message is the assistant's", "https://github.com/NEKOparapa/AiNiee/issues/641",
		mistralLast},
	{"tool calls and results differ in number", "https://github.com/camel-ai/camel/issues/1467",
		mistralPairs},
}

var deepSeekRules = []rule{
	{"tool result without a call", "https://github.com/FoundationAgents/OpenManus/issues/744",
		deepSeekResultWithoutCall},
	{"tool call without a result", "https://github.com/langgenius/dify/issues/32222",
		deepSeekCallWithoutResult},
}

var cohereRules = []rule{
	{"unknown field", cohereDocs, cohereUnknown},
	{"temperature out of range", cohereDocs, cohereTemperature},
}

var ollamaRules = []rule{
	{"think value", ollamaSource, ollamaThink},
	{"type of an option", ollamaSource, ollamaOptionTypes},
}

func mistralUnknown(s *sent) *Problem {
	names := unknown(s.body, mistralMembers)
	if names == nil {
		return nil
	}
	p := problem("invalid_request_error", `[{"type":"extra_forbidden","loc":["body",%q],`+
		`"msg":"Extra inputs are not permitted"}]`, names[0])
	p.Status, p.Code = http.StatusUnprocessableEntity, "3001"
	return p
}

func mistralLast(s *sent) *Problem {
	messages := s.list("messages")
	last := messages[len(messages)-1]
	if last.text("role") != "assistant" || last.flag("prefix") {
		return nil
	}
	return problem("invalid_request_error", "Expected last role User or Tool (or Assistant with "+
		"prefix True) for serving but got assistant")
}

func mistralPairs(s *sent) *Problem {
	_, ids := unanswered(s.list("messages"))
	if ids == nil {
		return nil
	}
	return problem("invalid_request_error", "Not the same number of function calls and responses")
}

func deepSeekResultWithoutCall(s *sent) *Problem {
	if orphanResult(s.list("messages")) < 0 {
		return nil
	}
	return openaiProblemAt("", "invalid_request_error",
		"Messages with role 'tool' must be a response to a preceding message with 'tool_calls'")
}

func deepSeekCallWithoutResult(s *sent) *Problem {
	_, ids := unanswered(s.list("messages"))
	if ids == nil {
		return nil
	}
	return openaiProblemAt("", "invalid_request_error", "An assistant message with 'tool_calls' "+
		"must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool "+
		"messages following tool_calls message)")
}

func cohereUnknown(s *sent) *Problem {
	names := unknown(s.body, cohereMembers)
	if names == nil {
		return nil
	}
	return problem("", "unknown field: parameter '%s' is not a valid field", names[0])
}

func cohereTemperature(s *sent) *Problem {
	l, _, _ := exceeded(s.body, []limit{{"temperature", 0, 1, false}})
	if l.name == "" {
		return nil
	}
	return problem("", "invalid request: temperature must be between 0 and 1.0 inclusive.")
}

func ollamaThink(s *sent) *Problem {
	think, ok := s.body.get("think").(string)
	if !ok || slices.Contains(words("high medium low"), think) {
		return nil
	}
	return problem("", `invalid think value: %q (must be "high", "medium", "low", true, or `+
		`false)`, think)
}

// ollamaTypes are the types of Ollama's options, as its messages name them.
var ollamaTypes = []struct {
	kind  string
	names []string
}{
	{"integer", words("num_keep seed num_predict top_k repeat_last_n num_ctx num_batch num_gpu " +
		"main_gpu num_thread")},
	{"float32", words("top_p min_p typical_p temperature repeat_penalty presence_penalty " +
		"frequency_penalty")},
	{"boolean", words("use_mmap")},
	{"array", words("stop")},
}

func ollamaOptionTypes(s *sent) *Problem {
	for _, option := range s.body.sub("options") {
		for _, t := range ollamaTypes {
			if !slices.Contains(t.names, option.name) || isOfType(option.value, t.kind) {
				continue
			}
			p := problem("", "option %q must be of type %s", option.name, t.kind)
			p.Status = http.StatusInternalServerError
			return p
		}
	}
	return nil
}

// isOfType reports whether a value has one of Ollama's types. Null has each.
func isOfType(v any, kind string) bool {
	switch v.(type) {
	case nil:
		return true
	case json.Number:
		return kind == "integer" || kind == "float32"
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	}
	return false
}
