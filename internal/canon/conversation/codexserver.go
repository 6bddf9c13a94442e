package conversation

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// codexServer is what "codex app-server" speaks: JSON-RPC without the member "jsonrpc"
// (github.com/openai/codex, codex-rs/app-server/README.md).
var codexServer = protocol{
	name:  Codex,
	peer:  "agent",
	isOwn: isOwnMethod("thread/", "turn/", "item/"),
	parse: (&rpcPaths{
		details:       []string{"params/item/type"},
		conversations: []string{"params/threadId", "params/thread/id", "result/thread/id"},
	}).parse,
	rows: []row{
		{"thread/started", "", readCodexServerThreadStart},

		{"turn/start", "", readCodexInput},
		{"turn/steer", "", readCodexInput},
		{"review/start", "", readCodexInput},
		{"turn/started", "", readCodexServerTurn},
		{"turn/completed", "", readCodexServerTurnEnd},
		{"turn/plan/updated", "", readCodexPlan},
		{"error", "", readCodexError},

		{"item/started", "", readCodexItem},
		{"item/completed", "", readCodexItem},
		{"item/agentMessage/delta", "", readCodexDelta(Text)},
		{"item/plan/delta", "", readCodexDelta(Text)},
		{"item/reasoning/textDelta", "", readCodexDelta(Reasoning)},
		{"item/reasoning/summaryTextDelta", "", readCodexDelta(Reasoning)},
		{"item/commandExecution/outputDelta", "", readCodexDelta(Text)},
		{"item/fileChange/outputDelta", "", readCodexDelta(Text)},

		{"item/commandExecution/requestApproval", "", readCodexApprovalRequest},
		{"item/fileChange/requestApproval", "", readCodexApprovalRequest},
	},
	answers: []row{
		{"thread/start", "", readCodexServerThread},
		{"thread/resume", "", readCodexServerThread},
		{"thread/fork", "", readCodexServerThread},
		{"turn/start", "", readCodexServerTurn},
		{"item/commandExecution/requestApproval", "", readCodexApproval},
		{"item/fileChange/requestApproval", "", readCodexApproval},
	},
}

// readCodexServerThread reads the answer to a request for a thread, which has its ID.
func readCodexServerThread(r *reader, v *exactjson.Value) []Part {
	r.noteID(textAt(v, "thread/id"))
	if model := textOf(v, "model"); model != "" {
		r.session.Model = model
	}
	return jsonPart(v)
}

// readCodexServerThreadStart reads that a thread has begun: its ID. The answer to the request has the rest.
func readCodexServerThreadStart(_ *reader, v *exactjson.Value) []Part {
	return textParts(Text, "thread "+textAt(v, "thread/id"))
}

// readCodexServerTurn reads that the agent works on a prompt: the ID of the turn.
func readCodexServerTurn(_ *reader, v *exactjson.Value) []Part {
	return textParts(Text, "turn "+textAt(v, "turn/id"))
}

// readCodexInput reads what the user asks, and the settings of the turn.
func readCodexInput(r *reader, v *exactjson.Value) []Part {
	r.begin()
	parts := content(v.Member("input"))
	return append(parts, jsonPart(without(v, "input", "threadId", "_meta"))...)
}

// readCodexServerTurnEnd reads the end of a turn: its status, and its error if it has failed.
func readCodexServerTurnEnd(r *reader, v *exactjson.Value) []Part {
	turn := v.Member("turn")
	status := textOf(turn, "status")
	r.end(status, status == "failed")
	parts := textParts(Text, "finish: "+status)
	if failed := turn.Member("error"); failed != nil && failed.Kind != exactjson.Null {
		parts = append(parts, readCodexError(r, failed)...)
	}
	return parts
}

// readCodexPlan reads what the agent plans: a line for each step, with its status.
func readCodexPlan(_ *reader, v *exactjson.Value) []Part {
	var lines []string
	if explanation := textOf(v, "explanation"); explanation != "" {
		lines = append(lines, explanation)
	}
	for _, step := range elems(v.Member("plan")) {
		lines = append(lines, "["+textOf(&step, "status")+"] "+textOf(&step, "step"))
	}
	return textParts(Text, strings.Join(lines, "\n"))
}

// readCodexDelta returns a function that reads a piece of a text.
func readCodexDelta(kind string) func(r *reader, v *exactjson.Value) []Part {
	return func(_ *reader, v *exactjson.Value) []Part {
		return textParts(kind, textOf(v, "delta"))
	}
}

// codexLinks are the members of a message that link it with others.
var codexLinks = []string{"threadId", "turnId", "itemId", "approvalId"}

// readCodexApprovalRequest reads that the agent asks whether it may run a command or change files:
// the arguments of the tool, and the reason.
func readCodexApprovalRequest(r *reader, v *exactjson.Value) []Part {
	text := "asks for: "
	if use := r.uses[r.useKey(textOf(v, "itemId"))]; use != nil {
		text += use.Name + "(" + use.Args + ")"
	} else {
		text += argumentsOf(v, "command")
	}
	return append(textParts(Text, text), jsonPart(without(v, codexLinks...))...)
}

// readCodexApproval reads the decision of the client.
func readCodexApproval(r *reader, v *exactjson.Value) []Part {
	decision := compact(v.Member("decision"))
	if decision == "decline" || decision == "cancel" {
		r.setOutcome(textOf(r.answered.parsed.content, "itemId"), Denied)
	}
	return textParts(Text, decision)
}
