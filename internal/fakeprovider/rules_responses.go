package fakeprovider

import (
	"fmt"
	"strings"
)

var openaiResponsesRules = []rule{
	{"argument of chat completions", "https://github.com/cline/cline/issues/5419", responsesMoved},
	{"unknown argument", openaiResponsesDocs, responsesUnknown},
	{"tool result without a call", "https://github.com/microsoft/vscode/issues/320060",
		responsesResultWithoutCall},
	{"tool call without a result", "https://github.com/symgraph/GhidrAssist/issues/78",
		responsesCallWithoutResult},
	{"number out of range", "https://github.com/earendil-works/pi/issues/6265",
		openaiRange(responsesLimits)},
	{"json_object without the word JSON", openaiResponsesDocs, responsesJSON},
	{"tool name", openaiResponsesDocs, responsesTools(openaiToolName)},
	{"tool schema is not an object", "https://github.com/ComposioHQ/composio/issues/1829",
		responsesTools(openaiToolSchema)},
	{"strict tool schema", "https://github.com/lastmile-ai/openai-agents-mcp/issues/2",
		responsesTools(openaiStrictTool)},
	{"strict response schema", openaiResponsesDocs, responsesFormat},
	{"image URL", "https://github.com/anomalyco/opencode/issues/23983", responsesImages},
}

// moved are arguments of chat completions, and what the Responses API has.
var moved = []struct{ from, to string }{
	{"messages", "input"},
	{"response_format", "text.format"},
	{"max_tokens", "max_output_tokens"},
	{"max_completion_tokens", "max_output_tokens"},
	{"reasoning_effort", "reasoning.effort"},
}

func responsesMoved(s *sent) *Problem {
	for _, m := range moved {
		if has(s.body, m.from) {
			return openaiProblemAt("", "unsupported_parameter", "Unsupported parameter: '%s'. "+
				"In the Responses API, this parameter has moved to '%s'. "+
				"Try again with the new parameter. "+
				"See the API documentation for more information: "+openaiResponsesDocs+".",
				m.from, m.to)
		}
	}
	return nil
}

func responsesUnknown(s *sent) *Problem {
	names := unknown(s.body, openaiResponsesMembers)
	if names == nil {
		return nil
	}
	return openaiProblemAt(names[0], "unknown_parameter", "Unknown parameter: '%s'.", names[0])
}

var responsesLimits = []limit{
	{"temperature", 0, 2, false},
	{"top_p", 0, 1, false},
	{"max_output_tokens", 16, unbounded, true},
	{"top_logprobs", 0, 20, true},
}

// isComplete reports whether the input has all items of the conversation. With a
// previous response, a conversation or a reference, the provider has others.
func isComplete(s *sent) bool {
	for _, item := range s.list("input") {
		if item.text("type") == "item_reference" || item.text("type") == "compaction" {
			return false
		}
	}
	stored := has(s.body, "previous_response_id") || has(s.body, "conversation")
	return !stored && !has(s.body, "prompt")
}

// responsesIDs returns the call IDs of the items of an input: those of function
// calls, of calls of any kind, and of outputs of any kind. The output of a tool
// search may be that of a function.
func responsesIDs(s *sent) (functions, calls, outputs []string) {
	for _, item := range s.list("input") {
		id, kind := item.text("call_id"), item.text("type")
		switch {
		case id == "":
		case strings.HasSuffix(kind, "_output"):
			outputs = append(outputs, id)
		case kind == "function_call":
			functions = append(functions, id)
			calls = append(calls, id)
		default:
			calls = append(calls, id)
		}
	}
	return functions, calls, outputs
}

func responsesResultWithoutCall(s *sent) *Problem {
	_, calls, outputs := responsesIDs(s)
	left := without(outputs, calls)
	if left == nil || !isComplete(s) {
		return nil
	}
	return openaiProblemAt("input", "",
		"No tool call found for function call output with call_id %s.", left[0])
}

func responsesCallWithoutResult(s *sent) *Problem {
	functions, _, outputs := responsesIDs(s)
	left := without(functions, outputs)
	if left == nil || !isComplete(s) {
		return nil
	}
	return openaiProblemAt("input", "", "No tool output found for function call %s.", left[0])
}

func responsesJSON(s *sent) *Problem {
	wants := s.body.sub("text").sub("format").text("type") == "json_object"
	says := saysJSON(s.body.get("input")) || saysJSON(s.body.get("instructions"))
	if !wants || says || !isComplete(s) {
		return nil
	}
	return openaiProblemAt("input", "", "Response input messages must contain the word 'json' in "+
		"some form to use 'text.format' of type 'json_object'.")
}

// responsesTools checks each function of a request.
func responsesTools(check func(openaiTool) *Problem) func(*sent) *Problem {
	return func(s *sent) *Problem {
		for i, t := range s.list("tools") {
			if t.text("type") != "function" {
				continue
			}
			where := fmt.Sprintf("tools[%d]", i)
			if p := check(openaiTool{t, where + ".name", where + ".parameters"}); p != nil {
				return p
			}
		}
		return nil
	}
}

func responsesFormat(s *sent) *Problem {
	f := s.body.sub("text").sub("format")
	if !f.flag("strict") {
		return nil
	}
	fault := strictFault(f.sub("schema"), nil)
	if fault == "" {
		return nil
	}
	return openaiProblemAt("text.format.schema", "invalid_json_schema",
		"Invalid schema for response_format '%s': %s", f.text("name"), fault)
}

func responsesImages(s *sent) *Problem {
	for i, item := range s.list("input") {
		for k, part := range elements(item.list("content")) {
			where := fmt.Sprintf("input[%d].content[%d].image_url", i, k)
			if p := openaiImage(part.text("image_url"), where); p != nil {
				return p
			}
		}
	}
	return nil
}
