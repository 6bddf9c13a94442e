package mutation

import "testing"

const (
	mcpURL  = "http://localhost:8080/mcp"
	mcpCall = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"weather","arguments":{}}}`
)

// Each change of a tool's result is what an MCP server would have sent.
func TestResultOfMCPIsChanged(t *testing.T) {
	t.Parallel()
	result := func(members string) string { return `{"jsonrpc":"2.0","id":3,"result":{` + members + `}}` }
	text := recordedBody(mcpURL, mcpCall, result(`"content":[{"type":"text","text":"sunny"}]`))
	object := recordedBody(mcpURL, mcpCall, result(`"content":[{"type":"text","text":"{\"temp\":7}"}]`))
	structured := recordedBody(mcpURL, mcpCall,
		result(`"content":[{"type":"text","text":"{\"sky\": \"blue\", \"temp\": 7}"}],"structuredContent":{"temp":7,"sky":"blue"}`))
	const failed = `"result":{"content":[{"type":"text","text":"the tool failed"}],"isError":true}`
	streamed := recordedStream(mcpURL, mcpCall,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
		result(`"content":[{"type":"text","text":"sunny"}],"isError":false`))
	check(t, []change{
		{text, Control, `"text":"sunny"`},
		{text, OtherText, `"id":3,"result":{"content":[{"type":"text","text":"It depends."}]}`},
		{text, NoText, `"result":{"content":[]}`},
		{text, ToolError, failed},
		{object, FieldValue, `"text":"{\"temp\":8}"`},
		{structured, FieldValue, `"text":"{\"sky\": \"blue\", \"temp\": 8}"}],"structuredContent":{"temp":8,"sky":"blue"}`},
		{structured, ToolError, failed},
		{streamed, OtherText, `"progress":1}}` + "\n" + result(`"content":[{"type":"text","text":"It depends."}],"isError":false`)},
		{streamed, ToolError, "\n" + `{"jsonrpc":"2.0","id":3,` + failed},
	})
	last := Of(text, Options{})[4].Response()
	if want := `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error"}}`; payloadsOf(last) != want {
		t.Errorf("got %s", payloadsOf(last))
	}
}

// What a test of a program is not about stays: handshakes, lists of tools, errors.
func TestOtherMessagesOfMCPStay(t *testing.T) {
	t.Parallel()
	for method, body := range map[string]string{
		"initialize":                `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`,
		"tools/list":                `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"weather"}]}}`,
		"tools/call":                `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}`,
		"notifications/initialized": ``,
	} {
		it := recordedBody(mcpURL, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`, body)
		if Of(it, Options{}) != nil {
			t.Errorf("%s is changed", method)
		}
	}
}

// The text of a resource is another one.
func TestResourceOfMCPIsChanged(t *testing.T) {
	t.Parallel()
	it := recordedBody(mcpURL, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///menu"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///menu","text":"Soup"}]}}`)
	check(t, []change{{it, OtherText, `{"uri":"file:///menu","text":"It depends."}`}})
}

// No response of an MCP server stops the command.
func FuzzMCP(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}}`)
	f.Add(`{"result":{"content":[1,[],{"text":7}],"structuredContent":[]}}`)
	f.Fuzz(func(_ *testing.T, body string) {
		makeAll(recordedBody(mcpURL, mcpCall, body))
		makeAll(recordedStream(mcpURL, mcpCall, body, body))
	})
}
