package fakeprovider

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// answerClaude answers a request with a reply of a script.
func answerClaude(t *testing.T, path, body string, reply Reply) *Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer any")
	req := Read(r, []byte(body), new(State))
	if req.Problem != nil {
		t.Fatalf("%s refuses %s: %+v", path, body, *req.Problem)
	}
	return req.Answer(7, reply)
}

// claudeEvents reads the events of a stream, without pings. An exception of an event
// stream is an event with its name.
func claudeEvents(t *testing.T, resp *Response) []event {
	t.Helper()
	isSSE := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	var events []event
	for _, data := range resp.Events {
		r := bufio.NewReader(bytes.NewReader(data))
		if !isSSE && bytes.Contains(data, []byte("exception")) {
			events = append(events, event{name: "exception"})
			continue
		}
		next := nextMessage
		if isSSE {
			next = nextEvent
		}
		e, err := next(r)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("%q is more than one event", data)
		}
		if e.name != "ping" {
			events = append(events, e)
		}
	}
	return events
}

// claudeStreams are requests for a stream.
var claudeStreams = []struct{ name, path, body string }{
	{"anthropic.messages", messagesPath, withStream(messagesBody("", `"hello"`))},
	{
		"bedrock.invoke", "/model/anthropic.m/invoke-with-response-stream",
		`{"anthropic_version":"v","max_tokens":99,"messages":[{"role":"user","content":"hello"}]}`,
	},
	{"bedrock.converse", "/model/m/converse-stream", converseText("", "hello")},
	{
		"bedrock.nova", "/model/amazon.nova-lite-v1:0/invoke-with-response-stream",
		converseText("", "hello"),
	},
	{
		"bedrock.titan", "/model/amazon.titan-text-lite-v1/invoke-with-response-stream",
		`{"inputText":"hello"}`,
	},
}

// A stream of a whole reply has its blocks in the order of the
// real ones, and one that breaks leaves its last block open.
func TestClaudeStreamOrder(t *testing.T) {
	reply := Reply{
		Reasoning: "Think.", Pieces: []string{"a", "b"}, Calls: []Call{{Name: "f", Args: "{}"}},
	}
	const (
		block     = "content_block_start content_block_delta+ content_block_stop "
		messages  = "message_start " + block + block + "content_block_start content_block_delta+ "
		text      = "contentBlockDelta+ contentBlockStop "
		converses = "messageStart " + text + text + "contentBlockStart contentBlockDelta "
		anthropic = "content_block_stop message_delta message_stop"
		amazon    = "contentBlockStop messageStop metadata"
	)
	for i, want := range []struct{ begin, end, broken string }{
		{messages, anthropic, "error"},
		{messages, anthropic, "exception"},
		{converses, amazon, "exception"},
		{"chunk+", "", " exception"}, // the events have no type
		{"chunk+", "", " exception"},
	} {
		s := claudeStreams[i]
		name := func(e event) string { return e.name }
		whole := claudeEvents(t, answerClaude(t, s.path, s.body, reply))
		if got := order(whole, name); got != want.begin+want.end {
			t.Errorf("%s:\ngot  %s\nwant %s", s.name, got, want.begin+want.end)
		}

		broken := reply
		broken.Broken = &Problem{Status: 429}
		events := claudeEvents(t, answerClaude(t, s.path, s.body, broken))
		if got := order(events, name); got != want.begin+want.broken {
			t.Errorf("%s:\ngot  %s\nwant %s", s.name, got, want.begin+want.broken)
		}
	}
}

// Each piece of a script is one event of a stream, an empty one too.
func TestClaudePieces(t *testing.T) {
	pieces := []string{"one ", "", "t", "wo\n"}
	paths := map[string][]any{
		"anthropic.messages": {"delta", "text"},
		"bedrock.invoke":     {"delta", "text"},
		"bedrock.converse":   {"delta", "text"},
		"bedrock.nova":       {"contentBlockDelta", "delta", "text"},
		"bedrock.titan":      {"outputText"},
	}
	for _, s := range claudeStreams {
		var got []string
		for _, e := range claudeEvents(t, answerClaude(t, s.path, s.body, Reply{Pieces: pieces})) {
			if piece, ok := at(e.json(t), paths[s.name]...).(string); ok {
				got = append(got, piece)
			}
		}
		if !slices.Equal(got, pieces) {
			t.Errorf("%s: %q", s.name, got)
		}
	}
}

// An error in a stream has the kind, status and message of
// Anthropic where the script gives none.
func TestAnthropicErrorsFillIn(t *testing.T) {
	for _, tt := range []struct {
		problem Problem
		want    string
	}{
		{Problem{}, `{"type":"api_error","message":"Internal server error (stand-in, on demand)"}`},
		{
			Problem{Status: 529},
			`{"type":"overloaded_error","message":"Overloaded (stand-in, on demand)"}`,
		},
		{
			Problem{Kind: "overloaded_error"},
			`{"type":"overloaded_error","message":"Overloaded (stand-in, on demand)"}`,
		},
		{
			Problem{Status: 400, Message: "Too long"},
			`{"type":"invalid_request_error","message":"Too long"}`,
		},
		{Problem{Kind: "odd_error", Message: "Odd"}, `{"type":"odd_error","message":"Odd"}`},
	} {
		body := withStream(messagesBody("", `"hello"`))
		resp := answerClaude(t, messagesPath, body, Reply{Broken: &tt.problem})
		events := claudeEvents(t, resp)
		last := events[len(events)-1]
		if got := string(encode(last.json(t).get("error"))); got != tt.want {
			t.Errorf("%+v: %s", tt.problem, got)
		}
	}
}

// An error of Bedrock has the kind, status and message of AWS where
// the script gives none.
func TestAWSErrorsFillIn(t *testing.T) {
	for _, tt := range []struct {
		problem, want Problem
		exception     string // its name in a stream
	}{
		{Problem{}, Problem{Status: 500, Kind: "InternalServerException"}, "internalServerException"},
		{
			Problem{Status: 429},
			Problem{Status: 429, Kind: "ThrottlingException"}, "throttlingException",
		},
		{
			Problem{Kind: "ThrottlingException"},
			Problem{Status: 429, Kind: "ThrottlingException"}, "throttlingException",
		},
		{
			Problem{Status: 424},
			Problem{Status: 424, Kind: "ModelErrorException"}, "modelStreamErrorException",
		},
		{
			Problem{Kind: "ModelStreamErrorException"},
			Problem{Status: 424, Kind: "ModelStreamErrorException"}, "modelStreamErrorException",
		},
		{
			Problem{Status: 400, Kind: "OddException"},
			Problem{Status: 400, Kind: "OddException"}, "oddException",
		},
	} {
		got := completeAWS(tt.problem)
		if got.Message == "" || got.Status != tt.want.Status || got.Kind != tt.want.Kind {
			t.Errorf("%+v: %+v", tt.problem, got)
		}
		if frame := awsException(tt.problem); !bytes.Contains(frame, []byte(tt.exception)) {
			t.Errorf("%+v: %q", tt.problem, frame)
		}
	}
}

// Counting tokens and looking up a model use up no reply of a script, and all else does.
func TestFreeRequestsTakeNoTurn(t *testing.T) {
	for _, e := range endpoints {
		r := httptest.NewRequest(http.MethodPost, e.path, strings.NewReader(e.body))
		r.Header.Set("Authorization", "Bearer any")
		isFree := strings.HasSuffix(e.name, ".count_tokens") || e.name == "ollama.show"
		if takes := Read(r, []byte(e.body), new(State)).TakesTurn(); takes == isFree {
			t.Errorf("%s: takes a turn: %v", e.name, takes)
		}
	}
}

// A program that counts tokens first finds the same number in the usage of the answer.
func TestCountedTokensAreThoseOfTheAnswer(t *testing.T) {
	h := start(t)
	body := messagesBody(`"system":"Be kind","tools":[`+messagesTool+`],`, `"weather in Paris"`)
	invoked := strings.Replace(body, `"model":"m"`, `"anthropic_version":"v"`, 1)
	conversed := converseText(converseTools, "weather in Paris")
	wrapped := `{"input":{"invokeModel":{"body":"` +
		base64.StdEncoding.EncodeToString([]byte(invoked)) + `"}}}`
	for _, tt := range []struct{ count, counted, ask, asked string }{
		{messagesPath + "/count_tokens", body, messagesPath, body},
		{"/model/m/count-tokens", wrapped, "/model/m/invoke", invoked},
		{
			"/model/m/count-tokens", `{"input":{"converse":` + conversed + `}}`,
			"/model/m/converse", conversed,
		},
	} {
		counted := h.ask(tt.count, tt.counted)
		usage := h.ask(tt.ask, tt.asked).sub("usage")
		number := counted.number("input_tokens") + counted.number("inputTokens")
		used := usage.number("input_tokens") + usage.number("inputTokens")
		if number == 0 || number != used {
			t.Errorf("%s: counted %d, used %d", tt.ask, number, used)
		}
	}
}
