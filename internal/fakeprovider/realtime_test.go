package fakeprovider

import (
	"net/http"
	"strings"
	"testing"
)

const realtimePath = "/v1/realtime?model=gpt-realtime"

const (
	userItem = `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Weather in Oslo?"}]}}`
	textOnly = `{"type":"session.update","session":{"type":"realtime","output_modalities":["text"],"instructions":"Be brief.","tools":[` + responsesTool + `]}}`
	respond  = `{"type":"response.create"}`
)

// The events of a session come in the order of the API, for text, speech, tools and
// endings.
func TestRealtimeEvents(t *testing.T) {
	const item = "response.output_item.added conversation.item.added "
	const part = "response.content_part.added "
	const done = "response.content_part.done conversation.item.done response.output_item.done "
	const call = item + "response.function_call_arguments.delta+ response.function_call_arguments.done " +
		"conversation.item.done response.output_item.done "
	const text = item + part + "response.output_text.delta+ response.output_text.done " + done
	oslo := Call{Name: "get_weather", Args: `{"city":"Oslo"}`}
	for _, c := range []struct {
		name     string
		messages []string
		reply    Reply
		want     string
	}{
		{"session", []string{textOnly}, Reply{}, "session.updated"},
		{"item", []string{userItem}, Reply{}, "conversation.item.added conversation.item.done"},
		{"text", []string{textOnly, respond}, Reply{Text: "It snows."}, "session.updated response.created " + text + "response.done"},
		{"speech", []string{respond}, Reply{Text: "It snows.", Media: &Media{Data: make([]byte, 10000)}},
			"response.created " + item + part + "response.output_audio_transcript.delta+ response.output_audio.delta+ " +
				"response.output_audio.done response.output_audio_transcript.done " + done + "response.done"},
		{"a call", []string{respond}, Reply{Calls: []Call{oslo}}, "response.created " + call + "response.done"},
		{"text and calls", []string{textOnly, respond}, Reply{Text: "Let me see.", Calls: []Call{oslo, oslo}},
			"session.updated response.created " + text + call + call + "response.done"},
		{"outside the conversation", []string{`{"type":"response.create","response":{"conversation":"none","output_modalities":["text"]}}`},
			Reply{Text: "Yes, it does."}, "response.created response.output_item.added response.content_part.added response.output_text.delta+ " +
				"response.output_text.done response.content_part.done response.output_item.done response.done"},
		{"audio of the client", []string{
			`{"type":"input_audio_buffer.append","audio":"AAAA"}`,
			`{"type":"input_audio_buffer.commit"}`,
			`{"type":"input_audio_buffer.clear"}`,
			`{"type":"input_audio_buffer.commit"}`,
		}, Reply{}, "input_audio_buffer.committed conversation.item.added conversation.item.done input_audio_buffer.cleared error"},
		{"items", []string{
			`{"type":"conversation.item.create","item":{"id":"i","type":"message","role":"user","content":[]}}`,
			`{"type":"conversation.item.retrieve","item_id":"i"}`,
			`{"type":"conversation.item.truncate","item_id":"i","content_index":0,"audio_end_ms":10}`,
			`{"type":"conversation.item.delete","item_id":"i"}`,
			`{"type":"conversation.item.delete","item_id":"i"}`,
		}, Reply{}, "conversation.item.added conversation.item.done conversation.item.retrieved conversation.item.truncated conversation.item.deleted error"},
	} {
		p := &socketProvider{turns: []socketTurn{{reply: c.reply}}}
		conn := p.dial(t, realtimePath, nil)
		events := talk(t, conn, c.messages...)
		if got := types(events); got != "session.created "+c.want {
			t.Errorf("%s:\ngot  %s\nwant session.created %s", c.name, got, c.want)
		}
		for i, e := range events {
			if e.text("event_id") == "" {
				t.Errorf("%s: event %d has no ID: %s", c.name, i, encode(e))
			}
		}
	}
}

// The script gets the instructions, tools and items of a session, with its own
// earlier answers.
func TestRealtimeRequest(t *testing.T) {
	p := &socketProvider{turns: []socketTurn{
		{reply: Reply{Calls: []Call{{ID: "call_1", Name: "get_weather", Args: `{"city":"Oslo"}`}}}},
		{reply: Reply{Text: "It snows."}},
		{reply: Reply{Text: "Goodbye."}},
	}}
	conn := p.dial(t, realtimePath, nil)
	talk(t, conn, textOnly, userItem, respond,
		`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"call_1","output":"snow"}}`,
		respond,
		`{"type":"response.create","response":{"instructions":"Be kind.","output_modalities":["audio"]}}`)
	if len(p.requests) != 3 {
		t.Fatalf("%d requests", len(p.requests))
	}
	last := p.requests[2]
	if last.Endpoint() != "openai.realtime" || last.prompt.system != "Be kind." || p.requests[1].prompt.system != "Be brief." {
		t.Errorf("%s: %+v", last.Endpoint(), last.prompt)
	}
	if len(last.prompt.tools) != 1 || last.prompt.tools[0].name != "get_weather" {
		t.Errorf("%+v", last.prompt.tools)
	}
	var turns []string
	for _, turn := range last.prompt.turns {
		said := turn.role + ": " + turn.text
		for _, c := range turn.calls {
			said += c.ID + " " + c.Name + c.Args
		}
		turns = append(turns, said)
	}
	want := `user: Weather in Oslo?|assistant: call_1 get_weather{"city":"Oslo"}|tool: snow|assistant: It snows.`
	if got := strings.Join(turns, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The status of a response says how it ended.
func TestRealtimeStatus(t *testing.T) {
	for _, c := range []struct {
		reply        Reply
		want, detail string
	}{
		{Reply{Text: "Yes."}, "completed", "null"},
		{Reply{Refusal: "I cannot do that."}, "completed", "null"},
		{Reply{Text: "Y", Finish: FinishLength}, "incomplete", `{"type":"incomplete","reason":"max_output_tokens"}`},
		{Reply{Text: "Y", Finish: FinishFilter}, "incomplete", `{"type":"incomplete","reason":"content_filter"}`},
		{Reply{Text: "Y", Broken: &Problem{Message: "sorry"}}, "failed", `{"type":"failed","error":{"type":"server_error","code":null,"message":"sorry"}}`},
	} {
		p := &socketProvider{turns: []socketTurn{{reply: c.reply}}}
		events := talk(t, p.dial(t, realtimePath, nil), respond)
		resp := events[len(events)-1].sub("response")
		if got := string(encode(resp.get("status_details"))); resp.text("status") != c.want || got != c.detail {
			t.Errorf("%+v: %s %s", c.reply, resp.text("status"), got)
		}
		text := c.reply.Text + c.reply.Refusal
		if got := at(resp, "output", 0, "content", 0, "transcript"); got != text {
			t.Errorf("%+v: text %v", c.reply, got)
		}
	}
}

// A wrong item or session is refused, with the parameter that is wrong.
func TestRealtimeRefuses(t *testing.T) {
	for _, c := range []struct{ message, code, param string }{
		{`{"type":"session.update"}`, "missing_required_parameter", "session"},
		{`{"type":"session.update","session":{}}`, "missing_required_parameter", "session.type"},
		{`{"type":"conversation.item.create"}`, "missing_required_parameter", "item"},
		{`{"type":"conversation.item.create","item":{}}`, "missing_required_parameter", "item.type"},
		{`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"c","output":""}}`, "invalid_tool_call_id", "item.call_id"},
		{`{"type":"conversation.item.create","previous_item_id":"x","item":{"type":"message","role":"user","content":[]}}`, "item_not_found", "previous_item_id"},
		{`{"type":"conversation.item.retrieve","item_id":"x"}`, "item_not_found", "item_id"},
		{`{"type":"conversation.item.truncate","item_id":"x"}`, "item_not_found", "item_id"},
		{`{"type":"response.create","response":{"input":[{"type":"item_reference","id":"x"}]}}`, "item_not_found", "response.input"},
		{`{"type":"input_audio_buffer.append","audio":"?"}`, "invalid_value", "audio"},
		{`{"type":"session.change"}`, "invalid_value", "type"},
	} {
		p := &socketProvider{}
		events := talk(t, p.dial(t, realtimePath, nil), c.message)
		err := events[len(events)-1].sub("error")
		if err.text("code") != c.code || err.text("param") != c.param {
			t.Errorf("%s: %s", c.message, encode(err))
		}
	}
}

// An item is put where the client says, and has the item before it.
func TestRealtimeItemOrder(t *testing.T) {
	item := func(id, previous string) string {
		return `{"type":"conversation.item.create","previous_item_id":` + previous +
			`,"item":{"id":"` + id + `","type":"message","role":"user","content":[{"type":"input_text","text":"` + id + `"}]}}`
	}
	p := &socketProvider{turns: []socketTurn{{reply: Reply{Text: "Yes."}}}}
	conn := p.dial(t, realtimePath, nil)
	events := talk(t, conn, item("a", "null"), item("b", `"root"`), item("c", `"b"`), item("a", "null"), respond)
	var previous []string
	for _, e := range events {
		if e.text("type") == "conversation.item.added" {
			previous = append(previous, e.text("previous_item_id"))
		}
	}
	if got := strings.Join(previous, ","); got != ",,b,a" {
		t.Errorf("items come after %q", got)
	}
	var texts []string
	for _, turn := range p.requests[0].prompt.turns {
		texts = append(texts, turn.text)
	}
	if got := strings.Join(texts, ""); got != "bca" {
		t.Errorf("the model is asked %q", got)
	}
}

// A client of the beta version gets its names of events, parts and fields.
func TestRealtimeBeta(t *testing.T) {
	p := &socketProvider{turns: []socketTurn{{reply: Reply{Text: "It snows."}}}}
	header := http.Header{"Authorization": {"Bearer sk-test"}, "Openai-Beta": {"realtime=v1"}}
	conn := p.dial(t, realtimePath, header)
	events := talk(t, conn, `{"type":"session.update","session":{"modalities":["text"]}}`, userItem, respond)
	want := "session.created session.updated conversation.item.created response.created response.output_item.added " +
		"conversation.item.created response.content_part.added response.text.delta+ response.text.done " +
		"response.content_part.done response.output_item.done response.done"
	if got := types(events); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	last := events[len(events)-1].sub("response")
	if at(last, "output", 0, "content", 0, "type") != "text" || at(last, "modalities", 0) != "text" {
		t.Errorf("%s", encode(last))
	}
}
