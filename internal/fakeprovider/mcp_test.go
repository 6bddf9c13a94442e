package fakeprovider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newMCP returns a server with a tool of each kind.
func newMCP() *MCP {
	return &MCP{tools: Tools{
		"weather": {
			Description: "says how the weather is",
			Input:       json.RawMessage(`{"type":"object","required":["city"]}`),
			Output:      json.RawMessage(`{"type":"object"}`),
			Call: func(args json.RawMessage) ToolResult {
				return ToolResult{Structured: args}
			},
		},
		"fail": {Call: func(json.RawMessage) ToolResult {
			return ToolResult{Text: "disk full", IsError: true}
		}},
		"echo": {Call: func(args json.RawMessage) ToolResult {
			return ToolResult{Text: "got " + string(args)}
		}},
	}}
}

// mcpAsk sends a message in a session.
func mcpAsk(m *MCP, method, session, body string) *Response {
	r := httptest.NewRequest(method, "http://tools.test/mcp", nil)
	if session != "" {
		r.Header.Set(mcpSession, session)
	}
	return m.Answer(r, []byte(body))
}

const mcpInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// Each method of the protocol has its result or its error, under the ID of the
// request.
func TestMCPMethods(t *testing.T) {
	m := newMCP()
	started := mcpAsk(m, "POST", "", mcpInitialize)
	session := started.Header.Get(mcpSession)
	wantStarted := `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"promptecho stand-in","version":"1"}}}`
	if got := string(started.Body); got != wantStarted || session != "mcp-standin000001" {
		t.Errorf("session %q: %s", session, got)
	}
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, 202, ""},
		{`{"jsonrpc":"2.0","id":9,"result":{}}`, 202, ""},
		{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, 200, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200, `{"jsonrpc":"2.0","id":1,"result":{"tools":[` +
			`{"name":"echo","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}},` +
			`{"name":"weather","description":"says how the weather is","inputSchema":{"type":"object","required":["city"]},"outputSchema":{"type":"object"}}]}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"n":1.50}}}`, 200,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"got {\"n\":1.50}"}],"isError":false}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`, 200,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"got {}"}],"isError":false}}`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Oslo"}}}`, 200,
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"city\":\"Oslo\"}"}],"structuredContent":{"city":"Oslo"},"isError":false}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fail"}}`, 200,
			`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"disk full"}],"isError":true}}`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"none"}}`, 200,
			`{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Unknown tool: none"}}`},
		{`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":[1]}}`, 200,
			`{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params: arguments must be an object"}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"prompts/list"}`, 200,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: prompts/list"}}`},
		{`{"id":8,"method":"ping"}`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the body must be one JSON-RPC 2.0 message"}}`},
		{`[{"jsonrpc":"2.0","id":8,"method":"ping"}]`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the body must be one JSON-RPC 2.0 message"}}`},
		{`{`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: EOF"}}`},
	} {
		resp := mcpAsk(m, "POST", session, c.body)
		if resp.Status != c.status || string(resp.Body) != c.want {
			t.Errorf("%s:\ngot  %d %s\nwant %d %s", c.body, resp.Status, resp.Body, c.status, c.want)
		}
	}
}

// A session begins with initialize, ends with DELETE, and is needed in between.
func TestMCPSessions(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	m := newMCP()
	first := mcpAsk(m, "POST", "", mcpInitialize).Header.Get(mcpSession)
	second := mcpAsk(m, "POST", "", mcpInitialize).Header.Get(mcpSession)
	for _, c := range []struct {
		method, session, body string
		status                int
	}{
		{"POST", "", ping, 400},
		{"POST", "other", ping, 404},
		{"POST", first, ping, 200},
		{"GET", first, "", 405},
		{"PUT", first, "", 405},
		{"DELETE", "", "", 400},
		{"DELETE", "other", "", 404},
		{"DELETE", first, "", 204},
		{"DELETE", first, "", 404},
		{"POST", first, ping, 404},
		{"POST", second, ping, 200},
	} {
		resp := mcpAsk(m, c.method, c.session, c.body)
		if resp.Status != c.status {
			t.Errorf("%s %q %s: status %d, want %d: %s", c.method, c.session, c.body, resp.Status, c.status, resp.Body)
		}
	}

	r := httptest.NewRequest("POST", "http://tools.test/mcp", nil)
	r.Header = http.Header{mcpSession: {second}, mcpVersion: {"1999-01-01"}}
	resp := m.Answer(r, []byte(ping))
	if resp.Status != 400 || !strings.Contains(string(resp.Body), "2025-11-25") {
		t.Errorf("an old version of the protocol: status %d: %s", resp.Status, resp.Body)
	}
	future := strings.Replace(mcpInitialize, "2025-06-18", "2099-01-01", 1)
	if body := string(mcpAsk(m, "POST", "", future).Body); !strings.Contains(body, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("a future version of the protocol: %s", body)
	}
}

// The path decides which requests the server answers.
func TestMCPPath(t *testing.T) {
	for _, c := range []struct {
		path, url string
		want      bool
	}{
		{"", "http://a.test/mcp", true},
		{"", "http://a.test/team/mcp/", true},
		{"", "http://a.test/mcp/tools", false},
		{"", "http://a.test/v1/responses", false},
		{"/tools/", "http://a.test/tools", true},
		{"/tools", "http://a.test/mcp", false},
	} {
		m := &MCP{Path: c.path}
		if got := m.Owns(httptest.NewRequest("POST", c.url, nil)); got != c.want {
			t.Errorf("%q owns %s: %v", c.path, c.url, got)
		}
	}
}
