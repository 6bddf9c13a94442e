package concurrency_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// An api is how a provider issues IDs and gets them back. In its texts,
//
//	$id            is the ID, as JSON
//	$call, $sig    are texts with the ID in them, as JSON
//	$head, $tail   are the ID in two pieces, as JSON
//	$say           is what the answer says, as JSON
//	$number        is the number of the request in its conversation
//	$ids           are all IDs, in a path
type api struct {
	name string
	url  string

	// The body of a request: begin, a turn for each ID, end.
	begin, turn, end string
	onlyLast         bool // the body has a turn for the last ID, and for no other

	answer string
	events []string // the same answer as a stream; nil if the API has none
	header string   // of requests and first answers; has the ID if the body has none
}

var apis = []*api{{
	name:  "openai.chat",
	url:   must.ChatURL,
	begin: `{"model":"m","messages":[{"role":"user","content":"hi"}`,
	turn: `,{"role":"assistant","tool_calls":[` +
		`{"id":$id,"type":"function","function":{"name":"f","arguments":"{}"}}]}` +
		`,{"role":"tool","tool_call_id":$id,"content":"x"}`,
	end: `]}`,
	answer: `{"object":"chat.completion","choices":[{"message":{"content":$say,"tool_calls":[` +
		`{"id":$id,"type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`,
	events: []string{
		`{"object":"chat.completion.chunk","choices":[{"delta":{"content":$say}}]}`,
		`{"object":"chat.completion.chunk","choices":[{"delta":{"tool_calls":[` +
			`{"index":0,"id":$id,"function":{"name":"f","arguments":""}}]}}]}`,
		`[DONE]`,
	},
}, {
	name:  "anthropic.messages, signatures", // they come back in pieces
	url:   "https://api.anthropic.com/v1/messages",
	begin: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}`,
	turn: `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":$id},` +
		`{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]}` +
		`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}`,
	end: `]}`,
	answer: `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":$id},` +
		`{"type":"text","text":$say}]}`,
	events: []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":$head}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":$tail}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":$say}}`,
		`{"type":"message_stop"}`,
	},
}, {
	name:  "anthropic.messages, tools",
	url:   "https://api.anthropic.com/v1/messages",
	begin: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}`,
	turn: `,{"role":"assistant","content":[{"type":"tool_use","id":$id,"name":"f","input":{}}]}` +
		`,{"role":"user","content":[{"type":"tool_result","tool_use_id":$id,"content":"x"}]}`,
	end: `]}`,
	answer: `{"type":"message","content":[{"type":"tool_use","id":$id,"name":"f","input":{}},` +
		`{"type":"text","text":$say}]}`,
}, {
	name:  "openai.responses, items",
	url:   "https://api.openai.com/v1/responses",
	begin: `{"model":"m","input":[{"role":"user","content":"hi"}`,
	turn: `,{"type":"function_call","id":$id,"call_id":$call,"name":"f","arguments":"{}"}` +
		`,{"type":"function_call_output","call_id":$call,"output":"x"}`,
	end: `]}`,
	answer: `{"object":"response","output":[` +
		`{"type":"function_call","id":$id,"call_id":$call,"name":"f","arguments":"{}"},` +
		`{"type":"message","content":[{"type":"output_text","text":$say}]}]}`,
	events: []string{
		`{"type":"response.output_item.done","item":` +
			`{"type":"function_call","id":$id,"call_id":$call,"name":"f","arguments":"{}"}}`,
		`{"type":"response.output_text.delta","delta":$say}`,
	},
}, {
	name:     "openai.responses, previous_response_id",
	url:      "https://api.openai.com/v1/responses",
	begin:    `{"model":"m","input":"hi"`,
	turn:     `,"previous_response_id":$id`,
	end:      `}`,
	onlyLast: true,
	answer: `{"object":"response","id":$id,"output":[` +
		`{"type":"message","content":[{"type":"output_text","text":$say}]}]}`,
}, {
	name:  "gemini",
	url:   "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
	begin: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}`,
	turn: `,{"role":"model","parts":[{"functionCall":{"id":$id,"name":"f","args":{}},"thoughtSignature":$sig}]}` +
		`,{"role":"user","parts":[{"functionResponse":{"id":$id,"name":"f","response":{"x":"y"}}}]}`,
	end: `]}`,
	answer: `{"candidates":[{"content":{"role":"model","parts":[` +
		`{"functionCall":{"id":$id,"name":"f","args":{}},"thoughtSignature":$sig},{"text":$say}]}}]}`,
}, {
	name:  "bedrock",
	url:   "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse",
	begin: `{"messages":[{"role":"user","content":[{"text":"hi"}]}`,
	turn: `,{"role":"assistant","content":[{"toolUse":{"toolUseId":$id,"name":"f","input":{}}}]}` +
		`,{"role":"user","content":[{"toolResult":{"toolUseId":$id,"content":[{"text":"x"}]}}]}`,
	end: `]}`,
	answer: `{"output":{"message":{"role":"assistant","content":[` +
		`{"toolUse":{"toolUseId":$id,"name":"f","input":{}}},{"text":$say}]}}}`,
}, {
	name:   "a session of MCP",
	url:    "https://mcp.example/mcp",
	begin:  `{"jsonrpc":"2.0","id":$number,"method":"tools/call","params":{"name":"next"}`,
	end:    `}`,
	answer: `{"jsonrpc":"2.0","id":1,"result":$say}`,
	events: []string{`{"jsonrpc":"2.0","id":1,"result":$say}`},
	header: "Mcp-Session-Id",
}, {
	name:   "a server that promptecho does not know",
	url:    "https://api.example/threads/$ids/runs",
	begin:  `{"next":true}`,
	answer: `{"thread":$id,"says":$say}`,
}}

// request returns the next request of a conversation that was issued these IDs. The space is put
// into the body, which means the same with it.
func (a *api) request(ids []string, space string) must.Request {
	turns := ids
	if a.onlyLast && len(ids) > 0 {
		turns = ids[len(ids)-1:]
	}
	body := a.begin
	for _, id := range turns {
		body += fill(a.turn, id, 0, "")
	}
	body += a.end
	body = strings.ReplaceAll(body, "$number", strconv.Itoa(len(ids)+1))
	req := must.Request{
		URL:  strings.ReplaceAll(a.url, "$ids", strings.Join(ids, ",")),
		Body: "{" + space + body[1:],
	}
	if a.header != "" && len(ids) > 0 {
		req.Headers = []string{a.header, ids[0]}
	}
	return req
}

// hasID reports whether a request has an ID: in the body, the header or the path.
func (a *api) hasID(req *http.Request, body, id string) bool {
	if strings.Contains(body, quote(id)) {
		return true
	}
	if a.header != "" && req.Header.Get(a.header) == id {
		return true
	}
	_, rest, _ := strings.Cut(req.URL.Path, "/threads/")
	ids, _, _ := strings.Cut(rest, "/runs")
	return slices.Contains(strings.Split(ids, ","), id)
}

// stream returns the events of an answer, as they are sent. The ID is cut in two.
func (a *api) stream(id string, cut int, say string) string {
	var all strings.Builder
	for _, event := range a.events {
		fmt.Fprintf(&all, "data: %s\n\n", fill(event, id, cut, say))
	}
	return all.String()
}

// fill replaces the variables of a text of an api.
func fill(text, id string, cut int, say string) string {
	return strings.NewReplacer(
		"$id", quote(id),
		"$call", quote("call"+id),
		"$sig", quote("sig0"+id),
		"$head", quote(id[:cut]),
		"$tail", quote(id[cut:]),
		"$say", quote(say),
	).Replace(text)
}

// quote returns a text as JSON.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // no text fails
	}
	return string(b)
}

// idShapes make IDs as providers do, another one for each number.
var idShapes = []func(n int) string{
	func(n int) string { return fmt.Sprintf("call_%04d", n) },
	func(n int) string { return fmt.Sprintf("call_iqVbYc%dTYcaOvFmvw", n) },
	func(n int) string { return fmt.Sprintf("toolu_01A09q90qw90lq%06d", n) },
	func(n int) string { return fmt.Sprintf("%08x-7f3e-4cc1-a5d2-3b1f0e8d9c7a", n) },
	func(n int) string { return fmt.Sprintf("01J9ZQ4T8M6X2V5N7K3B%06d", n) },
	func(n int) string { return fmt.Sprintf("%032x", 1<<40+int64(n)) },
	func(n int) string { return fmt.Sprintf("12345678901%08d", n) },
	func(n int) string { return fmt.Sprintf("EqoBCkg+IAR/%06dYz9P0==", n) },
	func(n int) string { return "AbCdEfGhIjKlMn" + digitsAsLetters(n) },
	func(n int) string { return fmt.Sprintf("projects/p/sessions/s%x", n) },
	func(n int) string { return fmt.Sprintf("msg_%d", n) },
	func(n int) string { return fmt.Sprintf("c%d", n) },
}

func digitsAsLetters(n int) string {
	toLetter := func(digit rune) rune { return digit - '0' + 'a' }
	return strings.Map(toLetter, fmt.Sprintf("%06d", n))
}
