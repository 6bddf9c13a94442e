package mutation

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// checkPlaces checks that the messages of a session keep their number, and those of the client
// their places and texts.
func checkPlaces(t *testing.T, it *interaction.Interaction) {
	t.Helper()
	for _, m := range Of(it, Options{}) {
		resp := m.Response()
		if len(resp.Events) != len(it.Response.Events) {
			t.Errorf("%s: %d messages in the place of %d", m.What, len(resp.Events), len(it.Response.Events))
			continue
		}
		for place, sent := range it.Response.SentMessages() {
			kept, ok := resp.Events[place].Message()
			if !ok || kept.Data != sent.Data {
				t.Errorf("%s: message %d of the client is changed", m.What, place)
			}
		}
	}
}

// Each change of what Claude Code writes is what it would have written.
func TestClaudeCodeIsChanged(t *testing.T) {
	t.Parallel()
	const (
		ending = `","session_id":"s","subtype":"success"}`
		call   = `{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}`
	)
	message := func(text string) string {
		return `{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"` + text + `"}]}}`
	}
	piece := func(text string) string {
		return `{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"` + text + `"}}}`
	}
	result := func(text string) string {
		return `{"type":"result","is_error":false,"result":"` + text + ending
	}
	it := recordedSession("stdio://claude", `{"args":["-p"]}`, ">close ",
		"<"+call, "<"+piece("Hello "), "<"+piece("there"), "<"+message("Hello there"), "<"+result("Hello there"), "<close exit status 0")
	const exit = "exit status 0"
	check(t, []change{
		{it, Control, join(call, piece("Hello"), piece(" there"), message("Hello there"), result("Hello there"), exit)},
		{it, OtherText, join(call, piece("It de"), piece("pends."), message("It depends."), result("It depends."), exit)},
		{it, NoText, join(call, "-", "-", "-", result(""), exit)},
		{it, StreamError, join(call, piece("Hello "), "-", "-", `{"type":"result","is_error":true,"session_id":"s","subtype":"error_during_execution"}`)},
		{it, StreamBreaks, "exit status 1"},
	})
	checkPlaces(t, it)
}

// Each change of what Codex writes is what it would have written, with exec and as a server.
func TestCodexIsChanged(t *testing.T) {
	t.Parallel()
	item := func(text string) string {
		return `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"` + text + `"}}`
	}
	const end = `{"type":"turn.completed","usage":{}}`
	exec := recordedSession("stdio://codex", `{"args":["exec"]}`, `<{"type":"turn.started"}`, "<"+item("Hello"), "<"+end)

	delta := func(thread, text string) string {
		return `{"method":"item/agentMessage/delta","params":{"threadId":"` + thread + `","itemId":"i","delta":"` + text + `"}}`
	}
	completed := func(thread, status string) string {
		return `{"method":"turn/completed","params":{"threadId":"` + thread + `","turn":{"status":"` + status + `"`
	}
	server := recordedSession("stdio://codex", `{"args":["app-server"]}`,
		"<"+delta("a", "He"), "<"+delta("b", "Bye"), "<"+delta("a", "llo"),
		"<"+completed("b", "completed")+"}}}", "<"+completed("a", "completed")+"}}}")
	check(t, []change{
		{exec, OtherText, join(item("It depends."), end)},
		{exec, NoText, join("-", end)},
		{exec, StreamError, join("-", `{"type":"turn.failed","error":`)},
		{server, OtherText, join(delta("a", "It de"), delta("b", "Bye"), delta("a", "pends."))},
		{server, StreamError, completed("a", "failed") + `,"error":{"message":`},
	})
	if got := changes(server, OtherText); got != `answer 1: "Hello" -> "It depends."; answer 2: "Bye" -> "It depends."` {
		t.Errorf("got %s", got)
	}
}

// Each change of an agent of ACP is what it would have sent, and each prompt is an answer.
func TestACPIsChanged(t *testing.T) {
	t.Parallel()
	prompt := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/prompt","params":{"sessionId":"s"}}`
	}
	update := func(content string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + content + `}}}`
	}
	chunk := func(text string) string {
		return update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}`)
	}
	stop := func(id, reason string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"stopReason":"` + reason + `"}}`
	}
	call := update(`"sessionUpdate":"tool_call","toolCallId":"c"`)
	it := recordedSession("stdio://agent", `{"args":["--acp"]}`,
		">"+prompt("1"), "<"+chunk("Let me look."), "<"+call, "<"+chunk("Two "), "<"+chunk("files."), "<"+stop("1", "end_turn"),
		">"+prompt("2"), "<"+chunk("Bye"), "<"+stop("2", "end_turn"))
	check(t, []change{
		{it, Control, join(chunk("Let me look."), call, chunk("Two f"), chunk("iles."), stop("1", "end_turn"), chunk("Bye"))},
		{it, OtherText, join(chunk("It depends."), call, chunk(""), chunk(""), stop("1", "end_turn"), chunk("Bye"))},
		{it, NoText, join("-", call, "-", "-", stop("1", "end_turn"), chunk("Bye"))},
		{it, CutOff, join(chunk("Let me look."), call, chunk("Tw"), chunk("o f"), stop("1", "max_tokens"), chunk("Bye"))},
		{it, Refused, join("-", call, "-", "-", stop("1", "refusal"), chunk("Bye"))},
		{it, StreamError, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,`},
	})
	checkPlaces(t, it)
}

// Each result of an MCP server over standard input and output has changes of its own.
func TestResultOfProcessIsChanged(t *testing.T) {
	t.Parallel()
	call := func(id, tool string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
	}
	result := func(id, text string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
	}
	it := recordedSession("stdio://weather", `{"args":[]}`,
		">"+call("3", "sky"), ">"+call("4", "temp"), "<"+result("4", "cold"), "<"+result("3", "blue"), "<close exit status 0")
	check(t, []change{
		{it, OtherText, join(result("4", "cold"), result("3", "It depends."))},
		{it, ToolError, join(result("4", "cold"), `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"the tool failed"}],"isError":true}}`)},
	})
	if got := changes(it, OtherText); got != `answer 1: sky: "blue" -> "It depends."; answer 2: temp: "cold" -> "It depends."` {
		t.Errorf("got %s", got)
	}
	checkPlaces(t, it)
}

// Messages of an unknown program are changed, JSON field by field and text line by line.
func TestUnknownMessagesAreChanged(t *testing.T) {
	t.Parallel()
	it := recordedSession("stdio://spell", `{"args":[]}`, `>{"text":"teh end"}`, `<{"mistakes":1}`, "<done")
	if got := changes(it, FieldValue); got != `answer 1: the message: mistakes: 1 -> 2` {
		t.Errorf("got %s", got)
	}
	check(t, []change{
		{it, FieldValue, join(`{"mistakes":2}`, "done")},
		{it, OtherText, join(`{"mistakes":1}`, "It depends.")},
	})
	checkPlaces(t, it)
}
