package conversation

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// ACP is the kind of a session with an agent that speaks the Agent Client Protocol.
const ACP = "acp"

// acpProtocol is the Agent Client Protocol (agentclientprotocol.com/protocol/schema).
var acpProtocol = protocol{
	name:  ACP,
	peer:  "agent",
	isOwn: isOwnMethod("session/"),
	parse: (&rpcPaths{
		details:       []string{"params/update/sessionUpdate"},
		conversations: []string{"params/sessionId", "result/sessionId"},
	}).parse,
	rows: []row{
		{"session/load", "", readSessionID},
		{"session/resume", "", readSessionID},
		{"session/prompt", "", readPrompt},

		{"session/update", "user_message_chunk", readChunk(Text)},
		{"session/update", "agent_message_chunk", readChunk(Text)},
		{"session/update", "agent_thought_chunk", readChunk(Reasoning)},
		{"session/update", "tool_call", readToolCall},
		{"session/update", "tool_call_update", readToolCall},
		{"session/update", "plan", readPlan},
		{"session/update", "", readUpdate},

		{"session/request_permission", "", readPermissionRequest},

		{"fs/read_text_file", "", readWithoutSession},
		{"fs/write_text_file", "", readFileContent},
		{"terminal/create", "", readWithoutSession},
		{"terminal/output", "", readWithoutSession},
	},
	answers: []row{
		{"session/new", "", readSessionID},
		{"session/prompt", "", readStopReason},
		{"session/request_permission", "", readPermission},
		{"fs/read_text_file", "", readFileContent},
		{"terminal/output", "", readTerminalOutput},
	},
}

// readSessionID reads a message that names a session with which the client goes on: the answer to
// a request for a new one, or a request for an earlier one.
func readSessionID(r *reader, v *exactjson.Value) []Part {
	r.noteID(textOf(v, "sessionId"))
	return jsonPart(v)
}

// readPrompt reads what the user asks.
func readPrompt(r *reader, v *exactjson.Value) (parts []Part) {
	r.begin()
	for _, block := range elems(v.Member("prompt")) {
		parts = append(parts, acpBlock(&block))
	}
	return parts
}

// acpBlock reads a block of content, which may be a link to a resource or a resource itself.
func acpBlock(v *exactjson.Value) Part {
	if v == nil {
		return Part{Kind: Text}
	}
	switch textOf(v, "type") {
	case "resource_link":
		return Part{Kind: Text, Text: "[" + textOf(v, "uri") + "]"}
	case "resource":
		text := textAt(v, "resource/text")
		return Part{Kind: Text, Text: "[" + textAt(v, "resource/uri") + "]\n" + text}
	}
	return part(v)
}

// readStopReason reads the end of a turn.
func readStopReason(r *reader, v *exactjson.Value) []Part {
	reason := textOf(v, "stopReason")
	r.end(reason, false)
	parts := textParts(Text, "finish: "+reason)
	return append(parts, jsonPart(without(v, "stopReason", "_meta"))...)
}

// readChunk returns a function that reads a piece of a text.
func readChunk(kind string) func(r *reader, v *exactjson.Value) []Part {
	return func(_ *reader, v *exactjson.Value) []Part {
		p := acpBlock(at(v, "update/content"))
		if p.Kind == Text {
			p.Kind = kind
		}
		return []Part{p}
	}
}

// readUpdate reads an update that is shown as JSON.
func readUpdate(_ *reader, v *exactjson.Value) []Part {
	return jsonPart(without(v.Member("update"), "sessionUpdate", "_meta"))
}

// readWithoutSession reads a message that is shown as JSON without the ID of its session.
func readWithoutSession(_ *reader, v *exactjson.Value) []Part {
	return jsonPart(without(v, "sessionId", "_meta"))
}

// readToolCall reads that the agent uses a tool, or how far a tool is. An agent may report both in
// the first message about a tool.
func readToolCall(r *reader, v *exactjson.Value) (parts []Part) {
	update := v.Member("update")
	id := textOf(update, "toolCallId")
	use, isNew := r.use(id, acpToolName(update), acpArguments(update))
	if title := textOf(update, "title"); title != "" {
		use.title = title
	}
	if isNew {
		parts = append(parts, Part{Kind: Call, Name: r.toolTitle(id), Args: use.Args, ID: id})
	}

	status := textOf(update, "status")
	isEnded := status == "completed" || status == "failed"
	if isEnded {
		r.setOutcome(id, outcomeOf(status == "failed"))
	}
	text := acpToolContent(update)
	switch {
	case isEnded || text != "":
		return append(parts, Part{
			Kind: Result,
			Name: r.toolTitle(id),
			ID:   id,
			Text: text,
			Bad:  status == "failed",
		})
	case isNew:
		return parts
	case status != "":
		return textParts(Text, r.toolTitle(id)+": "+status)
	}
	return jsonPart(without(update, "sessionUpdate", "toolCallId", "_meta"))
}

// acpToolName returns the name of a tool for routes: its kind, such as read, edit or execute. A
// title says what the tool does this time, such as "Read go.mod".
func acpToolName(update *exactjson.Value) string {
	kind := textOf(update, "kind")
	if kind == "" || kind == "other" {
		return textOf(update, "title")
	}
	return kind
}

// acpArguments returns the arguments of a tool: what the agent has called it with, or else the
// files for which it is.
func acpArguments(update *exactjson.Value) string {
	if input := update.Member("rawInput"); input != nil {
		return compact(input)
	}
	if locations := update.Member("locations"); locations != nil {
		return compact(locations)
	}
	return "{}"
}

// acpToolContent returns what a tool has brought, as text.
func acpToolContent(update *exactjson.Value) string {
	var texts []string
	for _, c := range elems(update.Member("content")) {
		switch textOf(&c, "type") {
		case "content":
			p := acpBlock(c.Member("content"))
			texts = append(texts, p.Text)
		case "diff":
			texts = append(texts, textOf(&c, "path")+":\n"+textOf(&c, "newText"))
		case "terminal":
			texts = append(texts, "terminal "+textOf(&c, "terminalId"))
		default:
			texts = append(texts, compact(&c))
		}
	}
	if texts == nil {
		return compact(update.Member("rawOutput"))
	}
	return strings.Join(texts, "\n")
}

// readPlan reads what the agent plans: a line for each entry, with its status.
func readPlan(_ *reader, v *exactjson.Value) []Part {
	var lines []string
	for _, entry := range elems(at(v, "update/entries")) {
		lines = append(lines, "["+textOf(&entry, "status")+"] "+textOf(&entry, "content"))
	}
	return textParts(Text, strings.Join(lines, "\n"))
}

// readPermissionRequest reads that the agent asks whether it may use a tool: the tool, and a line
// for each answer that it takes.
func readPermissionRequest(r *reader, v *exactjson.Value) []Part {
	tool := v.Member("toolCall")
	title := textOf(tool, "title")
	if title == "" {
		title = r.toolTitle(textOf(tool, "toolCallId"))
	}
	lines := []string{"asks for: " + title}
	for _, option := range elems(v.Member("options")) {
		name := textOf(&option, "name")
		lines = append(lines, "- "+name+" ("+textOf(&option, "kind")+")")
	}
	return textParts(Text, strings.Join(lines, "\n"))
}

// readPermission reads which option the client has chosen.
func readPermission(r *reader, v *exactjson.Value) []Part {
	asked := r.answered.parsed.content
	id := textAt(asked, "toolCall/toolCallId")
	chosen := textAt(v, "outcome/optionId")
	if chosen == "" {
		r.setOutcome(id, Denied)
		return textParts(Text, textAt(v, "outcome/outcome"))
	}

	options := elems(asked.Member("options"))
	i := slices.IndexFunc(options, func(o exactjson.Value) bool { return textOf(&o, "optionId") == chosen })
	if i < 0 {
		return textParts(Text, chosen)
	}
	kind := textOf(&options[i], "kind")
	if strings.HasPrefix(kind, "reject") {
		r.setOutcome(id, Denied)
	}
	return textParts(Text, textOf(&options[i], "name")+" ("+kind+")")
}

// readFileContent reads the content of a file, with its path if the message has it.
func readFileContent(_ *reader, v *exactjson.Value) []Part {
	text := textOf(v, "content")
	if path := textOf(v, "path"); path != "" {
		text = path + ":\n" + text
	}
	return textParts(Text, text)
}

// readTerminalOutput reads what a command has written so far, and how it has ended.
func readTerminalOutput(_ *reader, v *exactjson.Value) []Part {
	parts := textParts(Text, textOf(v, "output"))
	return append(parts, jsonPart(v.Member("exitStatus"))...)
}
