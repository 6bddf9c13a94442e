package conversation

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// rpc is an interaction of JSON-RPC.
func rpc(headers interaction.Headers, body, answer string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: "https://mcp.example.com/mcp", Headers: headers, Body: []byte(body)},
		Response: interaction.Response{Status: 200, Body: []byte(answer)},
	}
}

// TestRPC: calls of MCP and A2A are told by what they ask, and answers by what they say; what
// links messages is left out.
func TestRPC(t *testing.T) {
	t.Parallel()
	mcp := interaction.Headers{{Name: "mcp-protocol-version", Values: []string{"2025-06-18"}}}
	for _, tt := range []struct {
		it   *interaction.Interaction
		want string
	}{
		{rpc(nil, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Rome"},"_meta":{"progressToken":1}}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"sunny"}],"structuredContent":{"sky":"sunny"}}}`),
			`mcp: tools/call get_weather({"city":"Rome"}) | text sunny; other {"sky":"sunny"}`},
		{rpc(nil, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"f"}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a": 1},"isError":true}}`),
			`mcp: tools/call f() | text bad {"a":1}`},
		{rpc(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1","_meta":{"x":1}}}`, `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"w"}}}`),
			`mcp: initialize protocolVersion="1" | other {"serverInfo":{"name":"w"}}`},
		{rpc(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"f","description":"does it","inputSchema":{"properties":{"a":{},"b":{}}}}]}}`),
			`mcp: tools/list | text f(a, b): does it`},
		{rpc(nil, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not found"}}`),
			`mcp: resources/read file:///a | text bad error -32002: not found`},
		{rpc(mcp, `{"jsonrpc":"2.0","id":1,"method":"vendor/own","params":[1]}`, `{"jsonrpc":"2.0","id":1,"result":7}`), `mcp: vendor/own params=[1] | other 7`},
		{rpc(nil, `{"jsonrpc":"2.0","id":"a","method":"message/send","params":{"message":{"role":"user","messageId":"m","parts":[{"kind":"text","text":"Book it"}]}}}`,
			`{"jsonrpc":"2.0","id":"a","result":{"kind":"message","role":"agent","messageId":"n","parts":[{"kind":"text","text":"Booked"}]}}`),
			`a2a: message/send user: text Book it | text Booked`},
		{rpc(nil, `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`, `{"jsonrpc":"2.0","id":1,"result":"0x10"}`), `jsonrpc: eth_blockNumber params=[] | other 0x10`},
		{rpc(nil, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"f","arguments":{}}}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}]`),
			`jsonrpc: batch: ping, tools/call f({}) | text done`},
		{rpc(nil, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"f"}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"b\":2}"}],"structuredContent":{"a":1}}}`),
			`mcp: tools/call f() | text {"b":2}; other {"a":1}`},
		{rpc(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"x":1},"serverInfo":{"name":"w"}}}`),
			`mcp: initialize | other {"serverInfo":{"name":"w"}}`},
		{rpc(nil, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, ``), `jsonrpc: answer to the server`},
	} {
		if got := told(Read([]*interaction.Interaction{tt.it})[0]); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// told returns an exchange in one line.
func told(e *Exchange) string {
	text := e.Kind + ": " + e.Title
	for _, s := range e.Settings {
		text += " " + s.Name + "=" + s.Value
	}
	part := func(p Part) string {
		if p.Bad {
			return p.Kind + " bad " + p.Text
		}
		return p.Kind + " " + p.Text
	}
	for _, m := range e.Messages {
		text += " " + m.Role + ":"
		for _, p := range m.Parts {
			text += " " + part(p)
		}
	}
	var parts []string
	for _, p := range e.Answer.Parts {
		parts = append(parts, part(p))
	}
	if len(parts) > 0 {
		text += " | " + strings.Join(parts, "; ")
	}
	return text
}

// TestMedia: pictures, sounds and vectors are named by their types and sizes, wherever they
// stand, and nothing prints their bytes.
func TestMedia(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 100)
	b64 := base64.StdEncoding.EncodeToString([]byte(png))
	ask := func(url, body, answer string) *interaction.Interaction {
		return &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: url, Body: []byte(body)}, Response: interaction.Response{Status: 200, Body: []byte(answer)}}
	}
	vector := "[" + strings.Repeat("0.25,", 255) + "1]"
	for _, tt := range []struct {
		it   *interaction.Interaction
		want string
	}{
		{ask("https://api.openai.com/v1/images/generations", `{"model":"m","prompt":"a cat"}`, `{"data":[{"b64_json":"`+b64+`"}]}`), "image/png, 108 bytes"},
		{ask("https://api.openai.com/v1/audio/speech", `{"model":"m","input":"Hi","voice":"v"}`, "ID3\x00\xff\xfe"+strings.Repeat("\x00", 94)), "audio/mpeg, 100 bytes"},
		{ask("https://api.openai.com/v1/embeddings", `{"model":"m","input":["a","b","c"]}`, `{"data":[{"embedding":`+vector+`},{"embedding":`+vector+`},{"embedding":`+vector+`}]}`), "3 vectors of 256"},
		{ask("https://api.openai.com/v1/embeddings", `{"model":"m","input":"a"}`, `{"data":[{"embedding":"`+base64.StdEncoding.EncodeToString(make([]byte, 1024))+`"}]}`), "1 vector of 256"},
		{ask("https://example.com/numbers", `{}`, `{"data":`+vector+`}`), ""},
	} {
		e := Read([]*interaction.Interaction{tt.it})[0]
		got := ""
		for _, p := range e.Answer.Parts {
			if p.Kind == Media {
				got += p.Text
			}
			if strings.HasPrefix(p.Text, "image") && (p.Type != "image/png" || string(p.Data) != png) {
				t.Errorf("%s: %s of %d bytes", tt.want, p.Type, len(p.Data))
			}
		}
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		if strings.Contains(e.Answer.Body, "not text") {
			t.Errorf("%s: a body that is told is also counted: %s", tt.want, e.Answer.Body)
		}
		if all := fmt.Sprint(e.Answer.Body, got); strings.Contains(all, b64[:20]) {
			t.Errorf("the bytes are told: %.80s", all)
		}
	}
	sent := Read([]*interaction.Interaction{ask("https://api.openai.com/v1/chat/completions",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`+b64+`"}}]}]}`, `{}`)})[0]
	if p := sent.Messages[0].Parts[0]; p.Text != "image/png, 108 bytes" || string(p.Data) != png {
		t.Errorf("a picture that was sent: %q, %d bytes", p.Text, len(p.Data))
	}
}
