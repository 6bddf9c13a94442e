package fakeprovider

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// responseTo returns the response to a request, with a reply of a script.
func responseTo(t *testing.T, path, body string, reply Reply) *Response {
	t.Helper()
	var state State
	state.NeedsNoKey = true
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	read := Read(r, []byte(body), &state)
	if read.Problem != nil {
		t.Fatalf("the request is refused: %+v", read.Problem)
	}
	return read.Answer(1, reply)
}

// documents returns the objects in the events of a response, and fails for a broken frame.
func documents(t *testing.T, r *Response) []object {
	t.Helper()
	resp := &http.Response{Header: r.Header, Request: httptest.NewRequest(http.MethodPost, "/", nil)}
	if r.Events == nil {
		return []object{parse(t, string(r.Body))}
	}
	var all strings.Builder
	for _, e := range r.Events {
		all.Write(e)
	}
	resp.Body = io.NopCloser(strings.NewReader(all.String()))
	var docs []object
	next := frames(resp)
	for {
		e, err := next()
		if err != nil {
			return docs
		}
		if strings.HasPrefix(e.data, "{") {
			docs = append(docs, parse(t, e.data))
		}
	}
}

// A member that a script sets is in the response of each framing, in the event that has its object.
func TestSetMember(t *testing.T) {
	t.Parallel()
	const (
		gemini = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
		claude = `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
	)
	for _, tt := range []struct {
		name, url, body, path string
		event                 int // from the end, from 1
	}{
		{"a body", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
			"choices/0/message/annotations", 1},
		{"server-sent events", "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`,
			"choices/0/delta/extra", 1},
		{"server-sent events of Gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", gemini,
			"candidates/0/groundingMetadata/webSearchQueries", 1},
		{"a JSON array", "/v1beta/models/m:streamGenerateContent", gemini, "promptFeedback/blockReason", 1},
		{"lines of JSON", "/api/chat", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "prompt_eval_duration", 1},
		{"an event stream of AWS", "/model/m/converse-stream", `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`,
			"usage/cacheReadInputTokens", 1},
		{"an event stream with bytes", "/model/m/invoke-with-response-stream", claude, "delta/stop_details", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := responseTo(t, tt.url, tt.body, Reply{Pieces: []string{"one ", "two"}})
			before := len(documents(t, r))
			if err := r.Set(tt.path, []byte(`{"set":[1]}`)); err != nil {
				t.Fatal(err)
			}
			docs := documents(t, r)
			if len(docs) != before {
				t.Fatalf("%d events, want %d", len(docs), before)
			}
			for i, d := range docs {
				v, ok := memberAt(d, tt.path)
				isHere := i == len(docs)-tt.event
				if ok != isHere || ok && string(encode(v)) != `{"set":[1]}` {
					t.Errorf("event %d of %d: %s", i+1, len(docs), encode(d))
				}
			}
		})
	}
}

// memberAt returns the value at a path of an event, which for InvokeModel is inside of bytes.
func memberAt(o object, path string) (any, bool) {
	var v any = o
	if o.has("bytes") {
		v = readPayload(encode(o)).value
	}
	names := strings.Split(path, "/")
	for _, name := range names {
		next, ok := child(v, name)
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// A member that cannot be there is an error that says why.
func TestSetMemberThatCannotBe(t *testing.T) {
	t.Parallel()
	const chat = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	for _, tt := range []struct{ path, want string }{
		{"choices/7/x", "the list has no element 7"},
		{"choices/x", "the list has no element x"},
		{"object/x", `x would be a member of "chat.completion"`},
	} {
		r := responseTo(t, "/v1/chat/completions", chat, Reply{Text: "hi"})
		if err := r.Set(tt.path, []byte("1")); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.path, err, tt.want)
		}
	}
	r := &Response{Body: []byte("no JSON")}
	if err := r.Set("a", []byte("1")); err == nil {
		t.Error("a body that is no JSON has a member now")
	}
}

// A comment comes before the events of a stream, and no other response has one.
func TestComment(t *testing.T) {
	t.Parallel()
	const chat = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	r := responseTo(t, "/v1/chat/completions", chat, Reply{Text: "hi"})
	r.Comment("wait")
	if r.Events != nil || strings.Contains(string(r.Body), "wait") {
		t.Errorf("a response without a stream: %s", r.Body)
	}
	r = responseTo(t, "/v1/chat/completions", strings.Replace(chat, "{", `{"stream":true,`, 1), Reply{Text: "hi"})
	r.Comment("wait")
	if got := string(r.Events[0]); got != ": wait\n\n" {
		t.Errorf("the first event is %q", got)
	}
}
