package matching_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A retry gets its recorded failure first, and then its recorded success.
func TestRetriesStayInOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := recordAll(t, file, promptecho.Upstream(provider.Statuses(`{}`, 429, 200)))
	must.Post(t, r, must.ChatURL, must.Chat("").Body)
	must.Post(t, r, must.ChatURL, must.Chat("").Body)
	must.Close(t, r)
	r = replay(t, file)
	for _, want := range []int{429, 200} {
		if status, _ := must.Post(t, r, must.ChatURL, must.Chat("").Body); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	must.Close(t, r)
}

// A poll sees "pending" before "done", though counters, times and random values differ in each call.
//
// Such a value chooses only the recording of a request that is equal byte for byte.
func TestPollsStayInOrderWhateverTheyCount(t *testing.T) {
	t.Parallel()
	const mcp = "https://mcp.example/mcp"
	metadata := func(format string, values ...any) must.Request {
		return must.Chat(`,"metadata":{` + fmt.Sprintf(format, values...) + `}`)
	}
	tests := []struct {
		name string
		poll func(n int) must.Request
	}{
		{"a JSON-RPC ID", func(n int) must.Request {
			return must.RPC(mcp, fmt.Sprintf(`"id":%d,"method":"tasks/get"`, n))
		}},
		{"a JSON-RPC ID that is a text", func(n int) must.Request {
			return must.RPC(mcp, fmt.Sprintf(`"id":"r%d","method":"tasks/get"`, n))
		}},
		{"a progress token", func(n int) must.Request {
			const call = `"id":1,"method":"tasks/get","params":{"_meta":{"progressToken":"p%d"}}`
			return must.RPC(mcp, fmt.Sprintf(call, n))
		}},
		{"a request ID", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"request_id":"req-%d"`, n)) }},
		{"a trace ID", func(n int) must.Request { return metadata(`"trace_id":"t%d"`, n) }},
		{"a trace ID of OpenTelemetry", func(n int) must.Request { return metadata(`"otelTraceId":"t%d"`, n) }},
		{"an invocation ID", func(n int) must.Request { return metadata(`"invocation_id":"abc%d"`, n) }},
		{"a generation ID", func(n int) must.Request { return metadata(`"generationId":"g%c"`, 'a'+n) }},
		{"a number", func(n int) must.Request { return metadata(`"n":%d`, n) }},
		{"a number that is a text", func(n int) must.Request { return metadata(`"n":"%d"`, n) }},
		{"a text with a number", func(n int) must.Request { return metadata(`"iter":"iter-%d"`, n) }},
		{"a date", func(n int) must.Request { return metadata(`"sent":"2026-01-0%d"`, n) }},
		{"a date without dashes", func(n int) must.Request { return metadata(`"sent":"20260102T0%d"`, n) }},
		{"a date with a weekday", func(n int) must.Request { return metadata(`"sent":"Mon, %02d Jan"`, n) }},
		{"a time", func(n int) must.Request { return metadata(`"clock":"12:00:0%d"`, n) }},
		{"a UUID", func(n int) must.Request { return metadata(`"cid":"%08d-aaaa-bbbb-cccc-dddddddddddd"`, n) }},
		{"an idempotency token", func(n int) must.Request {
			body := fmt.Sprintf(`{"clientToken":"%08d-aaaa-4bbb-8ccc-dddddddddddd"}`, n)
			return must.Request{URL: "https://api.example/jobs", Body: body}
		}},
		{"a UUID of a user", func(n int) must.Request {
			return must.Chat(fmt.Sprintf(`,"user":"%08d-aaaa-bbbb-cccc-dddddddddddd"`, n))
		}},
		{"an attempt that only retries have", func(n int) must.Request {
			if n%2 == 0 {
				return metadata(`"attempt":1`)
			}
			return must.Chat("")
		}},
		{"the ID of a tool call", func(n int) must.Request {
			return chatToolResult(fmt.Sprint("c", n))
		}},
		{"numbers in a query", func(n int) must.Request {
			return chatAt(fmt.Sprintf("%s?poll=%d&ts=%d", must.ChatURL, n, 1700000000+n))
		}},
		{"the order of parameters", func(n int) must.Request {
			return chatAt(must.ChatURL + []string{"?a=x&b=y", "?b=y&a=x"}[n%2])
		}},
		{"the order of members", func(n int) must.Request {
			body := []string{`{"model":"m","messages":[]}`, `{"messages":[],"model":"m"}`}[n%2]
			return must.Request{URL: must.ChatURL, Body: body}
		}},
		{"the order of members with a comma in a text", func(n int) must.Request {
			body := []string{
				`{"model":"m","prompt":"a, b","messages":[]}`,
				`{"prompt":"a, b","messages":[],"model":"m"}`,
			}[n%2]
			return must.Request{URL: must.ChatURL, Body: body}
		}},
		{"the boundary of a form", func(n int) must.Request {
			boundary := fmt.Sprint("b", n)
			return must.Request{
				URL: "https://api.openai.com/v1/images/edits",
				Body: "--" + boundary + "\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n" +
					"hi\r\n--" + boundary + "--\r\n",
				Headers: []string{"Content-Type", "multipart/form-data; boundary=" + boundary},
			}
		}},
	}
	const pending, done = `{"jsonrpc":"2.0","result":"pending"}`, `{"jsonrpc":"2.0","result":"done"}`
	record := func(t *testing.T, poll func(n int) must.Request) (file string) {
		return must.RecordAnswers(t, []string{pending, done}, []must.Request{poll(2), poll(3)})
	}
	wantPolls := func(t *testing.T, file string, first, second must.Request, want string) {
		t.Helper()
		r := replay(t, file)
		if got := first.Ask(t, r) + second.Ask(t, r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		must.Close(t, r)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := record(t, tt.poll)
			wantPolls(t, file, tt.poll(4), tt.poll(5), pending+done)
			wantPolls(t, file, tt.poll(2), tt.poll(4), pending+done)
			wantPolls(t, file, tt.poll(3), tt.poll(2), done+pending) // equal byte for byte
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		same := must.Chat("")
		file := record(t, func(int) must.Request { return same })
		wantPolls(t, file, same, same, pending+done)
	})
}
