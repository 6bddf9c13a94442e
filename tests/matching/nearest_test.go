package matching_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Without an own recording, a request takes the nearest: host before prefix, query, sampling, bookkeeping.
func TestNearestRecordingAnswers(t *testing.T) {
	t.Parallel()
	chat := func(host, prefix, members string) must.Request {
		return must.Request{URL: "https://" + host + prefix + "/v1/chat/completions", Body: must.Chat(members).Body}
	}
	answers := []string{`"0"`, `"1"`, `"2"`, `"3"`}
	file := must.RecordAnswers(t, answers, []must.Request{
		chat("a.example", "/x", `,"seed":1,"user":"u"`),
		chat("b.example", "/x", `,"seed":1,"user":"u"`),
		chat("b.example", "/y", `,"seed":2,"user":"u"`),
		chat("b.example", "/y", `,"seed":3,"user":"w"`),
	})
	tests := []struct {
		name  string
		asked must.Request
		want  int // the recording that answers
	}{
		{"another user", chat("b.example", "/y", `,"seed":2,"user":"w"`), 2},
		{"another seed", chat("b.example", "/y", `,"seed":4,"user":"w"`), 3},
		{"another seed and user", chat("b.example", "/y", `,"seed":4,"user":"v"`), 2},
		{"another prefix", chat("b.example", "/z", `,"seed":3,"user":"w"`), 3},
		{"another host", chat("c.example", "/y", `,"seed":1,"user":"u"`), 2},
		{"nothing alike", chat("c.example", "/z", `,"seed":9`), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := replay(t, file, promptecho.AllowUnused())
			if got := tt.asked.Ask(t, r); got != answers[tt.want] {
				t.Errorf("got %s, want %s", got, answers[tt.want])
			}
			must.Close(t, r)
		})
	}
}

// Of two ignored fields in which recordings differ, the more important one chooses first.
func TestMoreImportantFieldChoosesFirst(t *testing.T) {
	t.Parallel()
	// The fields, the most important one first. Each has two values.
	const (
		host = iota
		prefix
		query
		header
		sampling
		bookkeeping
		spelling
		fields
	)
	names := [fields]string{"host", "prefix", "query", "header", "sampling", "bookkeeping", "spelling"}
	chat := func(values [fields]int) must.Request {
		either := func(field int, first, second string) string { return []string{first, second}[values[field]] }
		seed := either(sampling, `,"seed":1`, `,"seed":2`)
		user := either(bookkeeping, `,"user":"a"`, `,"user":"b"`)
		return must.Request{
			URL: "https://" + either(host, "a", "b") + ".example" + either(prefix, "/x", "/y") +
				"/v1/chat/completions?tier=" + either(query, "red", "blue"),
			Body:    strings.ReplaceAll(must.Chat(seed+user).Body, ":", either(spelling, ":", ": ")),
			Headers: []string{"Anthropic-Version", either(header, "2023-01-01", "2023-06-01")},
		}
	}
	for important := range spelling {
		for lessImportant := important + 1; lessImportant < fields; lessImportant++ {
			t.Run(names[important]+" before "+names[lessImportant], func(t *testing.T) {
				t.Parallel()
				var agreesInImportant, agreesInOther [fields]int
				agreesInImportant[lessImportant] = 1
				agreesInOther[important] = 1
				file := must.RecordAnswers(t,
					[]string{`"less important"`, `"more important"`},
					[]must.Request{chat(agreesInOther), chat(agreesInImportant)})
				r := replay(t, file, promptecho.AllowUnused())
				if got := chat([fields]int{}).Ask(t, r); got != `"more important"` {
					t.Errorf("got the recording that agrees in the %s field", got)
				}
				must.Close(t, r)
			})
		}
	}
}

// An ID that an answer issued chooses before the host: a conversation goes on at any host.
func TestIssuedIDChoosesBeforeTheHost(t *testing.T) {
	t.Parallel()
	start := func(host string) must.Request { return chatAt("https://" + host + ".example/v1/chat/completions") }
	result := func(host, id string) must.Request {
		req := chatToolResult(id)
		req.URL = start(host).URL
		return req
	}
	issues := func(id string) string {
		return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":%q,"type":"function",`+
			`"function":{"name":"f","arguments":"{}"}}]}}]}`, id)
	}
	const idA, idB = "call_Zk3vQ9pX", "call_Qm8sT4vX"
	r := replay(t, must.RecordAnswers(t,
		[]string{issues(idA), issues(idB), `"a"`, `"b"`},
		[]must.Request{start("a"), start("b"), result("a", idA), result("b", idB)}))
	start("a").Ask(t, r)
	start("b").Ask(t, r)
	if got := result("a", idB).Ask(t, r); got != `"b"` {
		t.Errorf("the conversation of b got %s", got)
	}
	if got := result("b", idA).Ask(t, r); got != `"a"` {
		t.Errorf("the conversation of a got %s", got)
	}
	must.Close(t, r)
}
