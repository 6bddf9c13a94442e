package route_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/snapshot/route"
)

// routeOfFile returns the route of the interactions in a cassette of package conversation.
func routeOfFile(t *testing.T, name string) string {
	t.Helper()
	f, err := cassette.Load(filepath.Join("..", "..", "canon", "conversation", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var calls []route.Call
	for _, it := range f.Interactions {
		calls = append(calls, route.Call{Interaction: it, FromTest: true})
	}
	return route.Of(calls).String()
}

// TestAgentsAndServersThatAreProcesses: each prompt to an agent is a step with the tools that it
// used, and each call of a server is one. A tool that a model has called, and a server of a process
// has executed, is in the route once.
func TestAgentsAndServersThatAreProcesses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ cassette, want string }{
		{"mcp.yaml", `run book {"guests":2}: failed
jsonrpc resources/read file:///menu: failed
run get_weather {"city":"Bergen"}: canceled
ask gpt-5: tool calls
  get_weather {"city":"Rome"}, ran
  get_weather {"city":"Oslo"}, ran`},
		{"acp.yaml", `ask agent: stop
  read {"path":"$PROMPTECHO_MODULE/go.mod"}, ran
ask agent: stop
  read {"path":"$PROMPTECHO_MODULE/go.mod"}, denied`},
		{"claude.yaml", `ask claude (claude-sonnet-4-5): stop
  Bash {"command":"ls $PROMPTECHO_MODULE"}, ran
ask claude (claude-sonnet-4-5): failed`},
		{"codex-exec.yaml", `ask codex: stop
  command_execution {"command":"/bin/bash -lc ls"}, ran
  get_weather {"city":"Rome"}, ran
  file_change {"changes":[{"kind":"add","path":"$PROMPTECHO_TEMP/new.go"}]}, ran
  command_execution {"command":"go vet ./..."}, ran: failed
ask codex: failed
session codex: exit status 1`},
		{"codex-app-server.yaml", `at once:
  ask codex (gpt-5.2-codex): stop
    command_execution {"command":"ls"}, denied
  ask codex (gpt-5.2-codex): stop
    command_execution {"command":"ls"}, ran
  ask codex (gpt-5.2-codex): stop
    command_execution {"command":"ls"}, ran`},
	} {
		got := routeOfFile(t, tt.cassette)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.cassette, got, tt.want)
		}
	}
}

// process returns a session with a process; each line is an event: a field and its value.
func process(events string) *interaction.Interaction {
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: "stdio://tool", Body: []byte(`{"args":[]}`)},
		Response: interaction.Response{Status: 200, Stream: "messages"},
	}
	for line := range strings.SplitSeq(events, "\n") {
		name, value, _ := strings.Cut(line, " ")
		it.Response.Events = append(it.Response.Events, interaction.Event{{Name: name, Value: value}})
	}
	return it
}

// TestEndsOfProcesses: a process that does not end as usual is a step.
func TestEndsOfProcesses(t *testing.T) {
	t.Parallel()
	const call = `sent {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f"}}` + "\n"
	const answer = `received {"jsonrpc":"2.0","id":1,"result":{"content":[]}}` + "\n"
	for _, tt := range []struct{ name, events, want string }{
		{"usual", call + answer + "sent_close \nreceived_close exit status 0", "run f {}"},
		{"crash in a call", call + "received_close exit status 2", "run f {}: broken off\nsession tool: exit status 2"},
		{"signal of the client", call + answer + "sent_signal terminated\nreceived_close signal: terminated", "run f {}"},
		{"signal of another", call + answer + "received_close signal: killed", "run f {}\nsession tool: signal: killed"},
		{"unknown protocol", "sent hello\nreceived hi\nreceived_close exit status 0", "session tool"},
		{"unknown protocol that fails", "received oops\nreceived_close exit status 1", "session tool: exit status 1"},
		{"other methods", `sent {"jsonrpc":"2.0","id":1,"method":"eval","params":[1]}` + "\n" + `received {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, "jsonrpc eval: failed"},
	} {
		got := route.Of([]route.Call{{Interaction: process(tt.events)}}).String()
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestCallsWhileAProcessRuns: a process that runs during two calls does not make them concurrent,
// and the tools that it executes are at the answers that call them, which come later.
func TestCallsWhileAProcessRuns(t *testing.T) {
	t.Parallel()
	server := process(`sent {"jsonrpc":"2.0","id":1,"method":"server/discover"}
received {"jsonrpc":"2.0","id":1,"result":{}}
sent {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"f","arguments":{"b":1,"a":2}}}
received {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	server.Concurrent = &interaction.Moments{Asked: 1, Answered: 1, Ended: 4}
	ask := func(moment int, answer string) *interaction.Interaction {
		return &interaction.Interaction{
			Request: interaction.Request{
				Method: "POST",
				URL:    "https://api.openai.com/v1/chat/completions",
				Body:   []byte(`{"model":"m","messages":[]}`),
			},
			Response: interaction.Response{
				Status:  200,
				Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}},
				Body:    []byte(`{"choices":[` + answer + `]}`),
			},
			Concurrent: &interaction.Moments{Asked: moment, Answered: moment, Ended: moment},
		}
	}
	const call = `{"finish_reason":"tool_calls","message":{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":2,\"b\":1}"}}]}}`
	got := route.Of([]route.Call{
		{Interaction: server, Goroutine: 3},
		{Interaction: ask(2, call), Goroutine: 2},
		{Interaction: ask(3, `{"finish_reason":"stop","message":{"content":"x"}}`), Goroutine: 1, FromTest: true},
	}).String()
	const want = "ask m: tool calls\n  f {\"a\":2,\"b\":1}, ran\nask m: stop"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
