package conversation

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// codexExec is what "codex exec --json" writes: an event a line
// (github.com/openai/codex, codex-rs/exec/src/exec_events.rs).
var codexExec = protocol{
	name:  Codex,
	peer:  "agent",
	isOwn: isCodexExec,
	parse: parseCodexExec,
	rows: []row{
		{"thread.started", "", readCodexThread},
		{"turn.started", "", readCodexTurn},
		{"turn.completed", "", readCodexTurnEnd},
		{"turn.failed", "", readCodexTurnFailure},
		{"error", "", readCodexError},

		{"item.started", "", readCodexItem},
		{"item.updated", "", readCodexItem},
		{"item.completed", "", readCodexItem},
	},
}

// isCodexExec reports whether a message is an event of a thread.
func isCodexExec(v *exactjson.Value) bool {
	eventType := textOf(v, "type")
	switch eventType {
	case "thread.started", "turn.started", "turn.completed", "turn.failed":
		return true
	}
	return strings.HasPrefix(eventType, "item.") && v.Member("item") != nil
}

// parseCodexExec returns what an event is. The kind is the type with the type of the item, if
// there is one.
func parseCodexExec(_ *reader, v *exactjson.Value) parsed {
	p := parsed{kind: kind{textOf(v, "type"), textAt(v, "item/type")}, content: v}
	p.title = p.kind.String()
	p.parts = jsonPart(without(v, "type"))
	if p.parts == nil {
		p.parts = []Part{}
	}
	return p
}

// readCodexThread reads the ID of a thread, with which a client can resume it.
func readCodexThread(r *reader, v *exactjson.Value) []Part {
	r.noteID(textOf(v, "thread_id"))
	return jsonPart(without(v, "type"))
}

// readCodexTurn reads that the agent begins to work on a prompt.
func readCodexTurn(r *reader, _ *exactjson.Value) []Part {
	r.begin()
	return nil
}

// readCodexTurnEnd reads the end of a turn, which has the numbers of tokens.
func readCodexTurnEnd(r *reader, v *exactjson.Value) []Part {
	r.end("completed", false)
	return jsonPart(without(v, "type"))
}

// readCodexTurnFailure reads the end of a turn by an error.
func readCodexTurnFailure(r *reader, v *exactjson.Value) []Part {
	r.end("failed", true)
	return readCodexError(r, v)
}
