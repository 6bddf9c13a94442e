package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// readLines returns a session with a process, read as an exchange.
func readLines(lines string) *Exchange {
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: "stdio://tool", Body: []byte(`{"args":["--port","3","a b",""]}`)},
		Response: interaction.Response{Status: 200, Stream: "messages", Events: events(lines)},
	}
	return Read([]*interaction.Interaction{it})[0]
}

// toldSession returns the messages of a session, each in a line: the side, the title, the parts.
func toldSession(s *Session) string {
	var lines []string
	for i := range s.Messages {
		m := &s.Messages[i]
		side := "<"
		if m.Sent {
			side = ">"
		}
		var parts []string
		for _, p := range m.Parts {
			text := p.Kind + " " + p.Name + p.Args + p.Text
			if p.Bad {
				text = "bad " + text
			}
			parts = append(parts, text)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d%s %s | %s", m.Number, side, m.Title, strings.Join(parts, "; ")+m.Body)))
	}
	return strings.Join(lines, "\n")
}

// TestProcessesReadInTheirProtocols: what show prints of whole sessions is in cmd/promptecho. Here
// is what those have not.
func TestProcessesReadInTheirProtocols(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, kind, lines, want string }{
		{
			"lines of text, signals and files", Process,
			"sent hello\nreceived_stderr warning\nreceived_stderr_bytes >>>\nreceived {\"n\":1}\n" +
				`received_file {"path":"a.go","text":"package a"}` + "\n" +
				`received_file {"path":"b.go","removed":true}` + "\n" +
				"sent_signal interrupt\nreceived_close signal: interrupt",
			"1>  | hello\n2< stderr | warning\n3< stderr | >>>\n4<  | {\"n\":1}\n" +
				"5< writes a.go | text package a\n6< removes b.go |\n7> signal interrupt |\n8< signal: interrupt |",
		},
		{
			"a batch", JSONRPC,
			`sent [{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}},{"jsonrpc":"2.0","id":2,"method":"b"}]` + "\n" +
				`received [{"jsonrpc":"2.0","id":2,"result":"two"},{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}]`,
			`1> batch: a, b | other {"x":1}` + "\n" +
				`2< batch: answer to 1: b, answer to 1: a (failed) | other two; bad text error -1: no`,
		},
		{
			"both sides count their IDs from 1; an answer without a request", MCP,
			`sent {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{"a":1}}}` + "\n" +
				`received {"jsonrpc":"2.0","id":1,"method":"roots/list"}` + "\n" +
				`sent {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}` + "\n" +
				`received {"jsonrpc":"2.0","id":1,"result":{"content":[]}}` + "\n" +
				`received {"jsonrpc":"2.0","id":9,"result":{}}`,
			`1> tools/call f({"a":1}) |` + "\n2< roots/list |\n" +
				`3> answer to 2: roots/list | other {"roots":[]}` + "\n4< answer to 1: tools/call | other {\"content\":[]}\n5< answer |",
		},
		{
			"a tool of an agent that is there at once, a diff, and a permission that is not given", ACP,
			`sent {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"},{"type":"resource_link","uri":"file:///a"}]}}` + "\n" +
				`received {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit a.go","kind":"edit","status":"completed","content":[{"type":"diff","path":"a.go","newText":"x"}]}}}` + "\n" +
				`received {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"2","title":"rm"},"options":[]}}` + "\n" +
				`sent {"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}` + "\n" +
				`received {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no model"}}`,
			"1> session/prompt | text go; text [file:///a]\n" +
				"2< session/update tool_call | tool_call Edit a.go{}; tool_result Edit a.goa.go:\nx\n" +
				"3< session/request_permission | text asks for: rm\n" +
				"4> answer to 3: session/request_permission | text cancelled\n" +
				"5< answer to 1: session/prompt (failed) | bad text error -32603: no model",
		},
		{
			"a tool that is denied, and other arguments", Claude,
			`received {"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}}` + "\n" +
				`sent {"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"behavior":"deny","message":"no"}}}` + "\n" +
				`received {"type":"control_request","request_id":"2","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"u"}}` + "\n" +
				`sent {"type":"control_response","response":{"subtype":"success","request_id":"2","response":{"behavior":"allow","updatedInput":{"command":"ls -l"}}}}` + "\n" +
				`sent {"type":"control_request","request_id":"3","request":{"subtype":"set_model","model":"m"}}` + "\n" +
				`received {"type":"control_response","response":{"subtype":"error","request_id":"3","error":"unknown model"}}`,
			`1< control_request can_use_tool | text asks for: Bash({"command":"ls"})` + "\n" +
				"2> answer to 1: control_request can_use_tool | text deny: no\n" +
				`3< control_request can_use_tool | text asks for: Bash({"command":"ls"})` + "\n" +
				`4> answer to 3: control_request can_use_tool | text allow; other {"updatedInput":{"command":"ls -l"}}` + "\n" +
				`5> control_request set_model | other {"model":"m"}` + "\n" +
				`6< answer to 5: control_request set_model (failed) | other {"error":"unknown model"}`,
		},
	} {
		e := readLines(tt.lines)
		if e.Kind != tt.kind {
			t.Errorf("%s: kind %s, want %s", tt.name, e.Kind, tt.kind)
		}
		if want := `tool --port 3 "a b" ""`; e.Title != want {
			t.Errorf("%s: title %s, want %s", tt.name, e.Title, want)
		}
		if got := toldSession(e.Session); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestTurns: a turn has the tools that an agent used in it.
func TestTurns(t *testing.T) {
	t.Parallel()
	const update = `received {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"%s","title":"t","kind":"%s"}}}` + "\n"
	for _, tt := range []struct{ name, lines, want string }{
		{
			"ACP: what an agent did in a session that it loads belongs to no turn",
			`sent {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}` + "\n" +
				fmt.Sprintf(update, "1", "read") +
				`received {"jsonrpc":"2.0","id":1,"result":null}` + "\n" +
				`sent {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n" +
				fmt.Sprintf(update, "2", "edit") +
				`received {"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}`,
			"[s] 4-6 edit cancelled",
		},
		{
			"Claude: a prompt in the arguments, and a second one while the first is under way",
			`received {"type":"system","subtype":"init","session_id":"a","model":"m"}
received {"type":"assistant","session_id":"a","parent_tool_use_id":"t0","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}
sent {"type":"user","message":{"role":"user","content":"and then?"}}
received {"type":"result","subtype":"success","session_id":"a","total_cost_usd":0.10}
received {"type":"system","subtype":"init","session_id":"b","model":"m"}`,
			"[a b] 1-4 Bash success; 5-0",
		},
		{
			"Codex: a turn that cannot start",
			`sent {"id":1,"method":"turn/start","params":{"threadId":"x","input":[]}}
received {"id":1,"error":{"code":-32600,"message":"no thread"}}`,
			"[] 1-2 failed",
		},
	} {
		s := readLines(tt.lines).Session
		var turns []string
		for _, turn := range s.Turns {
			text := fmt.Sprintf("%d-%d", turn.First, turn.Last)
			for _, use := range turn.Tools {
				text += " " + use.Name
			}
			text += " " + turn.Finish
			if turn.Failed {
				text += "failed"
			}
			turns = append(turns, strings.TrimSpace(text))
		}
		got := fmt.Sprint(s.IDs, " ", strings.Join(turns, "; "))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// FuzzProcess: no line of a process makes the reader panic, and each message stays there.
func FuzzProcess(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"optionId":1},"stopReason":2,"sessionId":"s"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/request_permission"}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call"}}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk"}}}`,
		`{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool"}}`,
		`{"type":"control_response","response":{"request_id":"1","response":1}}`,
		`{"type":"result","session_id":1}`, `{"type":"assistant","session_id":"","message":1}`,
		`{"type":"item.completed","item":{"type":"mcp_tool_call"}}`, `{"type":"turn.failed"}`,
		`{"method":"item/completed","params":{"item":{"type":"commandExecution"}}}`,
		`{"method":"notifications/cancelled","params":{"requestId":1}}`, `[[],1,{}]`, `[]`, `1`, ``,
	} {
		f.Add(line, line)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var list []interaction.Event
		for _, line := range []string{a, b, a} {
			for _, name := range []string{"sent", "received"} {
				list = append(list, interaction.Event{{Name: name, Value: line}})
			}
		}
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "stdio://x"},
			Response: interaction.Response{Status: 200, Stream: "messages", Events: list},
		}
		n := 0
		for _, m := range Read([]*interaction.Interaction{it})[0].Session.Messages {
			n += m.Count
		}
		if n != len(list) {
			t.Errorf("%d messages of %d", n, len(list))
		}
	})
}
