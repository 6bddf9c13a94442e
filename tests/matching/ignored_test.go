package matching_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A value that clients generate for each request is ignored, and a note names the field.
func TestGeneratedValueIsIgnoredWithANote(t *testing.T) {
	t.Parallel()
	const uuid1, uuid2 = "9022bbce-7872-4001-991b-d872b93f257d", "886e8f9c-3938-4bc9-97ab-1dc34af93226"
	sendMessage := func(id string) must.Request {
		call := `"id":1,"method":"message/send","params":{"message":{"messageId":"` + id + `"}}`
		return must.RPC("https://agent.example/", call)
	}
	tests := []struct {
		name            string
		recorded, asked must.Request
		note            string // part of it
	}{{
		name:     "an idempotency token",
		recorded: must.Request{URL: "https://api.example/async", Body: `{"in":{"clientToken":"` + uuid1 + `"}}`},
		asked:    must.Request{URL: "https://api.example/async", Body: `{"in":{"clientToken":"` + uuid2 + `"}}`},
		note: "replayed although in/clientToken differs: clients make a new one for each request, " +
			`so matching ignores it (add promptecho.Match("in/clientToken") to compare it)`,
	}, {
		name:     "the request ID of a BigQuery query",
		recorded: must.Request{URL: "https://api.example/queries", Body: `{"query":"q","requestId":"` + uuid1 + `"}`},
		asked:    must.Request{URL: "https://api.example/queries", Body: `{"query":"q","requestId":"` + uuid2 + `"}`},
		note:     `although requestId differs`,
	}, {
		name:     "the ID of an Agent2Agent message",
		recorded: sendMessage(uuid1),
		asked:    sendMessage(uuid2),
		note:     `although params/message/messageId differs`,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantNote(t, tt.recorded, tt.asked, tt.note)
		})
	}
}

// wantNote tests that a recording answers another request, with a note. If the note is "", there
// is none.
func wantNote(t *testing.T, recorded, asked must.Request, note string, opts ...promptecho.Option) {
	t.Helper()
	var notes []string
	file := must.RecordAnswers(t, []string{`{"id":"1"}`}, []must.Request{recorded}, opts...)
	r := replay(t, file, append(opts, promptecho.Log(func(note string) { notes = append(notes, note) }))...)
	if got := asked.Ask(t, r); strings.HasPrefix(got, "status ") {
		t.Error(got)
	}
	must.Close(t, r)
	text := strings.Join(notes, "\n")
	if note == "" && text != "" || !strings.Contains(text, note) {
		t.Errorf("notes %q, want %q", text, note)
	}
}

// A changed bookkeeping field or written header is noted, but neither call IDs nor cache hints are.
func TestChangeOfAnIgnoredFieldIsNoted(t *testing.T) {
	t.Parallel()
	const cached = `[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]`
	progress := func(token string) must.Request {
		call := `"id":1,"method":"tools/list","params":{"_meta":{"progressToken":"` + token + `"}}`
		return must.RPC("https://mcp.example", call)
	}
	tests := []struct {
		name            string
		recorded, asked must.Request
		note            string // part of it; "" if nothing is noted
		opts            []promptecho.Option
	}{{
		name:     "bookkeeping",
		recorded: must.Chat(`,"metadata":{"tenant":"red"}`),
		asked:    must.Chat(`,"metadata":{"tenant":"blue"}`),
		note:     `promptecho.Match("metadata/tenant")`,
	}, {
		name:     "the version of Anthropic's API",
		recorded: chatWith("Anthropic-Version", "2023-01-01"),
		asked:    chatWith("Anthropic-Version", "2023-06-01"),
		note:     `promptecho.Match("header/anthropic-version")`,
	}, {
		name:     "a header of KeepHeaders",
		recorded: chatWith("X-Tenant", "red"),
		asked:    chatWith("X-Tenant", "blue"),
		note:     `promptecho.Match("header/x-tenant")`,
		opts:     []promptecho.Option{promptecho.KeepHeaders("X-Tenant")},
	}, {
		name:     "a request ID",
		recorded: must.Chat(`,"request_id":"req-1"`),
		asked:    must.Chat(`,"request_id":"req-2"`),
	}, {
		name:     "a progress token",
		recorded: progress("a"),
		asked:    progress("b"),
	}, {
		name:     "a hint for the cache",
		recorded: chatContent(`[{"type":"text","text":"hi"}]`),
		asked:    chatContent(cached),
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantNote(t, tt.recorded, tt.asked, tt.note, tt.opts...)
		})
	}
}

// Tools in another order match with a note, and so does the run that records both orders.
func TestOrderOfToolsIsIgnoredWithANote(t *testing.T) {
	t.Parallel()
	wantNote(t, chatTools("a", "b"), chatTools("b", "a"), `(add promptecho.Match("tools/order") to compare it)`)

	var notes []string
	r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.Upstream(provider.Says(`{"id":"1"}`)),
		promptecho.Log(func(note string) { notes = append(notes, note) }))
	otherPrompt := chatTools("b", "a")
	otherPrompt.Body = strings.Replace(otherPrompt.Body, "hi", "and now?", 1)
	chatTools("a", "b").Ask(t, r)
	otherPrompt.Ask(t, r)
	must.Close(t, r)
	want := `tools/order is "a, b" in one recording and "b, a" in another: the program most likely ranges over a map`
	if !strings.Contains(strings.Join(notes, "\n"), want) {
		t.Errorf("no note of the two orders:\n%s", strings.Join(notes, "\n"))
	}
}

// A BigQuery load job matches, though its job ID and the token in its header are new in each run.
func TestGeneratedIDsOfAnUploadAreIgnored(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	load := func(r *promptecho.Recorder, id string) {
		body := "--b\r\nContent-Type: application/json\r\n\r\n" +
			`{"configuration":{"load":{}},"jobReference":{"jobId":"` + id + `"}}` +
			"\r\n--b\r\nContent-Type: text/plain\r\n\r\na,b\r\n--b--\r\n"
		status, answer := must.Post(t, r,
			"https://bigquery.example/upload/bigquery/v2/projects/p/jobs?uploadType=multipart", body,
			"Content-Type", "multipart/related; boundary=b", "X-Amz-Client-Token", id)
		if status != http.StatusOK {
			t.Errorf("%s: status %d: %s", id, status, answer)
		}
	}
	r := recordAll(t, file, promptecho.Upstream(provider.Says(`{"id":"1"}`)))
	load(r, "aZ5xLr7sFFjMoJmLQ0hYVtYvTzR")
	load(r, "AZ5XLR7SFFJMOJMLQ0HYVTYVTZR")
	must.Close(t, r)
	r = replay(t, file)
	load(r, "c1KqV8pDqWm3xNs7TbRe5YuAoPz")
	load(r, "C1KQV8PDQWM3XNS7TBRE5YUAOPZ")
	must.Close(t, r)
}
