package conversation

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Claude is the kind of a session with Claude Code.
const Claude = "claude"

// claudeProtocol is what Claude Code speaks with --input-format stream-json and --output-format
// stream-json (docs.claude.com/en/docs/claude-code/sdk).
var claudeProtocol = protocol{
	name:  Claude,
	peer:  "agent",
	isOwn: isClaude,
	parse: parseClaude,
	rows: []row{
		{"system", "init", readClaudeInit},
		{"user", "", readClaudeUser},
		{"assistant", "", readClaudeAssistant},
		{"stream_event", "content_block_delta", readClaudeDelta},
		{"result", "", readClaudeResult},
		{"control_request", "can_use_tool", readClaudePermissionRequest},
	},
	answers: []row{
		{"control_request", "can_use_tool", readClaudePermission},
	},
}

// isClaude reports whether a message is one of Claude Code. Other programs have types such as
// "result", too, but not these members with them.
func isClaude(v *exactjson.Value) bool {
	switch textOf(v, "type") {
	case "control_request", "control_response":
		return member(v, "request", "response") != nil
	case "system", "assistant", "result":
		return v.Member("session_id") != nil
	}
	return false
}

// claudeLinks are the members of a message that link it with others.
var claudeLinks = []string{
	"type", "subtype", "session_id", "uuid", "request_id", "parent_tool_use_id",
}

// parseClaude returns what a message of Claude Code is. The kind is the type with the subtype, if
// there is one.
func parseClaude(r *reader, v *exactjson.Value) parsed {
	p := parsed{content: v}
	p.kind = kind{textOf(v, "type"), textAt(v, "subtype", "request/subtype", "event/type")}
	p.title = p.kind.String()
	if textOf(v, "parent_tool_use_id") != "" {
		p.title += " of a subagent"
	}
	p.parts = jsonPart(without(v, claudeLinks...))
	switch textOf(v, "type") {
	case "control_request":
		p.requestID = textOf(v, "request_id")
		p.content = v.Member("request")
		p.parts = jsonPart(without(p.content, "subtype"))
	case "control_response":
		response := v.Member("response")
		p.content = response.Member("response")
		p.parts = jsonPart(without(response, "subtype", "request_id"))
		p.failed = textOf(response, "subtype") == "error"
		p.setAnswered(r.requestFor(textOf(response, "request_id")))
	}
	if p.parts == nil {
		p.parts = []Part{}
	}
	return p
}

// readClaudeInit reads the first message of a turn, which has the ID of the session, the model and
// the tools. A prompt in the arguments of the command has no message, so the turn begins here.
func readClaudeInit(r *reader, v *exactjson.Value) []Part {
	r.begin()
	r.noteID(textOf(v, "session_id"))
	r.session.Model = textOf(v, "model")
	return jsonPart(without(v, claudeLinks...))
}

// readClaudeUser reads a prompt of the client, or results of tools that the agent reports.
func readClaudeUser(r *reader, v *exactjson.Value) []Part {
	if r.message.Sent {
		r.begin()
	}
	parts := content(at(v, "message/content"))
	for i := range parts {
		p := &parts[i]
		if p.Kind == Result {
			r.setOutcome(p.ID, outcomeOf(p.Bad))
			p.Name = r.toolTitle(p.ID)
		}
	}
	return parts
}

// readClaudeAssistant reads texts, reasoning and uses of tools.
func readClaudeAssistant(r *reader, v *exactjson.Value) []Part {
	parts := content(at(v, "message/content"))
	for i := range parts {
		p := &parts[i]
		if p.Kind == Call {
			r.use(p.ID, p.Name, p.Args)
		}
	}
	for _, block := range elems(at(v, "message/content")) {
		if text := textOf(&block, "text"); text != "" {
			r.lastText = text
		}
	}
	return parts
}

// readClaudeDelta reads a piece of a text, of reasoning, or of the arguments of a tool.
func readClaudeDelta(_ *reader, v *exactjson.Value) []Part {
	delta := at(v, "event/delta")
	if thinking := textOf(delta, "thinking"); thinking != "" {
		return textParts(Reasoning, thinking)
	}
	return textParts(Text, textOf(delta, "text", "partial_json"))
}

// claudeTotals are the members of a result that say what a turn has cost.
var claudeTotals = []string{"num_turns", "total_cost_usd", "usage", "permission_denials", "errors"}

// readClaudeResult reads the end of a turn: the text, if it is not that of the last message, and
// what the turn has cost.
func readClaudeResult(r *reader, v *exactjson.Value) []Part {
	failed := compact(v.Member("is_error")) == "true"
	r.noteID(textOf(v, "session_id"))
	r.end(textOf(v, "subtype"), failed)
	if cost := v.Member("total_cost_usd"); cost != nil {
		r.session.CostUSD = compact(cost)
	}

	var parts []Part
	text := textOf(v, "result")
	if text != r.lastText {
		parts = textParts(Text, text)
	}
	totals := *v
	totals.Elems = slices.DeleteFunc(slices.Clone(v.Elems), func(m exactjson.Value) bool {
		return !slices.Contains(claudeTotals, m.Name)
	})
	return append(parts, jsonPart(&totals)...)
}

// readClaudePermissionRequest reads that the agent asks whether it may use a tool.
func readClaudePermissionRequest(_ *reader, v *exactjson.Value) []Part {
	call := textOf(v, "tool_name") + "(" + compact(v.Member("input")) + ")"
	return textParts(Text, "asks for: "+call)
}

// readClaudePermission reads whether the client permits the use of a tool, and with which
// arguments, if it has changed them.
func readClaudePermission(r *reader, v *exactjson.Value) []Part {
	asked := r.answered.parsed.content
	behavior := textOf(v, "behavior")
	if behavior == "deny" {
		r.setOutcome(textOf(asked, "tool_use_id"), Denied)
	}
	text := behavior
	if message := textOf(v, "message"); message != "" {
		text += ": " + message
	}
	rest := without(v, "behavior", "message", "toolUseID")
	isUnchanged := compact(v.Member("updatedInput")) == compact(asked.Member("input"))
	if isUnchanged {
		rest = without(rest, "updatedInput")
	}
	return append(textParts(Text, text), jsonPart(rest)...)
}
