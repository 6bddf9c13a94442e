package matching_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// request returns a request without a body. The headers are pairs of name and value.
func request(url string, headers ...string) must.Request {
	return must.Request{URL: url, Headers: headers}
}

// chatAt returns a request for a chat completion at an address.
func chatAt(url string) must.Request { return must.Request{URL: url, Body: must.Chat("").Body} }

// chatWith returns a request for a chat completion with headers, which are pairs of name and value.
func chatWith(headers ...string) must.Request {
	req := must.Chat("")
	req.Headers = headers
	return req
}

// chatContent returns a request for a chat completion whose message has this JSON as its content.
func chatContent(content string) must.Request {
	req := must.Chat("")
	req.Body = strings.Replace(req.Body, `"hi"`, content, 1)
	return req
}

// chatToolResult returns a request for a chat completion with a tool call of this ID, and its
// result.
func chatToolResult(id string) must.Request {
	return must.Request{
		URL: must.ChatURL,
		Body: fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi"},`+
			`{"role":"assistant","tool_calls":[{"id":%q,"type":"function",`+
			`"function":{"name":"f","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":%[1]q,"content":"x"}]}`, id),
	}
}

// replay opens a cassette for a replay.
func replay(t testing.TB, file string, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	return must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeNone))...)
}

// recordAll opens a cassette for a recording run that keeps nothing of an earlier one.
func recordAll(t testing.TB, file string, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	return must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeAll))...)
}

// isMiss reports whether this is the answer to a request that is not recorded.
func isMiss(answer string) bool { return strings.HasPrefix(answer, "status 418") }

// A comparison is a request that is recorded and one that is asked in replay.
type comparison struct {
	name            string
	recorded, asked must.Request
}

// wantSame tests that in each comparison, the recording answers the request that is asked.
func wantSame(t *testing.T, comparisons []comparison) {
	t.Helper()
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.replay(t); got != `"answer"` {
				t.Errorf("not the same request: %s", got)
			}
		})
	}
}

// wantDifferent tests that in each comparison, the recording does not answer the request that is
// asked.
func wantDifferent(t *testing.T, comparisons []comparison) {
	t.Helper()
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.replay(t); !isMiss(got) {
				t.Errorf("got the answer to another request: %s", got)
			}
		})
	}
}

// replay records one request with the answer "answer", and returns what the other one gets.
func (c comparison) replay(t *testing.T) string {
	t.Helper()
	r := replay(t, must.RecordAnswers(t, []string{`"answer"`}, []must.Request{c.recorded}))
	defer r.Close()
	return c.asked.Ask(t, r)
}
