package conversation

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// mcpProtocol is the Model Context Protocol over standard input and output
// (modelcontextprotocol.io/specification). The calls of tools and their results read as those over
// HTTP do.
var mcpProtocol = protocol{
	name:          MCP,
	peer:          "server",
	isOwn:         isMCP,
	parse:         (&rpcPaths{}).parse,
	callsAreTurns: true,
	rows: []row{
		{"notifications/progress", "", readProgress},
		{"notifications/cancelled", "", readCancellation},
		{"sampling/createMessage", "", readSampling},
		{"elicitation/create", "", readElicitation},
	},
	answers: []row{
		{"sampling/createMessage", "", readSampled},
		{"elicitation/create", "", readElicited},
	},
}

// isMCP reports whether a message is one of MCP alone. An agent of ACP has "initialize", too, with
// a number as the version of the protocol.
func isMCP(v *exactjson.Value) bool {
	method := textOf(v, "method")
	if method == "initialize" {
		return textAt(v, "params/protocolVersion") != ""
	}
	isOther := method == "ping" || !isMethodOf(mcpMethods, method)
	return !isOther
}

// readProgress reads how far a call is: "2 of 3: looking at Rome".
func readProgress(_ *reader, v *exactjson.Value) []Part {
	text := compact(v.Member("progress"))
	if total := v.Member("total"); total != nil {
		text += " of " + compact(total)
	}
	if message := textOf(v, "message"); message != "" {
		text += ": " + message
	}
	return textParts(Text, text)
}

// readCancellation reads that one side no longer waits for the answer to a request.
func readCancellation(r *reader, v *exactjson.Value) []Part {
	id := compact(v.Member("requestId"))
	canceled := r.requests[r.requestKey(r.message.Sent, id)]
	if canceled == nil {
		return jsonPart(v)
	}
	if canceled.turn != nil {
		canceled.turn.Last = r.message.Number
		canceled.turn.Canceled = true
	}
	text := fmt.Sprintf("cancels %d: %s", canceled.number, canceled.parsed.kind)
	return append(textParts(Text, text), jsonPart(without(v, "requestId", "_meta"))...)
}

// readSampling reads a request of a server to ask a model.
func readSampling(_ *reader, v *exactjson.Value) (parts []Part) {
	for _, m := range elems(v.Member("messages")) {
		for _, p := range message(&m).Parts {
			p.Text = roleOf(&m) + ": " + p.Text
			parts = append(parts, p)
		}
	}
	return append(parts, jsonPart(without(v, "messages", "_meta"))...)
}

// readSampled reads the answer of a model that a server wanted to ask.
func readSampled(_ *reader, v *exactjson.Value) []Part {
	parts := content(v.Member("content"))
	return append(parts, jsonPart(without(v, "content", "role", "_meta"))...)
}

// readElicitation reads a question of a server to the user.
func readElicitation(_ *reader, v *exactjson.Value) []Part {
	parts := textParts(Text, textOf(v, "message"))
	return append(parts, jsonPart(without(v, "message", "_meta"))...)
}

// readElicited reads what the user answered: "accept", and the values.
func readElicited(_ *reader, v *exactjson.Value) []Part {
	parts := textParts(Text, textOf(v, "action"))
	return append(parts, jsonPart(v.Member("content"))...)
}
