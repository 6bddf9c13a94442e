package mutation

import (
	"strings"
	"testing"
)

const (
	realtimeURL = "wss://api.openai.com/v1/realtime?model=gpt-realtime"
	liveURL     = "wss://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta." +
		"GenerativeService.BidiGenerateContent"
)

// join returns lines, as payloadsOf does.
func join(lines ...string) string { return strings.Join(lines, "\n") }

// Each answer of a Realtime session is changed in all events that have it, and no event is added.
func TestRealtimeIsChanged(t *testing.T) {
	t.Parallel()
	item := func(status, content string) string {
		return `{"id":"item_2","type":"message","status":"` + status + `","role":"assistant","content":[` + content + `]}`
	}
	spoken := func(text string) string { return `{"type":"output_audio","transcript":"` + text + `"}` }
	delta := func(text string) string {
		return `{"type":"response.output_audio_transcript.delta","response_id":"r","item_id":"item_2","content_index":0,"delta":"` + text + `"}`
	}
	done := func(text string) string {
		return `{"type":"response.output_audio_transcript.done","response_id":"r","item_id":"item_2","content_index":0,"transcript":"` + text + `"}`
	}
	const (
		created = `{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`
		sound   = `{"type":"response.output_audio.delta","response_id":"r","item_id":"item_2","delta":"AQID"}`
	)
	ended := func(text string) string {
		return `{"type":"response.done","response":{"id":"r","status":"completed","output":[` + item("completed", spoken(text)) + `]}}`
	}
	added := `{"type":"conversation.item.done","item":` + item("completed", spoken("Hello there")) + `}`
	text := recordedSession(realtimeURL, "",
		`<{"type":"session.created","session":{"id":"s"}}`,
		`>{"type":"response.create"}`,
		"<"+created, "<"+delta("Hello "), "<"+sound, "<"+delta("there"), "<"+done("Hello there"), "<"+added, "<"+ended("Hello there"),
		">close 1000", "<close 1000")
	check(t, []change{
		{text, Control, join(created, delta("Hello"), sound, delta(" there"), done("Hello there"), added, ended("Hello there"), "1000")},
		{text, OtherText, join(created, delta("It de"), sound, delta("pends."), done("It depends."),
			strings.Replace(added, "Hello there", "It depends.", 1), ended("It depends."), "1000")},
		{text, NoText, join(created, "-", "-", "-", done(""))},
		{text, CutOff, `"status":"incomplete","output":[` + item("incomplete", spoken("Hello")) +
			`],"status_details":{"type":"incomplete","reason":"max_output_tokens"}}}`},
		{text, StreamError, join(delta("Hello "), sound, "-", "-", "-", `{"type":"response.done","response":{"id":"r","status":"failed","output":[],`)},
	})
	if hasKind(text, Limited) || hasKind(text, StreamEnds) || hasKind(text, Refused) {
		t.Error("a session has changes that it cannot have")
	}
}

// A tool call of a Realtime session is changed in all events that have it.
func TestCallOfRealtimeIsChanged(t *testing.T) {
	t.Parallel()
	item := func(id, args string) string {
		return `{"id":"` + id + `","type":"function_call","name":"add","call_id":"c","arguments":"` + args + `"}`
	}
	added := func(id, number string) string {
		return `{"type":"response.output_item.added","response_id":"r","output_index":` + number + `,"item":` + item(id, "") + `}`
	}
	args := func(id, number, args string) string {
		return `{"type":"response.function_call_arguments.delta","response_id":"r","item_id":"` + id + `","output_index":` + number + `,"delta":"` + args + `"}`
	}
	done := func(output string) string {
		return `{"type":"response.done","response":{"id":"r","status":"completed","output":[` + output + `]}}`
	}
	const one, two = `{\"a\":1}`, `{\"a\":2}`
	calls := recordedSession(realtimeURL, "",
		`>{"type":"response.create"}`,
		"<"+added("i", "0"), "<"+args("i", "0", one), "<"+added("j", "1"), "<"+args("j", "1", two),
		"<"+done(item("i", one)+","+item("j", two)))
	check(t, []change{
		{calls, NoCall, join("-", "-", added("j", "0"), args("j", "0", two), done(item("j", two)))},
		{calls, Argument, join(args("i", "0", two), added("j", "1"), args("j", "1", two), done(item("i", two)+","+item("j", two)))},
		{calls, UnknownTool, done(strings.Replace(item("i", one), "add", "add_v2", 1) + "," + item("j", two))},
	})
	if hasKind(calls, CalledTwice) {
		t.Error("a call is added to a session")
	}
	if got := changes(calls, Argument); got != "add(a: 1 -> 2); add(a: 2 -> 3)" {
		t.Errorf("got %s", got)
	}
}

// Each turn of a Live session of Gemini is an answer with changes of its own.
func TestLiveIsChanged(t *testing.T) {
	t.Parallel()
	part := func(text string) string { return `{"serverContent":{"modelTurn":{"parts":[{"text":"` + text + `"}]}}}` }
	const end = `{"serverContent":{"turnComplete":true}}`
	it := recordedSession(liveURL, "",
		`>{"setup":{"model":"m"}}`, `<{"setupComplete":{}}`,
		`>{"clientContent":{"turnComplete":true}}`,
		`<{"toolCall":{"functionCalls":[{"id":"f","name":"add","args":{"a":1}}]}}`,
		`>{"toolResponse":{}}`, "<"+part("It is "), "<"+part("one."), "<"+end,
		`>{"clientContent":{"turnComplete":true}}`,
		`<{"serverContent":{"outputTranscription":{"text":"Bye"}}}`, "<"+end)
	check(t, []change{
		{it, NoCall, join(`{"setupComplete":{}}`, end, part("It is "))},
		{it, Argument, `"args":{"a":2}}]}}`},
		{it, OtherText, join(part("one."), end, `{"serverContent":{"outputTranscription":{"text":"It depends."}}}`, end)},
		{it, NoText, join(part("one."), end, "-", end)},
	})
	if got := changes(it, OtherText); got != `answer 2: "Bye" -> "It depends."` {
		t.Errorf("got %s", got)
	}
}

// A text of Nova Sonic is changed in both places, and what the user said stays.
func TestSonicIsChanged(t *testing.T) {
	t.Parallel()
	start := func(id, role string) string {
		return `{"event":{"contentStart":{"contentId":"` + id + `","role":"` + role + `"}}}`
	}
	text := func(id, text string) string {
		return `{"event":{"textOutput":{"contentId":"` + id + `","content":"` + text + `"}}}`
	}
	it := recordedSession("https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-sonic-v1%3A0/"+
		"invoke-with-bidirectional-stream", "",
		`>{"event":{"sessionStart":{}}}`,
		"<"+start("1", "USER"), "<"+text("1", "Hi"),
		"<"+start("2", "ASSISTANT"), "<"+text("2", "Hello"),
		"<"+start("3", "ASSISTANT"), "<"+text("3", "Hello"))
	check(t, []change{
		{it, OtherText, join(text("1", "Hi"), start("2", "ASSISTANT"), text("2", "It depends."), start("3", "ASSISTANT"), text("3", "It depends."))},
		{it, NoText, join(text("1", "Hi"), start("2", "ASSISTANT"), "-", start("3", "ASSISTANT"), "-")},
	})
}

// No message of the server of a session stops the command.
func FuzzSession(f *testing.F) {
	f.Add(`{"type":"response.done","response":{"id":"r","output":[{"id":"i","type":"message","content":[{"text":"a"}]}]}}`,
		`{"type":"response.output_text.delta","response_id":"r","delta":"a"}`)
	f.Add(`{"type":"response.function_call_arguments.done","response_id":"r","item_id":"i","output_index":1,"name":"f","arguments":"{\"a\":1}"}`, `1`)
	f.Add(`{"toolCall":{"functionCalls":[{"name":"f","args":{"a":1}}]}}`, `{"serverContent":{"modelTurn":{"parts":[{"text":"a"}]}}}`)
	f.Add(`{"event":{"textOutput":{"content":"a"}}}`, `{"event":[]}`)
	f.Add(`{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"a"}]}}`, `{"type":"result","session_id":"s","result":"a"}`)
	f.Add(`{"type":"item.completed","item":{"type":"agent_message","text":"a"}}`, `{"type":"turn.completed"}`)
	f.Add(`{"method":"item/agentMessage/delta","params":{"threadId":"t","delta":"a"}}`, `{"method":"turn/completed","params":{"threadId":"t","turn":{"status":1}}}`)
	f.Add(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}`, `{"id":1,"result":{"stopReason":"end_turn"}}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, url := range []string{realtimeURL, liveURL, "stdio://agent", "https://h.amazonaws.com/model/m/invoke-with-bidirectional-stream"} {
			it := recordedSession(url, "", `>{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s"}}`,
				`>{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "<"+first, "<"+second, "<"+first, "<close exit status 0")
			checkPlaces(t, it)
		}
	})
}

// Each response over a WebSocket is an answer with changes of its own.
func TestResponsesOverWebSocketAreChanged(t *testing.T) {
	t.Parallel()
	const create = `>{"type":"response.create","model":"m","input":"x"}`
	const created = `{"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress"}}`
	delta := func(text string) string {
		return `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"` + text + `"}`
	}
	completed := func(status, text string) string {
		return `{"type":"response.` + status + `","sequence_number":3,"response":{"id":"r","status":"` + status + `","output":[{"type":"message",` +
			`"content":[{"type":"output_text","text":"` + text + `"}]}]}}`
	}
	it := recordedSession("wss://api.openai.com/v1/responses", "",
		create, "<"+created, "<"+delta("Hel"), "<"+delta("lo"), "<"+completed("completed", "Hello"),
		create, "<"+created, "<"+delta("Bye"), "<"+completed("completed", "Bye"))
	check(t, []change{
		{it, Control, join(created, delta("He"), delta("llo"), completed("completed", "Hello"), created, delta("Bye"))},
		{it, OtherText, join(delta("It de"), delta("pends."), completed("completed", "It depends."), created, delta("Bye"))},
		{it, StreamError, join(delta("Hel"), "-", `{"type":"response.failed","response":{"id":"r","status":"failed",`)},
	})
	if got := changes(it, OtherText); got != `answer 1: "Hello" -> "It depends."; answer 2: "Bye" -> "It depends."` {
		t.Errorf("got %s", got)
	}
	if got := payloadsOf(made(t, it, CutOff)); !strings.Contains(got, `"type":"response.incomplete"`) {
		t.Errorf("got %s", got)
	}
	checkPlaces(t, it)
}
