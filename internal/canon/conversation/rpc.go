package conversation

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// The kinds that people know of what a cassette counts as calls of models.
const (
	MCP     = "mcp"
	A2A     = "a2a"
	JSONRPC = "jsonrpc" // that is neither
)

// mcpMethods are how the methods of MCP begin.
var mcpMethods = []string{"initialize", "ping", "tools/", "resources/", "prompts/", "completion/", "logging/", "notifications/", "sampling/", "elicitation/", "roots/", "server/", "subscriptions/"}

// KindOf returns the kind of a request as people call it: that of its form, or of JSON-RPC what
// is spoken by it.
func KindOf(form *canon.Form, req *interaction.Request) string {
	kind, boundary := form.Kind()
	family, method, _ := strings.Cut(boundary, ".")
	begins := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return method == name || strings.HasSuffix(name, "/") && strings.HasPrefix(method, name)
		})
	}
	switch {
	case family == "a2a" && kind == "llm":
		return A2A
	case family != JSONRPC || kind != "llm":
		return kind
	case begins(mcpMethods), slices.ContainsFunc(req.Headers, func(h interaction.Header) bool { return strings.HasPrefix(h.Name, "mcp-") }):
		return MCP
	case begins([]string{"tasks/", "agent/"}):
		return A2A
	}
	return JSONRPC
}

// readRPC reads a request of JSON-RPC as what it asks: the method is its title, with what is
// called by it; what links messages ("jsonrpc", ids, "_meta") is left out. It reports whether
// the request is one.
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
	if v.Member("method") == nil { // the client's answer to a request of the server
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

// titled are the parameters that the title of a method has.
var titled = map[string][]string{
	"tools/call": {"name", "arguments"}, "prompts/get": {"name", "arguments"},
	"resources/read": {"uri"}, "resources/subscribe": {"uri"}, "resources/unsubscribe": {"uri"},
}

// titleOf returns a call as people write it: tools/call get_weather({"city":"Rome"}).
func titleOf(v *exactjson.Value) string {
	method, params := textOf(v, "method"), v.Member("params")
	switch named := titled[method]; {
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

// readRPCAnswer reads what a server of JSON-RPC answers: the content of its result, without
// what links messages.
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

// messagesOf returns the messages of a batch, or the one that there is.
func messagesOf(v *exactjson.Value) []exactjson.Value {
	if v.Kind == exactjson.Array {
		return v.Elems
	}
	return []exactjson.Value{*v}
}

// partsOfRPC reads one message of a server.
func partsOfRPC(v *exactjson.Value) (parts []Part) {
	if method := textOf(v, "method"); method != "" { // a notification, or a request to the client
		text := titleOf(v)
		if params := without(v.Member("params"), slices.Concat([]string{"_meta"}, titled[method])...); params != nil && len(params.Elems) > 0 {
			text += " " + compact(params)
		}
		return []Part{{Kind: Other, Text: text}}
	}
	if failed := v.Member("error"); failed != nil {
		text := strings.TrimSpace("error " + compact(failed.Member("code")) + ": " + textOf(failed, "message"))
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
		for _, t := range toolsOf(list) {
			parts = append(parts, Part{Kind: Text, Text: strings.TrimSuffix(t.Name+"("+strings.Join(t.Parameters, ", ")+"): "+t.Description, ": ")})
		}
		return parts
	}
	bad := compact(result.Member("isError")) == "true"
	for _, from := range []*exactjson.Value{result, result.Member("message"), result.Member("status").Member("message")} {
		for _, name := range []string{"content", "parts"} {
			if list := from.Member(name); list != nil {
				for _, block := range elems(list) {
					p := part(&block)
					p.Bad = bad
					parts = append(parts, p)
				}
			}
		}
	}
	for _, artifact := range elems(result.Member("artifacts")) {
		parts = append(parts, content(&artifact)...)
	}
	rest := without(result, "_meta", "content", "isError", "parts", "artifacts", "message", "messageId", "kind", "role", "contextId", "taskId", "id", "history", "resultType")
	if len(parts) > 0 {
		rest = result.Member("structuredContent")
	}
	if rest != nil && (rest.Kind != exactjson.Object || len(rest.Elems) > 0) && !saysSame(parts, rest) {
		parts = append(parts, Part{Kind: Other, Text: compact(rest)})
	}
	return parts
}

// saysSame reports whether a text among parts is this value as JSON: servers say their
// structured content twice.
func saysSame(parts []Part, v *exactjson.Value) bool {
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
	rest.Elems = slices.DeleteFunc(slices.Clone(v.Elems), func(m exactjson.Value) bool { return slices.Contains(names, m.Name) })
	return &rest
}
