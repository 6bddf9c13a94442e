package modes_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Recording again changes the cassette only where an answer says something else.
//
// The program sends the ID of the first answer in its second request, and each run has new IDs.
func TestRecordingAgainChangesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	first := recordAndReplay(t, file, &toolCaller{run: "aaaa", text: "It is 42."})
	second := recordAndReplay(t, file, &toolCaller{run: "bbbb", text: "It is 42."})
	if first != second {
		t.Errorf("the same answers changed the file from\n%s\nto\n%s", first, second)
	}
	third := recordAndReplay(t, file, &toolCaller{run: "cccc", text: "It is 43."})
	for _, want := range []string{
		"call_aaaa0001", "chatcmpl-aaaa1", "req_aaaa1",
		"It is 43.", "chatcmpl-cccc2", "req_cccc2",
	} {
		if !strings.Contains(third, want) {
			t.Errorf("after another second answer the file does not have %q:\n%s", want, third)
		}
	}
	if strings.Contains(third, "cccc0001") {
		t.Errorf("the second request has another ID of the tool call:\n%s", third)
	}
}

// recordAndReplay records a conversation in mode all, replays it, and returns the cassette.
func recordAndReplay(t *testing.T, file string, upstream http.RoundTripper) string {
	t.Helper()
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	converse(t, r)
	must.Pass(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	converse(t, r)
	must.Close(t, r)
	return must.Read(t, file)
}

// A toolCaller answers chat completions with IDs that are new each time: first it calls a tool,
// and then it says a text.
type toolCaller struct {
	run   string // is in each ID
	text  string
	calls int
}

func (p *toolCaller) RoundTrip(req *http.Request) (*http.Response, error) {
	p.calls++
	message := map[string]any{"role": "assistant", "content": p.text}
	if p.calls == 1 {
		message["content"] = nil
		message["tool_calls"] = []any{toolCall("call_" + p.run + "0001")}
	}
	answer, err := json.Marshal(map[string]any{
		"id":      fmt.Sprintf("chatcmpl-%s%d", p.run, p.calls),
		"object":  "chat.completion",
		"created": 1000 + len(p.run) + p.calls,
		"model":   "m",
		"choices": []any{map[string]any{"index": 0, "message": message}},
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Request:    req,
		Header: http.Header{
			"Content-Type": {"application/json"},
			"X-Request-Id": {fmt.Sprintf("req_%s%d", p.run, p.calls)},
		},
		ContentLength: int64(len(answer)),
		Body:          io.NopCloser(strings.NewReader(string(answer))),
	}, nil
}

// toolCall is a call of the tool f, as an answer has it and the next request repeats it.
func toolCall(id string) map[string]any {
	return map[string]any{
		"id":       id,
		"type":     "function",
		"function": map[string]any{"name": "f", "arguments": "{}"},
	}
}

// converse has a conversation of two turns: the second request repeats the tool call of the first
// answer, with its ID.
func converse(t *testing.T, r *promptecho.Recorder) {
	t.Helper()
	ask := func(messages ...map[string]any) (answer string) {
		body, err := json.Marshal(map[string]any{"model": "m", "messages": messages})
		if err != nil {
			t.Fatal(err)
		}
		status, answer := must.Post(t, r, "http://h/v1/chat/completions", string(body))
		if status != http.StatusOK {
			t.Fatalf("%d: %s", status, answer)
		}
		return answer
	}
	user := map[string]any{"role": "user", "content": "go"}
	var first struct {
		Choices []struct {
			Message struct {
				ToolCalls []struct{ ID string } `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(ask(user)), &first); err != nil {
		t.Fatal(err)
	}
	id := first.Choices[0].Message.ToolCalls[0].ID
	assistant := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{toolCall(id)}}
	result := map[string]any{"role": "tool", "tool_call_id": id, "content": "42"}
	ask(user, assistant, result)
}
