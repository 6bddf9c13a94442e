package fakeprovider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// An MCP is a server of tools that speaks the Model Context Protocol over
// streamable HTTP, with responses in JSON
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports).
// It has tools, and no prompts, resources or requests to the client. It may be
// used concurrently.
type MCP struct {
	// Path is the end of the paths of the server; "/mcp" if it is empty.
	Path string

	mu       sync.Mutex
	tools    Tools
	started  int
	sessions map[string]bool // by ID, those that are open
}

// Tools are tools by name.
type Tools map[string]Tool

// A Tool is a tool of an MCP server.
type Tool struct {
	Description string
	Input       json.RawMessage // the schema of the arguments; nil takes any object
	Output      json.RawMessage // the schema of the structured result; may be nil

	// Call returns the result of a call. The arguments are a JSON object. Calls may
	// be concurrent.
	Call func(args json.RawMessage) ToolResult
}

// A ToolResult is what a tool returns.
type ToolResult struct {
	Text string

	// Structured is a JSON object; nil for a result without one. If Text is empty,
	// the text of the result is this JSON.
	Structured json.RawMessage

	IsError bool
}

// mcpVersions are the versions of the protocol that the server speaks, the newest
// first. A newer client asks for its own version by server/discover, and then
// takes one of these.
var mcpVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// The headers of the protocol.
const (
	mcpSession = "Mcp-Session-Id"
	mcpVersion = "Mcp-Protocol-Version"
)

// The codes of JSON-RPC 2.0, section 5.1.
const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcNoMethod       = -32601
	rpcInvalidParams  = -32602
)

// Add adds a tool, or replaces the one of that name.
func (m *MCP) Add(name string, t Tool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tools := Tools{name: t}
	for other, t := range m.tools {
		if other != name {
			tools[other] = t
		}
	}
	m.tools = tools
}

// all returns the tools. They do not change.
func (m *MCP) all() Tools {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tools
}

// HasTools reports whether the server has any tool.
func (m *MCP) HasTools() bool { return len(m.all()) > 0 }

// Owns reports whether a request is one to the server. Its path decides: the body
// of one that is not JSON-RPC is refused.
func (m *MCP) Owns(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	return strings.HasSuffix(path, cmp.Or(strings.TrimSuffix(m.Path, "/"), "/mcp"))
}

// Answer answers a request whose body is read.
func (m *MCP) Answer(r *http.Request, body []byte) *Response {
	switch r.Method {
	case http.MethodPost:
		return m.post(r, body)
	case http.MethodDelete:
		return m.end(r)
	}
	// The server sends no messages by itself, for which a client would use GET.
	resp := mcpResponse(http.StatusMethodNotAllowed, nil)
	resp.Header.Set("Allow", "POST, DELETE")
	return resp
}

// end ends a session.
func (m *MCP) end(r *http.Request) *Response {
	refused := m.checkSession(r, nil)
	if refused != nil {
		return refused
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, r.Header.Get(mcpSession))
	return mcpResponse(http.StatusNoContent, nil)
}

// post answers a message of the client.
func (m *MCP) post(r *http.Request, body []byte) *Response {
	v, err := decode(body)
	if err != nil {
		return rpcError(http.StatusBadRequest, nil, rpcParseError, "Parse error: "+err.Error())
	}
	message, ok := v.(object)
	if !ok || message.text("jsonrpc") != "2.0" {
		return rpcError(http.StatusBadRequest, nil, rpcInvalidRequest,
			"Invalid Request: the body must be one JSON-RPC 2.0 message")
	}

	id := message.get("id")
	method := message.text("method")
	if method == "initialize" && id != nil {
		return m.initialize(id, message.sub("params"))
	}
	known := mcpMethods[method]
	if id != nil && method != "" && known == nil {
		return rpcError(http.StatusOK, id, rpcNoMethod, "Method not found: "+method)
	}
	refused := m.checkSession(r, id)
	if refused != nil {
		return refused
	}
	if id == nil || method == "" { // a notification, or a response of the client
		return mcpResponse(http.StatusAccepted, nil)
	}
	return known(m, id, message.sub("params"))
}

// checkSession refuses a request without an open session, or with a version of the
// protocol that the server does not speak. It returns nil for other requests.
func (m *MCP) checkSession(r *http.Request, id any) *Response {
	session := r.Header.Get(mcpSession)
	m.mu.Lock()
	isOpen := m.sessions[session]
	m.mu.Unlock()
	if session == "" {
		return rpcError(http.StatusBadRequest, id, rpcInvalidRequest,
			"Bad Request: "+mcpSession+" header is required")
	}
	if !isOpen {
		return rpcError(http.StatusNotFound, id, rpcInvalidRequest, "Session not found")
	}
	version := r.Header.Get(mcpVersion)
	if version != "" && !slices.Contains(mcpVersions, version) {
		return rpcError(http.StatusBadRequest, id, rpcInvalidRequest,
			"Bad Request: Unsupported protocol version (supported versions: "+
				strings.Join(mcpVersions, ", ")+")")
	}
	return nil
}

// initialize starts a session.
func (m *MCP) initialize(id any, params object) *Response {
	version := params.text("protocolVersion")
	if !slices.Contains(mcpVersions, version) {
		version = mcpVersions[0]
	}
	resp := rpcResult(id, object{
		{"protocolVersion", version},
		{"capabilities", object{{"tools", object{}}}},
		{"serverInfo", object{{"name", "promptecho stand-in"}, {"version", "1"}}},
	})
	resp.Header.Set(mcpSession, m.startSession())
	return resp
}

// startSession returns the ID of a new session.
func (m *MCP) startSession() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.started++
	id := fmt.Sprintf("mcp-standin%06d", m.started)
	if m.sessions == nil {
		m.sessions = map[string]bool{}
	}
	m.sessions[id] = true
	return id
}

// mcpMethods are the methods that need a session.
var mcpMethods = map[string]func(m *MCP, id any, params object) *Response{
	"ping":       (*MCP).ping,
	"tools/list": (*MCP).list,
	"tools/call": (*MCP).call,
}

func (m *MCP) ping(id any, _ object) *Response { return rpcResult(id, object{}) }

// list lists all tools, sorted by name.
func (m *MCP) list(id any, _ object) *Response {
	listed := []object{}
	tools := m.all()
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		entry := object{{"name", name}}
		if t.Description != "" {
			entry = entry.with("description", t.Description)
		}
		schema := t.Input
		if schema == nil {
			schema = raw(`{"type":"object"}`)
		}
		entry = entry.with("inputSchema", schema)
		if t.Output != nil {
			entry = entry.with("outputSchema", t.Output)
		}
		listed = append(listed, entry)
	}
	return rpcResult(id, object{{"tools", listed}})
}

// call calls a tool.
func (m *MCP) call(id any, params object) *Response {
	name := params.text("name")
	t, ok := m.all()[name]
	if !ok {
		return rpcError(http.StatusOK, id, rpcInvalidParams, "Unknown tool: "+name)
	}
	args, ok := params.or("arguments", object{}).(object)
	if !ok {
		return rpcError(http.StatusOK, id, rpcInvalidParams,
			"Invalid params: arguments must be an object")
	}

	result := t.Call(encode(args))
	text := cmp.Or(result.Text, string(result.Structured))
	o := object{{"content", []object{{{"type", "text"}, {"text", text}}}}}
	if result.Structured != nil {
		o = o.with("structuredContent", result.Structured)
	}
	return rpcResult(id, o.with("isError", result.IsError))
}

// rpcResult returns the response with the result of a call.
func rpcResult(id any, result object) *Response {
	body := object{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}
	return mcpResponse(http.StatusOK, body)
}

// rpcError returns the response with an error of JSON-RPC. The ID is nil if it
// could not be read.
func rpcError(status int, id any, code int, message string) *Response {
	err := object{{"code", code}, {"message", message}}
	return mcpResponse(status, object{{"jsonrpc", "2.0"}, {"id", id}, {"error", err}})
}

// mcpResponse returns a response; a nil body is none.
func mcpResponse(status int, body object) *Response {
	resp := &Response{Status: status, Header: http.Header{}}
	if body != nil {
		resp.Header.Set("Content-Type", "application/json")
		resp.Body = encode(body)
	}
	return resp
}
