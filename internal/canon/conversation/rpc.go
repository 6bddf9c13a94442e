package conversation

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// The kinds of exchanges that are "llm" in a cassette, but have another name for people.
const (
	MCP     = "mcp"
	A2A     = "a2a"
	JSONRPC = "jsonrpc" // neither MCP nor A2A
)

// The methods of MCP and of A2A. A name with a slash at its end is a prefix.
var (
	mcpMethods = []string{
		"initialize", "ping", "tools/", "resources/", "prompts/", "completion/", "logging/",
		"notifications/", "sampling/", "elicitation/", "roots/", "server/", "subscriptions/",
	}
	a2aMethods = []string{"tasks/", "agent/"}
)

// KindOf returns the kind of a request as people call it: the kind of its form, the protocol if
// it is JSON-RPC, or [Process] if it starts a process.
func KindOf(form *canon.Form, req *interaction.Request) string {
	kind, boundary := form.Kind()
	family, method, _ := strings.Cut(boundary, ".")
	switch {
	case req.IsForProcess():
		return Process
	case kind != "llm":
		return kind
	case family == A2A:
		return A2A
	case family != JSONRPC:
		return kind
	case isMethodOf(mcpMethods, method) || hasMCPHeader(req):
		return MCP
	case isMethodOf(a2aMethods, method):
		return A2A
	}
	return JSONRPC
}

// isMethodOf reports whether a method is one of names.
func isMethodOf(names []string, method string) bool {
	for _, name := range names {
		isPrefix := strings.HasSuffix(name, "/")
		if method == name || isPrefix && strings.HasPrefix(method, name) {
			return true
		}
	}
	return false
}

// hasMCPHeader reports whether a request has a header of MCP, such as Mcp-Session-Id.
func hasMCPHeader(req *interaction.Request) bool {
	return slices.ContainsFunc(req.Headers, func(h interaction.Header) bool {
		return strings.HasPrefix(h.Name, "mcp-")
	})
}

// readRPC reads a JSON-RPC request. Its title is the method with the name of the tool,
// prompt or resource; members that link messages ("jsonrpc", "id", "_meta") are left out. It
// reports whether the request is JSON.
func (e *Exchange) readRPC(req *interaction.Request) bool {
	v, err := exactjson.Parse(req.Body)
	if err != nil {
		return false
	}
	if v.Kind == exactjson.Array {
		var titles []string
		for i := range v.Elems {
			titles = append(titles, titleOf(&v.Elems[i]))
		}
		e.Title = "batch: " + strings.Join(titles, ", ")
		return true
	}
	e.Title = titleOf(&v)
	params := v.Member("params")
	if m := params.Member("message"); m != nil && e.Kind == A2A {
		e.Messages = []Message{{Role: textOf(m, "role"), Parts: content(m)}}
		return true
	}
	named := titled[textOf(&v, "method")]
	if params != nil && params.Kind != exactjson.Object {
		e.Settings = append(e.Settings, Setting{"params", compact(params)})
		params = nil
	}
	for _, m := range members(params) {
		if m.Name != "_meta" && !slices.Contains(named, m.Name) {
			e.Settings = append(e.Settings, Setting{m.Name, string(m.AppendJSON(nil, exactjson.Layout{}))})
		}
	}
	isResponse := v.Member("method") == nil // to a request of the server
	if isResponse {
		e.Body = compact(member(&v, "result", "error"))
	}
	return true
}

// members returns the members of an object.
func members(v *exactjson.Value) []exactjson.Value {
	if v == nil {
		return nil
	}
	return v.Elems
}

// titled are the parameters that are in the title of a method.
var titled = map[string][]string{
	"tools/call":            {"name", "arguments"},
	"prompts/get":           {"name", "arguments"},
	"resources/read":        {"uri"},
	"resources/subscribe":   {"uri"},
	"resources/unsubscribe": {"uri"},
}

// titleOf returns a call as people write it: tools/call get_weather({"city":"Rome"}).
func titleOf(v *exactjson.Value) string {
	method := textOf(v, "method")
	params := v.Member("params")
	named := titled[method]
	switch {
	case method == "":
		return "answer to the server"
	case len(named) == 2 && params != nil:
		args := ""
		if a := params.Member("arguments"); a != nil {
			args = string(a.AppendJSON(nil, exactjson.Layout{}))
		}
		return method + " " + textOf(params, "name") + "(" + args + ")"
	case len(named) == 1 && params != nil:
		return method + " " + textOf(params, named[0])
	}
	return method
}

// readRPCAnswer reads the response of a JSON-RPC server: the content of its messages, without
// members that only link them, such as "id" and "_meta".
func (e *Exchange) readRPCAnswer(resp *interaction.Response) {
	for payload := range resp.Payloads() {
		v, err := exactjson.Parse(payload)
		if err != nil {
			continue
		}
		for _, m := range messagesOf(&v) {
			e.Answer.Parts = append(e.Answer.Parts, partsOfRPC(&m)...)
		}
	}
}

// messagesOf returns the messages of a batch, or a single message.
func messagesOf(v *exactjson.Value) []exactjson.Value {
	if v.Kind == exactjson.Array {
		return v.Elems
	}
	return []exactjson.Value{*v}
}

// partsOfRPC reads one message of a server: a notification or a request to the client,
// which have a method, an error, or a result.
func partsOfRPC(v *exactjson.Value) []Part {
	if method := textOf(v, "method"); method != "" {
		text := titleOf(v)
		hidden := append([]string{"_meta"}, titled[method]...)
		params := without(v.Member("params"), hidden...)
		if params != nil && len(params.Elems) > 0 {
			text += " " + compact(params)
		}
		return []Part{{Kind: Other, Text: text}}
	}
	if failed := v.Member("error"); failed != nil {
		code := compact(failed.Member("code"))
		text := strings.TrimSpace("error " + code + ": " + textOf(failed, "message"))
		if data := failed.Member("data"); data != nil {
			text += " " + compact(data)
		}
		return []Part{{Kind: Text, Text: text, Bad: true}}
	}
	result := v.Member("result")
	if result == nil {
		return nil
	}
	if list := result.Member("tools"); list != nil && list.Kind == exactjson.Array {
		return toolList(list)
	}
	return partsOfResult(result)
}

// toolList returns a text for each tool of a list: "search(query, limit): finds pages".
func toolList(list *exactjson.Value) (parts []Part) {
	for _, t := range toolsOf(list) {
		text := t.Name + "(" + strings.Join(t.Parameters, ", ") + "): " + t.Description
		parts = append(parts, Part{Kind: Text, Text: strings.TrimSuffix(text, ": ")})
	}
	return parts
}

// omittedMembers are the members of a result that are not shown as JSON: they link messages,
// or partsOfResult reads them.
var omittedMembers = []string{
	"_meta", "content", "isError", "parts", "artifacts", "message", "messageId", "kind", "role",
	"contextId", "taskId", "id", "history", "resultType",
}

// partsOfResult reads the result of a call: the blocks of MCP ("content") and A2A ("parts",
// "artifacts"), and then the structured content of MCP. A result without blocks is one part:
// its JSON without the omittedMembers.
func partsOfResult(result *exactjson.Value) (parts []Part) {
	isError := compact(result.Member("isError")) == "true"
	messages := []*exactjson.Value{
		result,
		result.Member("message"),
		result.Member("status").Member("message"),
	}
	for _, message := range messages {
		for _, name := range []string{"content", "parts"} {
			for _, block := range elems(message.Member(name)) {
				p := part(&block)
				p.Bad = isError
				parts = append(parts, p)
			}
		}
	}
	for _, artifact := range elems(result.Member("artifacts")) {
		parts = append(parts, content(&artifact)...)
	}

	rest := without(result, omittedMembers...)
	hasBlocks := len(parts) > 0
	if hasBlocks {
		rest = result.Member("structuredContent")
	}
	if rest == nil {
		return parts
	}
	isEmpty := rest.Kind == exactjson.Object && len(rest.Elems) == 0
	if !isEmpty && !hasText(parts, rest) {
		parts = append(parts, Part{Kind: Other, Text: compact(rest)})
	}
	return parts
}

// hasText reports whether a text among parts is this value as JSON: servers send their
// structured content as a text, too.
func hasText(parts []Part, v *exactjson.Value) bool {
	return slices.ContainsFunc(parts, func(p Part) bool {
		text, err := exactjson.Parse([]byte(p.Text))
		return err == nil && compact(&text) == compact(v)
	})
}

// without returns an object without some of its members.
func without(v *exactjson.Value, names ...string) *exactjson.Value {
	if v == nil || v.Kind != exactjson.Object {
		return v
	}
	rest := *v
	rest.Elems = slices.DeleteFunc(slices.Clone(v.Elems), func(m exactjson.Value) bool {
		return slices.Contains(names, m.Name)
	})
	return &rest
}
