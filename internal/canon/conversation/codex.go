package conversation

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Codex is the kind of a session with Codex.
const Codex = "codex"

// codexItems says how the items of a turn are read, which both protocols of Codex have. The exec
// command writes the types with underscores, the app server as one word: "commandExecution".
var codexItems = []struct {
	exec, server string
	read         func(r *reader, item *exactjson.Value) []Part
}{
	{"user_message", "userMessage", readCodexUserMessage},
	{"agent_message", "agentMessage", readCodexText(Text)},
	{"plan", "plan", readCodexText(Text)},
	{"reasoning", "reasoning", readCodexReasoning},
	{"command_execution", "commandExecution", readCodexCommand},
	{"file_change", "fileChange", readCodexFileChange},
	{"mcp_tool_call", "mcpToolCall", readCodexToolCall},
	{"web_search", "webSearch", readCodexSearch},
	{"todo_list", "todoList", readCodexTodoList},
	{"error", "error", readCodexError},
}

// readCodexItem reads an item of a turn, which is the member "item". Items of unknown types are
// JSON.
func readCodexItem(r *reader, v *exactjson.Value) []Part {
	item := v.Member("item")
	itemType := textOf(item, "type")
	for _, known := range codexItems {
		if itemType == known.exec || itemType == known.server {
			return known.read(r, item)
		}
	}
	return jsonPart(item)
}

// readCodexUserMessage reads what the user asks.
func readCodexUserMessage(_ *reader, item *exactjson.Value) []Part {
	return content(item.Member("content"))
}

// readCodexText returns a function that reads an item that is a text.
func readCodexText(kind string) func(r *reader, item *exactjson.Value) []Part {
	return func(_ *reader, item *exactjson.Value) []Part {
		return textParts(kind, textOf(item, "text"))
	}
}

// readCodexReasoning reads reasoning: one text, or lists of texts.
func readCodexReasoning(_ *reader, item *exactjson.Value) []Part {
	if text := textOf(item, "text"); text != "" {
		return textParts(Reasoning, text)
	}
	var texts []string
	for _, name := range []string{"summary", "content"} {
		for _, text := range elems(item.Member(name)) {
			texts = append(texts, compact(&text))
		}
	}
	return textParts(Reasoning, strings.Join(texts, "\n"))
}

// A codexUse is the use of a tool that an item reports.
type codexUse struct {
	name, args string
	result     string
	failed     bool
}

// parts notes the use of a tool, and returns its call if it is new, and its result if it has come
// to its end.
func (u *codexUse) parts(r *reader, item *exactjson.Value) (parts []Part) {
	id := textOf(item, "id")
	_, isNew := r.use(id, u.name, u.args)
	if isNew {
		parts = append(parts, Part{Kind: Call, Name: u.name, Args: u.args, ID: id})
	}
	status := textOf(item, "status")
	switch status {
	case "in_progress", "inProgress":
		return parts
	case "declined":
		r.setOutcome(id, Denied)
	case "failed":
		r.setOutcome(id, ToolFailed)
	default:
		r.setOutcome(id, outcomeOf(u.failed))
	}
	isBad := u.failed || status == "declined" || status == "failed"
	text := u.result
	if text == "" {
		text = status
	}
	return append(parts, Part{Kind: Result, Name: u.name, ID: id, Text: text, Bad: isBad})
}

// readCodexCommand reads a command that the agent runs.
func readCodexCommand(r *reader, item *exactjson.Value) []Part {
	output := textOf(item, "aggregated_output", "aggregatedOutput")
	exit := member(item, "exit_code", "exitCode")
	failed := exit != nil && exit.Kind != exactjson.Null && compact(exit) != "0"
	if failed {
		output = strings.TrimSpace(fmt.Sprintf("exit code %s\n%s", compact(exit), output))
	}
	u := codexUse{
		name:   "command_execution",
		args:   argumentsOf(item, "command"),
		result: output,
		failed: failed,
	}
	return u.parts(r, item)
}

// readCodexFileChange reads changes of files.
func readCodexFileChange(r *reader, item *exactjson.Value) []Part {
	u := codexUse{name: "file_change", args: argumentsOf(item, "changes")}
	return u.parts(r, item)
}

// readCodexSearch reads a search of the web.
func readCodexSearch(r *reader, item *exactjson.Value) []Part {
	u := codexUse{name: "web_search", args: argumentsOf(item, "query")}
	return u.parts(r, item)
}

// readCodexToolCall reads the call of a tool of an MCP server.
func readCodexToolCall(r *reader, item *exactjson.Value) []Part {
	u := codexUse{name: textOf(item, "tool"), args: compact(item.Member("arguments"))}
	if failed := item.Member("error"); failed != nil && failed.Kind != exactjson.Null {
		u.failed = true
		u.result = textOf(failed, "message")
	}
	if result := item.Member("result"); result != nil && result.Kind == exactjson.Object {
		u.result = join(partsOfResult(result))
	}
	return u.parts(r, item)
}

// argumentsOf returns an object with one member of an item, as the arguments of a tool.
func argumentsOf(item *exactjson.Value, name string) string {
	args := exactjson.Value{Kind: exactjson.Object}
	if m := item.Member(name); m != nil {
		args.Elems = append(args.Elems, *m)
	}
	return compact(&args)
}

// readCodexTodoList reads what the agent plans: a line for each entry.
func readCodexTodoList(_ *reader, item *exactjson.Value) []Part {
	var lines []string
	for _, entry := range elems(item.Member("items")) {
		status := "pending"
		if compact(entry.Member("completed")) == "true" {
			status = "completed"
		}
		lines = append(lines, "["+status+"] "+textOf(&entry, "text"))
	}
	return textParts(Text, strings.Join(lines, "\n"))
}

// readCodexError reads an error: that of the value itself, or of its member "error".
func readCodexError(_ *reader, v *exactjson.Value) []Part {
	text := textAt(v, "message", "error/message")
	return []Part{{Kind: Text, Text: "error: " + text, Bad: true}}
}
