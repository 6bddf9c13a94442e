package fakeprovider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The rules of Anthropic apply where its servers and Bedrock answer, and on
// loopback where the model is a Claude. Other servers with /v1/messages
// (gateways, local ones) take more, so they have none of these rules.

const (
	anthropicDocs     = "https://platform.claude.com/docs/en/api/messages/create"
	anthropicThinking = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)

// isAnthropic reports whether Anthropic's own servers are to answer.
func isAnthropic(s *sent) bool {
	return s.isAt("anthropic.com") || s.isLoopback() && strings.HasPrefix(s.model, "claude-")
}

// isClaudeOnBedrock reports whether Bedrock is to answer with a Claude.
func isClaudeOnBedrock(s *sent) bool {
	return isBedrock(s) && strings.Contains(s.model, "anthropic.claude")
}

// anthropicRules are the rules of Messages, of which the body has these members.
func anthropicRules(members []string) []rule {
	return []rule{
		{"unknown member", "https://github.com/amrit110/oli/issues/7", anthropicUnknown(members)},
		{"unknown role", anthropicDocs, anthropicRoles},
		{"system message at the beginning", "https://github.com/ianarawjo/ChainForge/issues/271",
			anthropicSystem},
		{"message without content", "https://github.com/anthropics/claude-code/issues/6774",
			anthropicContent},
		{"empty text block", "https://github.com/anthropics/claude-code/issues/59812",
			anthropicEmptyText},
		{"assistant message ends in a blank",
			"https://github.com/langchain-ai/langchain/issues/35071",
			anthropicTrailing},
		{"tool call without a result", "https://github.com/anthropics/claude-code/issues/8210",
			anthropicCallWithoutResult},
		{"tool result without a call", "https://github.com/anthropics/claude-code/issues/18947",
			anthropicResultWithoutCall},
		{"number out of range", "https://github.com/anthropics/anthropic-sdk-python/issues/893",
			anthropicRange},
		{"max_tokens below 1", anthropicDocs, anthropicMaxTokens},
		{"tool name", "https://github.com/home-assistant/core/issues/147760", anthropicToolName},
		{"tool schema is not an object", "https://github.com/lidge-jun/opencodex/issues/75",
			anthropicToolSchema},
		{"two tools of one name", "https://github.com/eclipse-theia/theia/issues/16122",
			anthropicToolTwice},
		{"tool_choice without tools", anthropicDocs, anthropicChoiceWithoutTools},
		{"tool_choice of a tool that is not offered", anthropicDocs, anthropicChoiceNotOffered},
		{"thinking budget too small", "https://github.com/themaximalist/llm.js/issues/30",
			anthropicBudget},
		{"thinking budget above max_tokens", anthropicThinking, anthropicBudgetAbove},
		{"temperature with thinking", "https://github.com/MartialBE/one-hub/issues/529",
			anthropicTemperature},
		{"forced tool with thinking", "https://github.com/mastra-ai/mastra/issues/7507",
			anthropicForced},
		{"type of an image", anthropicDocs, anthropicImages},
	}
}

func anthropicProblemf(format string, args ...any) *Problem {
	return problem("invalid_request_error", format, args...)
}

func anthropicUnknown(members []string) func(*sent) *Problem {
	return func(s *sent) *Problem {
		if names := unknown(s.body, members); names != nil {
			return anthropicProblemf("%s: Extra inputs are not permitted", names[0])
		}
		for i, m := range s.list("messages") {
			if names := unknown(m, anthropicMessageMembers); names != nil {
				return anthropicProblemf("messages.%d.%s: Extra inputs are not "+
					"permitted", i, names[0])
			}
		}
		return nil
	}
}

func anthropicRoles(s *sent) *Problem {
	roles := words("user assistant system")
	for _, m := range s.list("messages") {
		role, ok := m.get("role").(string)
		if ok && !slices.Contains(roles, role) {
			return anthropicProblemf(`messages: Unexpected role "%s". Allowed roles are "user" `+
				`or "assistant"`,
				role)
		}
	}
	return nil
}

// anthropicSystem refuses a system message before all others. Later ones are
// mid-conversation system messages, which some models take.
func anthropicSystem(s *sent) *Problem {
	messages := s.list("messages")
	if len(messages) == 0 || messages[0].text("role") != "system" {
		return nil
	}
	return anthropicProblemf("messages: Unexpected role \"system\". The Messages API accepts a " +
		"top-level `system` parameter, not \"system\" as an input message role.")
}

func anthropicContent(s *sent) *Problem {
	messages := s.list("messages")
	for i, m := range messages {
		list, isList := m.get("content").([]any)
		empty := m.get("content") == "" || isList && len(list) == 0
		optional := i == len(messages)-1 && m.text("role") == "assistant"
		if empty && !optional {
			return anthropicProblemf("messages.%d: all messages must have non-empty content "+
				"except for the optional final assistant message", i)
		}
	}
	return nil
}

func anthropicEmptyText(s *sent) *Problem {
	for _, m := range s.list("messages") {
		for _, b := range elements(m.list("content")) {
			if b.text("type") == "text" && b.get("text") == "" {
				return anthropicProblemf("messages: text content blocks must be non-empty")
			}
		}
	}
	return nil
}

// anthropicTrailing checks the text that the model is to continue.
func anthropicTrailing(s *sent) *Problem {
	messages := s.list("messages")
	if len(messages) == 0 {
		return nil
	}
	last := messages[len(messages)-1]
	text := last.text("content")
	if blocks := elements(last.list("content")); len(blocks) > 0 {
		text = blocks[len(blocks)-1].text("text")
	}
	trimmed := strings.TrimRight(text, " \t\r\n")
	if last.text("role") != "assistant" || text == trimmed {
		return nil
	}
	return anthropicProblemf("messages: final assistant content cannot end with trailing " +
		"whitespace")
}

// An anthropicTurn is messages of one role that follow each other, which the
// provider joins.
type anthropicTurn struct {
	role    string
	last    int // index of the last message
	calls   []string
	results []string
	places  []string // of the results, such as "messages.2.content.0"
}

// anthropicTurns returns the turns of a request, without system messages.
func anthropicTurns(s *sent) []anthropicTurn {
	var turns []anthropicTurn
	for i, m := range s.list("messages") {
		role := m.text("role")
		if role == "system" {
			continue
		}
		if len(turns) == 0 || turns[len(turns)-1].role != role {
			turns = append(turns, anthropicTurn{role: role})
		}
		t := &turns[len(turns)-1]
		t.last = i
		for k, b := range elements(m.list("content")) {
			switch b.text("type") {
			case "tool_use":
				t.calls = append(t.calls, b.text("id"))
			case "tool_result":
				t.results = append(t.results, b.text("tool_use_id"))
				t.places = append(t.places, fmt.Sprintf("messages.%d.content.%d", i, k))
			}
		}
	}
	return turns
}

func anthropicCallWithoutResult(s *sent) *Problem {
	turns := anthropicTurns(s)
	for i, t := range turns {
		var results []string
		if i+1 < len(turns) {
			results = turns[i+1].results
		}
		if left := without(t.calls, results); left != nil {
			return anthropicProblemf("messages.%d: `tool_use` ids were found without "+
				"`tool_result` blocks immediately after: %s. Each `tool_use` block must have a "+
				"corresponding `tool_result` block in the next "+
				"message.", t.last, strings.Join(left, ", "))
		}
	}
	return nil
}

func anthropicResultWithoutCall(s *sent) *Problem {
	var calls []string
	for _, t := range anthropicTurns(s) {
		if left := without(t.results, calls); left != nil {
			return anthropicProblemf("%s: unexpected `tool_use_id` found in `tool_result` "+
				"blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block "+
				"in the previous message.",
				t.places[slices.Index(t.results, left[0])], left[0])
		}
		calls = t.calls
	}
	return nil
}

func anthropicRange(s *sent) *Problem {
	l, _, _ := exceeded(s.body, []limit{{"temperature", 0, 1, false}, {"top_p", 0, 1, false}})
	if l.name == "" {
		return nil
	}
	return anthropicProblemf("%s: range: 0..1", l.name)
}

// anthropicMaxTokens refuses negative limits. Zero warms a cache.
func anthropicMaxTokens(s *sent) *Problem {
	value, _, ok := float(s.body, "max_tokens")
	if !ok || value >= 0 {
		return nil
	}
	return anthropicProblemf("max_tokens: must be greater than or equal to 1")
}

// anthropicTools returns the tools that the client runs, and the places of them
// in the request. Tools of the provider have a type, and names of their own.
func anthropicTools(s *sent) (tools []object, places []int) {
	for i, t := range s.list("tools") {
		if kind := t.text("type"); kind == "" || kind == "custom" {
			tools = append(tools, t)
			places = append(places, i)
		}
	}
	return tools, places
}

var anthropicNames = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func anthropicToolName(s *sent) *Problem {
	tools, places := anthropicTools(s)
	for i, t := range tools {
		name := t.text("name")
		if len(name) > 128 {
			return anthropicProblemf("tools.%d.custom.name: String should have at most 128 "+
				"characters",
				places[i])
		}
		if name != "" && !anthropicNames.MatchString(name) {
			return anthropicProblemf("tools.%d.custom.name: String should match pattern "+
				"'^[a-zA-Z0-9_-]{1,128}$'", places[i])
		}
	}
	return nil
}

func anthropicToolSchema(s *sent) *Problem {
	tools, places := anthropicTools(s)
	for i, t := range tools {
		where := fmt.Sprintf("tools.%d.custom.input_schema", places[i])
		schema, ok := t.get("input_schema").(object)
		if !ok {
			return anthropicProblemf("%s: Field required", where)
		}
		kind := schema.get("type")
		if kind == nil {
			return anthropicProblemf("%s.type: Field required", where)
		}
		if kind != "object" {
			return anthropicProblemf("%s.type: Input should be 'object'", where)
		}
	}
	return nil
}

// anthropicToolNames returns the names of all tools, with those of the provider.
func anthropicToolNames(s *sent) []string {
	var names []string
	for _, t := range s.list("tools") {
		if name := t.text("name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func anthropicToolTwice(s *sent) *Problem {
	if duplicate(anthropicToolNames(s)) == "" {
		return nil
	}
	return anthropicProblemf("tools: Tool names must be unique.")
}

// forcesTool reports whether the model is to call a tool.
func forcesTool(s *sent) bool {
	kind := s.body.sub("tool_choice").text("type")
	return kind == "any" || kind == "tool"
}

func anthropicChoiceWithoutTools(s *sent) *Problem {
	provided := has(s.body, "tools") || has(s.body, "mcp_servers")
	if !forcesTool(s) || provided {
		return nil
	}
	return anthropicProblemf("tool_choice: `tool_choice` may only be specified while providing " +
		"`tools`.")
}

func anthropicChoiceNotOffered(s *sent) *Problem {
	choice := s.body.sub("tool_choice")
	name := choice.text("name")
	offered := slices.Contains(anthropicToolNames(s), name) || has(s.body, "mcp_servers")
	if choice.text("type") != "tool" || offered {
		return nil
	}
	return anthropicProblemf("tool_choice: Tool '%s' not found in provided tools", name)
}

// thinkingBudget returns the budget of a request that has thinking enabled.
func thinkingBudget(s *sent) (budget float64, ok bool) {
	thinking := s.body.sub("thinking")
	budget, _, ok = float(thinking, "budget_tokens")
	return budget, ok && thinking.text("type") == "enabled"
}

func anthropicBudget(s *sent) *Problem {
	budget, ok := thinkingBudget(s)
	if !ok || budget >= 1024 {
		return nil
	}
	return anthropicProblemf("thinking.enabled.budget_tokens: Input should be greater than or " +
		"equal to 1024")
}

// anthropicBudgetAbove compares the budget with the limit of tokens. Interleaved
// thinking may use more than one answer has.
func anthropicBudgetAbove(s *sent) *Problem {
	budget, ok := thinkingBudget(s)
	limit, _, hasLimit := float(s.body, "max_tokens")
	interleaved := strings.Contains(strings.Join(s.header["Anthropic-Beta"], ","), "interleaved") ||
		strings.Contains(string(encode(s.body.get("anthropic_beta"))), "interleaved")
	if !ok || !hasLimit || interleaved {
		return nil
	}
	if budget < limit {
		return nil
	}
	return anthropicProblemf("`max_tokens` must be greater than `thinking.budget_tokens`. Please " +
		"consult our documentation at " + anthropicThinking + "#max-tokens-and-context-window-size")
}

func anthropicTemperature(s *sent) *Problem {
	value, _, ok := float(s.body, "temperature")
	if !ok || value == 1 || s.body.sub("thinking").text("type") != "enabled" {
		return nil
	}
	return anthropicProblemf("`temperature` may only be set to 1 when thinking is enabled. " +
		"Please consult our documentation at " + anthropicThinking +
		"#important-considerations-when-using-extended-thinking")
}

func anthropicForced(s *sent) *Problem {
	if !forcesTool(s) || s.body.sub("thinking").text("type") != "enabled" {
		return nil
	}
	return anthropicProblemf("Thinking may not be enabled when tool_choice forces tool use.")
}

func anthropicImages(s *sent) *Problem {
	types := words("image/jpeg image/png image/gif image/webp")
	for i, m := range s.list("messages") {
		for k, b := range elements(m.list("content")) {
			source := b.sub("source")
			isImage := b.text("type") == "image" && source.text("type") == "base64"
			if isImage && !slices.Contains(types, source.text("media_type")) {
				return anthropicProblemf("messages.%d.content.%d.image.source.base64.media_type: "+
					"Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", i, k)
			}
		}
	}
	return nil
}
