package fakeprovider

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// readRequest reads a request to an endpoint, whose name it checks if it has one.
func readRequest(t *testing.T, e endpoint) *Request {
	t.Helper()
	var state State
	r := httptest.NewRequest(http.MethodPost, e.path, nil)
	r.Header.Set("Authorization", "Bearer k")
	r.Header.Set("Content-Type", "application/json")
	if boundary, ok := strings.CutPrefix(firstLine(e.body), "--"); ok {
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	}
	req := Read(r, []byte(e.body), &state)
	if e.name != "" && req.Endpoint() != e.name {
		t.Fatalf("%s is taken for %s", e.name, req.Endpoint())
	}
	return req
}

// answered is the response to a request for a reply of a script.
func answered(t *testing.T, e endpoint, reply Reply) *Response {
	t.Helper()
	req := readRequest(t, e)
	if req.Problem != nil {
		return req.Refuse(1, *req.Problem)
	}
	return req.Answer(1, reply)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\r\n")
	return line
}

// text is a response as one text.
func (r *Response) text() string { return string(r.Body) + string(bytes.Join(r.Events, nil)) }

// form is the body of a multipart form. A value that begins with @ is a file.
func form(fields ...string) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		b.WriteString("--XX\r\nContent-Disposition: form-data; name=\"" + fields[i] + `"`)
		content, isFile := strings.CutPrefix(fields[i+1], "@")
		if isFile {
			b.WriteString("; filename=\"a.bin\"\r\nContent-Type: audio/mpeg")
		}
		b.WriteString("\r\n\r\n" + content + "\r\n")
	}
	return b.String() + "--XX--\r\n"
}

var brokenReply = Reply{
	Pieces: []string{"half ", "an"},
	Broken: &Problem{Message: "out of breath", Kind: "server_error"},
}

// A scripted error inside a stream comes after the pieces, and is an error response
// where the request does not stream.
func TestBrokenReplies(t *testing.T) {
	chat, responses := endpoints[0], endpoints[1]
	for _, c := range []struct {
		endpoint endpoint
		want     string
	}{
		{chat, `data: {"error":{"message":"out of breath","type":"server_error","param":null,"code":null}}` + "\n\n"},
		{responses, `event: error
data: {"type":"error","code":"server_error","message":"out of breath","param":null,"sequence_number":6}

event: response.failed
`},
		{mistralEndpoints[0], `"finish_reason":"error"`},
		{mediaEndpoints[0], `data: {"type":"error","error":{"message":"out of breath"`},
		{mediaEndpoints[3], `data: {"error":{"message":"out of breath"`},
	} {
		plain := answered(t, c.endpoint, brokenReply)
		if plain.Status != 500 || !strings.Contains(string(plain.Body), `out of breath`) {
			t.Errorf("%s: plain: %d %s", c.endpoint.name, plain.Status, plain.Body)
		}
		e := c.endpoint
		e.body = withStream(e.body)
		if strings.HasPrefix(e.name, "openai.audio") {
			e.body = form("stream", "true", "model", "gpt-4o-transcribe", "file", "@x")
		}
		streamed := answered(t, e, brokenReply).text()
		if !strings.Contains(streamed, c.want) {
			t.Errorf("%s: streamed: %s\nwant %s", e.name, streamed, c.want)
		}
		for _, end := range []string{`"finish_reason":"stop"`, "output_text.done", "item.done", ".completed"} {
			if strings.Contains(streamed, end) {
				t.Errorf("%s: the stream that breaks has %s: %s", e.name, end, streamed)
			}
		}
	}
}

// A broken stream of a chat has no end marker.
func TestBrokenRepliesEndNowhere(t *testing.T) {
	e := endpoints[0]
	e.body = withStream(e.body)
	if text := answered(t, e, brokenReply).text(); strings.Contains(text, "[DONE]") {
		t.Errorf("a broken stream is done: %s", text)
	}
}

// Each finish reason of a script has OpenAI's or Mistral's word, and any other is
// sent as it is.
func TestFinishReasonsOfAReply(t *testing.T) {
	for _, c := range []struct{ reason, chat, mistral, responses string }{
		{"", "stop", "stop", "completed"},
		{FinishStop, "stop", "stop", "completed"},
		{FinishLength, "length", "length", "max_output_tokens"},
		{FinishSequence, "stop", "stop", "completed"},
		{FinishCalls, "tool_calls", "tool_calls", "completed"},
		{FinishFilter, "content_filter", "stop", "content_filter"},
		{FinishRefusal, "stop", "stop", "completed"},
		{"model_length", "model_length", "model_length", "model_length"},
	} {
		reply := Reply{Text: "hi", Finish: c.reason}
		for i, e := range []endpoint{endpoints[0], mistralEndpoints[0]} {
			want := []string{c.chat, c.mistral}[i]
			o := parse(t, string(answered(t, e, reply).Body))
			if got := at(o, "choices", 0, "finish_reason"); got != want {
				t.Errorf("%s: %q is %v, want %s", e.name, c.reason, got, want)
			}
			e.body = withStream(e.body)
			if text := answered(t, e, reply).text(); !strings.Contains(text, `"finish_reason":"`+want+`"`) {
				t.Errorf("%s streamed: %q is not %s: %s", e.name, c.reason, want, text)
			}
		}
		o := parse(t, string(answered(t, endpoints[1], reply).Body))
		got := o.text("status")
		if got == "incomplete" {
			got = o.sub("incomplete_details").text("reason")
		}
		if got != c.responses {
			t.Errorf("responses: %q is %s, want %s", c.reason, got, c.responses)
		}
	}
}

// The events of a Responses stream come in the order that the API documents, for
// reasoning, pictures, refusals and calls, too.
func TestResponsesEventsOfAReply(t *testing.T) {
	const (
		summary = "output_item.added reasoning_summary_part.added reasoning_summary_text.delta+ " +
			"reasoning_summary_text.done reasoning_summary_part.done output_item.done "
		picture = "output_item.added image_generation_call.in_progress image_generation_call.generating " +
			"image_generation_call.partial_image+ image_generation_call.completed output_item.done "
		refusal = "content_part.added refusal.delta+ refusal.done content_part.done "
		text    = "content_part.added output_text.delta+ output_text.done content_part.done "
		call    = "output_item.added function_call_arguments.delta+ function_call_arguments.done output_item.done "
	)
	calls := []Call{{Name: "f", Args: `{"a":"a long argument"}`}}
	gif := &Media{Type: "image/gif", Data: []byte("gif")}
	for _, c := range []struct {
		name  string
		reply Reply
		want  string
	}{
		{"reasoning", Reply{Reasoning: "let me think", Text: "a b"}, summary + "output_item.added " + text + "output_item.done "},
		{"only reasoning", Reply{Reasoning: "let me think"}, summary},
		{"reasoning and call", Reply{Reasoning: "let me think", Calls: calls}, summary + call},
		{"text and call", Reply{Text: "a b", Calls: calls}, "output_item.added " + text + "output_item.done " + call},
		{"refusal", Reply{Refusal: "I will not"}, "output_item.added " + refusal + "output_item.done "},
		{"text and refusal", Reply{Text: "a b", Refusal: "I will not"}, "output_item.added " + text + refusal + "output_item.done "},
		{"picture", Reply{Media: gif}, picture},
		{"picture and text", Reply{Media: gif, Text: "a b"}, picture + "output_item.added " + text + "output_item.done "},
	} {
		e := endpoint{"openai.responses", responsesPath, `{"stream":true,"model":"m","input":"x",` +
			`"tools":[{"type":"image_generation","partial_images":2}]}`, true}
		resp := answered(t, e, c.reply)
		var events []event
		for i, text := range resp.Events {
			name, data, _ := strings.Cut(strings.TrimPrefix(string(text), "event: "), "\ndata: ")
			events = append(events, event{name, strings.TrimSpace(data)})
			if o := events[i].json(t); o.text("type") != name || o.number("sequence_number") != i {
				t.Errorf("%s: event %d: %s", c.name, i, text)
			}
		}
		if got, want := order(events, eventName), "created in_progress "+c.want+"completed"; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
	}
}

// A scripted response can be continued by its ID; one that broke cannot.
func TestScriptedResponsesAreRemembered(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  Reply
		status int
		said   string
	}{
		{"text", Reply{Text: "yes", Calls: []Call{{ID: "c", Name: "f", Args: `{}`}}}, 200, "yes"},
		{"refusal", Reply{Refusal: "no"}, 200, "no"},
		{"broken", brokenReply, 400, ""},
	} {
		var state State
		ask := func(body string) *Request {
			r := httptest.NewRequest(http.MethodPost, responsesPath, nil)
			r.Header.Set("Authorization", "Bearer k")
			return Read(r, []byte(body), &state)
		}
		ask(withStream(endpoints[1].body)).Answer(7, c.reply)
		next := ask(`{"model":"m","input":"x","previous_response_id":"resp_standin000007"}`)
		status := 200
		if next.Problem != nil {
			status = next.Problem.Status
		}
		if status != c.status {
			t.Errorf("%s: continued with %d, want %d", c.name, status, c.status)
			continue
		}
		if status == 200 && next.prompt.turns[1].text != c.said {
			t.Errorf("%s: remembered as %+v", c.name, next.prompt.turns)
		}
	}
}
