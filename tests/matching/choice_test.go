package matching_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// upload sends a file of some name.
func upload(name string) must.Request {
	return must.Request{URL: "https://api.openai.com/v1/images/edits",
		Body: "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"" + name + "\"\r\n\r\nthe same\r\n--b--\r\n", Headers: []string{"Content-Type", "multipart/form-data; boundary=b"}}
}

// Two requests that differ in what does not match are both recorded; whatever the
// order they are asked in, each has its own answer.
func TestOwnRecordingFirst(t *testing.T) {
	t.Parallel()
	azure := "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version="
	body := must.Chat("").Body
	tests := []struct {
		name string
		a, b must.Request
	}{
		{"host", must.Chat(""), must.Request{URL: "https://gateway.example/v1/chat/completions", Body: body}},
		{"local port", must.Request{URL: "http://localhost:8001/v1/chat/completions", Body: body}, must.Request{URL: "http://localhost:8002/v1/chat/completions", Body: body}},
		{"prefix", must.Request{URL: "https://g.example/one/v1/chat/completions", Body: body}, must.Request{URL: "https://g.example/two/v1/chat/completions", Body: body}},
		{"api-version", must.Request{URL: azure + "2024-06-01", Body: body}, must.Request{URL: azure + "2025-01-01", Body: body}},
		{"header", must.Request{URL: must.ChatURL, Body: body, Headers: []string{"Anthropic-Version", "2023-01-01"}}, must.Request{URL: must.ChatURL, Body: body, Headers: []string{"Anthropic-Version", "2023-06-01"}}},
		{"temperature", must.Chat(`,"temperature":0`), must.Chat(`,"temperature":1`)},
		{"seed", must.Chat(`,"seed":1`), must.Chat(`,"seed":1000`)},
		{"max_tokens", must.Chat(`,"max_tokens":5`), must.Chat(``)},
		{"user", must.Chat(`,"user":"a"`), must.Chat(`,"user":"b"`)},
		{"user with a number", must.Chat(`,"user":"u1"`), must.Chat(`,"user":"u2"`)},
		{"metadata", must.Chat(`,"metadata":{"tenant":"red"}`), must.Chat(`,"metadata":{"tenant":"blue"}`)},
		{"account, which is no count", must.Chat(`,"metadata":{"account":"red"}`), must.Chat(`,"metadata":{"account":"blue"}`)},
		{"blanks", must.Chat(""), must.Request{URL: must.ChatURL, Body: strings.ReplaceAll(strings.ReplaceAll(body, ":", ": "), ",", ", ")}},
		{"blocks", must.Chat(""), must.Request{URL: must.ChatURL, Body: strings.Replace(body, `"hi"`, `[{"type":"text","text":"hi"}]`, 1)}},
		{"names of files", upload("jan.pdf"), upload("feb.pdf")},
		{"a seed beside another limit", must.Chat(`,"seed":1,"max_tokens":5`), must.Chat(`,"seed":2,"max_tokens":5`)},
		{"MCP servers", must.RPC("https://github.example/mcp", `"id":1,"method":"tools/list"`), must.RPC("https://jira.example/mcp", `"id":1,"method":"tools/list"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			given := []string{`{"is":"a"}`, `{"is":"b"}`}
			file := must.RecordAnswers(t, given, []must.Request{tt.a, tt.b})
			for _, order := range [][]int{{0, 1}, {1, 0}} {
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
				for _, i := range order {
					if got := []must.Request{tt.a, tt.b}[i].Ask(t, r); got != given[i] {
						t.Errorf("asked in the order %v, %d got %s", order, i, got)
					}
				}
				must.Close(t, r)
			}
		})
	}
}

// What is counted, timed or drawn anew for each call chooses only the recording of this very
// request. Otherwise recordings are played in order: a poll that was asked with other numbers
// when it was recorded sees "pending" before "done".
func TestCountersDoNotChoose(t *testing.T) {
	t.Parallel()
	mcp := "https://mcp.example/mcp"
	tests := []struct {
		name string
		call func(n int) must.Request
	}{
		{"nothing", func(int) must.Request { return must.Chat("") }},
		{"JSON-RPC id", func(n int) must.Request { return must.RPC(mcp, fmt.Sprintf(`"id":%d,"method":"tasks/get"`, n)) }},
		{"JSON-RPC id, a text", func(n int) must.Request { return must.RPC(mcp, fmt.Sprintf(`"id":"r%d","method":"tasks/get"`, n)) }},
		{"progress token", func(n int) must.Request {
			return must.RPC(mcp, fmt.Sprintf(`"id":1,"method":"tasks/get","params":{"_meta":{"progressToken":"p%d"}}`, n))
		}},
		{"request id", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"request_id":"req-%d"`, n)) }},
		{"trace id", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"trace_id":"t%d"}`, n)) }},
		{"traceId", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"otelTraceId":"t%d"}`, n)) }},
		{"number", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"n":%d}`, n)) }},
		{"number as a text", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"n":"%d"}`, n)) }},
		{"date", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"sent":"2026-01-0%d"}`, n)) }},
		{"time", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"clock":"12:00:0%d"}`, n)) }},
		{"id of a tool call", func(n int) must.Request {
			return must.Request{URL: must.ChatURL, Body: fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%[1]d","content":"x"}]}`, n)}
		}},
		{"a text with a number", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"iter":"iter-%d"}`, n)) }},
		{"invocation", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"invocation_id":"abc%d"}`, n)) }},
		{"generation", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"generationId":"g%c"}`, 'a'+n)) }},
		{"basic date", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"sent":"20260102T0%d"}`, n)) }},
		{"weekday", func(n int) must.Request { return must.Chat(fmt.Sprintf(`,"metadata":{"sent":"Mon, %02d Jan"}`, n)) }},
		{"a drawn id", func(n int) must.Request {
			return must.Chat(fmt.Sprintf(`,"metadata":{"cid":"%08d-aaaa-bbbb-cccc-dddddddddddd"}`, n))
		}},
		{"attempt that is written from the second on", func(n int) must.Request {
			return must.Chat([]string{`,"metadata":{"attempt":1}`, ``}[n%2])
		}},
		{"query", func(n int) must.Request {
			return must.Request{URL: fmt.Sprintf("%s?poll=%d&ts=%d", must.ChatURL, n, 1700000000+n), Body: must.Chat("").Body}
		}},
		{"order of a query", func(n int) must.Request {
			return must.Request{URL: must.ChatURL + []string{"?a=x&b=y", "?b=y&a=x"}[n%2], Body: must.Chat("").Body}
		}},
		{"boundary", func(n int) must.Request {
			return must.Request{URL: "https://api.openai.com/v1/images/edits", Body: fmt.Sprintf("--b%d\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nhi\r\n--b%[1]d--\r\n", n), Headers: []string{"Content-Type", fmt.Sprintf("multipart/form-data; boundary=b%d", n)}}
		}},
		{"order of members, a comma in a text", func(n int) must.Request {
			return []must.Request{{URL: must.ChatURL, Body: `{"model":"m","prompt":"a, b","messages":[]}`}, {URL: must.ChatURL, Body: `{"prompt":"a, b","messages":[],"model":"m"}`}}[n%2]
		}},
		{"order of members", func(n int) must.Request {
			return []must.Request{{URL: must.ChatURL, Body: `{"model":"m","messages":[]}`}, {URL: must.ChatURL, Body: `{"messages":[],"model":"m"}`}}[n%2]
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pending, done := `{"jsonrpc":"2.0","result":"pending"}`, `{"jsonrpc":"2.0","result":"done"}`
			file := must.RecordAnswers(t, []string{pending, done}, []must.Request{tt.call(2), tt.call(3)})
			for _, asked := range [][2]int{{4, 5}, {2, 4}} {
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
				if got := tt.call(asked[0]).Ask(t, r) + tt.call(asked[1]).Ask(t, r); got != pending+done {
					t.Errorf("asked %v: got %s", asked, got)
				}
				must.Close(t, r)
			}
			if tt.name == "nothing" {
				return
			}
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			if got := tt.call(3).Ask(t, r) + tt.call(2).Ask(t, r); got != done+pending {
				t.Errorf("its own recording was passed over: got %s", got)
			}
			must.Close(t, r)
		})
	}
}

// A JSON-RPC client counts its calls. If there is one more in front of a poll than there was
// when it was recorded, the poll has the id of the next one, and still comes in its turn.
func TestShiftedIDs(t *testing.T) {
	t.Parallel()
	list := func(id int) must.Request {
		return must.RPC("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tools/list"`, id))
	}
	poll := func(id int) must.Request {
		return must.RPC("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tasks/get"`, id))
	}
	given := []string{`{"result":"tools"}`, `{"result":"pending"}`, `{"result":"pending"}`, `{"result":"done"}`}
	file := must.RecordAnswers(t, given, []must.Request{list(1), poll(2), poll(3), poll(4)})
	for _, tt := range []struct {
		name  string
		asked []must.Request
	}{
		{"as recorded", []must.Request{list(1), poll(2), poll(3), poll(4)}},
		{"one more", []must.Request{list(1), list(2), poll(3), poll(4), poll(5)}},
		{"two more", []must.Request{list(1), list(2), list(3), poll(4), poll(5), poll(6)}},
		{"one less", []must.Request{poll(1), poll(2), poll(3)}},
	} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats(), promptecho.AllowUnused())
		var got []string
		for _, a := range tt.asked {
			if answer := a.Ask(t, r); a.Body != list(1).Body && a.Body != list(2).Body && a.Body != list(3).Body {
				got = append(got, answer)
			}
		}
		if !slices.Equal(got, given[1:]) {
			t.Errorf("%s: got %q", tt.name, got)
		}
		must.Close(t, r)
	}
	// At once and with the ids that were recorded, each call gets its own answer.
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	if got := poll(4).Ask(t, r) + poll(2).Ask(t, r); got != given[3]+given[1] {
		t.Errorf("in another order: got %s", got)
	}
	must.Close(t, r)
}

// The same request several times is a sequence, retries too.
func TestRetriesStayInOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Statuses(`{}`, 429, 200)))
	must.Post(t, r, must.ChatURL, must.Chat("").Body)
	must.Post(t, r, must.ChatURL, must.Chat("").Body)
	must.Close(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, want := range []int{429, 200} {
		if status, _ := must.Post(t, r, must.ChatURL, must.Chat("").Body); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	must.Close(t, r)
}

// What has changed for all requests alike does not keep them from their own recordings:
// another host, a limit, a way to write them, an id that is drawn for the run.
func TestOwnRecordingAfterAChange(t *testing.T) {
	t.Parallel()
	ask := func(host, seed, rest string) must.Request {
		return must.Request{URL: "https://" + host + "/v1/chat/completions", Body: strings.ReplaceAll(must.Chat(`,"seed":`+seed+rest).Body, "SP", " ")}
	}
	tests := []struct {
		name string
		now  func(seed string) must.Request
	}{
		{"nothing", func(seed string) must.Request { return ask("api.openai.com", seed, `,"max_tokens":5`) }},
		{"limit", func(seed string) must.Request { return ask("api.openai.com", seed, `,"max_tokens":6`) }},
		{"host", func(seed string) must.Request { return ask("gateway.example", seed, `,"max_tokens":5`) }},
		{"blanks", func(seed string) must.Request {
			a := ask("api.openai.com", seed, `,"max_tokens":5`)
			a.Body = strings.ReplaceAll(a.Body, ":", ": ")
			return a
		}},
		{"a drawn id", func(seed string) must.Request {
			return ask("api.openai.com", seed, `,"max_tokens":5,"metadata":{"conversation":"x9Kq"}`)
		}},
		{"all", func(seed string) must.Request { return ask("gateway.example", seed, `,"max_tokens":7,"user":"u"`) }},
	}
	old := func(seed string) must.Request { return ask("api.openai.com", seed, `,"max_tokens":5`) }
	file := must.RecordAnswers(t, []string{`"one"`, `"two"`, `"three"`}, []must.Request{old("1"), old("2"), old("3")})
	for _, tt := range tests {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		for seed, want := range map[string]string{"1": `"one"`, "2": `"two"`, "3": `"three"`} {
			if got := tt.now(seed).Ask(t, r); got != want {
				t.Errorf("%s: seed %s got %s", tt.name, seed, got)
			}
		}
		must.Close(t, r)

		// A seed that is not recorded takes another's, and is seen doing so.
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		tt.now("9").Ask(t, r)
		tt.now("1").Ask(t, r)
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "differs in seed. The request that it was recorded for came later") {
			t.Errorf("%s: Close: %v", tt.name, err)
		}
	}
}

// What is recorded in no kind of its own takes the nearest: host counts more than
// prefix, that more than a query, that more than sampling, that more than bookkeeping.
func TestNearestRecording(t *testing.T) {
	t.Parallel()
	at := func(host, prefix, more string) must.Request {
		return must.Request{URL: "https://" + host + prefix + "/v1/chat/completions", Body: must.Chat(more).Body}
	}
	list := []must.Request{
		at("a.example", "/x", `,"seed":1,"user":"u"`),
		at("b.example", "/x", `,"seed":1,"user":"u"`),
		at("b.example", "/y", `,"seed":2,"user":"u"`),
		at("b.example", "/y", `,"seed":3,"user":"w"`),
	}
	given := []string{`"0"`, `"1"`, `"2"`, `"3"`}
	tests := []struct {
		name string
		ask  must.Request
		want int
	}{
		{"another user", at("b.example", "/y", `,"seed":2,"user":"w"`), 2},
		{"another seed", at("b.example", "/y", `,"seed":4,"user":"w"`), 3},
		{"another seed of nobody", at("b.example", "/y", `,"seed":4,"user":"v"`), 2},
		{"another prefix", at("b.example", "/z", `,"seed":3,"user":"w"`), 3},
		{"another host", at("c.example", "/y", `,"seed":1,"user":"u"`), 2},
		{"nothing alike", at("c.example", "/z", `,"seed":9`), 0},
	}
	file := must.RecordAnswers(t, given, list)
	for _, tt := range tests {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		if got := tt.ask.Ask(t, r); got != given[tt.want] {
			t.Errorf("%s: got %s, want %s", tt.name, got, given[tt.want])
		}
		must.Close(t, r)
	}
}

// What all requests have changed does not hide what still tells them apart, although it is as important.
func TestChosenBesideAChange(t *testing.T) {
	t.Parallel()
	at := func(path, content string) must.Request {
		return must.Request{URL: "https://gw.example" + path + "/chat/completions", Body: `{"model":"m","messages":[{"role":"user","content":` + content + `}]}`}
	}
	const list = `[{"type":"text","text":"hi"}]`
	for name, tt := range map[string][4]must.Request{
		"temperature, seed":  {must.Chat(`,"seed":1,"temperature":0`), must.Chat(`,"seed":2,"temperature":0.5`), must.Chat(`,"seed":2,"temperature":1`), must.Chat(`,"seed":1,"temperature":1`)},
		"no temperature":     {must.Chat(`,"seed":1,"temperature":0`), must.Chat(`,"seed":2,"temperature":0.5`), must.Chat(`,"seed":2`), must.Chat(`,"seed":1`)},
		"user, agent":        {must.Chat(`,"user":"a","metadata":{"agent":"x"}`), must.Chat(`,"user":"b","metadata":{"agent":"y"}`), must.Chat(`,"user":"c","metadata":{"agent":"y"}`), must.Chat(`,"user":"c","metadata":{"agent":"x"}`)},
		"prefix, spelling":   {at("/v1", `"hi"`), at("/v1", list), at("/team/v1", list), at("/team/v1", `"hi"`)},
		"one of the others'": {must.Chat(`,"seed":1,"temperature":0`), must.Chat(`,"seed":2,"temperature":0.5`), must.Chat(`,"seed":2,"temperature":0.5`), must.Chat(`,"seed":1,"temperature":1`)},
	} {
		r := must.Open(t, must.RecordAnswers(t, []string{`"first"`, `"second"`}, tt[:2]), promptecho.InMode(promptecho.ModeNone))
		if one, two := tt[2].Ask(t, r), tt[3].Ask(t, r); one != `"second"` || two != `"first"` {
			t.Errorf("%s: got %s, %s", name, one, two)
		}
		must.Close(t, r)
	}
}

// A trait that no recording has does not lead to those that have none of it.
func TestUnknownTraitDoesNotChoose(t *testing.T) {
	t.Parallel()
	r := must.Open(t, must.RecordAnswers(t, []string{`"first"`, `"second"`}, []must.Request{must.Chat(`,"user":"a"`), must.Chat("")}), promptecho.InMode(promptecho.ModeNone))
	if one, two := must.Chat(`,"user":"b"`).Ask(t, r), must.Chat("").Ask(t, r); one != `"first"` || two != `"second"` {
		t.Errorf("got %s, %s", one, two)
	}
	must.Close(t, r)
}

// AllowRepeats repeats the last of a kind before it lends another's.
func TestRepeatsStayInTheirKind(t *testing.T) {
	t.Parallel()
	file := must.RecordAnswers(t, []string{`"one"`, `"two"`}, []must.Request{must.Chat(`,"seed":1`), must.Chat(`,"seed":2`)})
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats())
	for range 3 {
		if got := must.Chat(`,"seed":1`).Ask(t, r); got != `"one"` {
			t.Errorf("seed 1 got %s", got)
		}
	}
	for range 2 {
		if got := must.Chat(`,"seed":2`).Ask(t, r); got != `"two"` {
			t.Errorf("seed 2 got %s", got)
		}
	}
	if got := must.Chat(`,"seed":3`).Ask(t, r); got != `"one"` && got != `"two"` {
		t.Errorf("seed 3 got %s", got)
	}
	must.Close(t, r)
}

// A recording that was played for a request that differs, before its own came, is an
// error if that made a difference.
func TestContested(t *testing.T) {
	t.Parallel()
	one, two, nine := must.Chat(`,"seed":1`), must.Chat(`,"seed":2`), must.Chat(`,"seed":9`)
	spaced := must.Request{URL: must.ChatURL, Body: strings.ReplaceAll(must.Chat("").Body, ":", ": ")}
	tests := []struct {
		name     string
		given    []string
		recorded []must.Request
		asked    []must.Request
		want     string // in the error of Close; "" if there is none
	}{
		{"taken, then asked by its own", []string{`"one"`, `"two"`}, []must.Request{one, two}, []must.Request{nine, one},
			`c.yaml:4: this recording answered another request, which differs in seed. The request that it was recorded for came later, and got the recording at line 20 instead. Record both requests again, or tell them apart with promptecho.Match("seed")` + "\n\nInMode(ModeNone) in the code allows no recording. To record the test, remove that option and run:\n"},
		{"nothing is left", []string{`"one"`}, []must.Request{one}, []must.Request{nine, one},
			`c.yaml:4: an earlier request, which differs in seed and has no recording of its own, already got the answer recorded for this one`},
		{"the answers are the same", []string{`"one"`, `"one"`}, []must.Request{one, two}, []must.Request{nine, one}, ""},
		{"its own came first", []string{`"one"`, `"two"`}, []must.Request{one, two}, []must.Request{one, nine}, ""},
		{"taken from one that does not come", []string{`"one"`, `"two"`}, []must.Request{one, two}, []must.Request{nine, two}, ""},
		{"the own ones are in order", []string{`"a"`, `"b"`, `"c"`}, []must.Request{one, one, two}, []must.Request{one, one, nine}, ""},
		{"the second of its own is taken", []string{`"a"`, `"b"`, `"c"`}, []must.Request{one, one, two}, []must.Request{one, two, nine, one}, "an earlier request, which differs in seed"},
		{"in another spelling, out of order", []string{`"a"`, `"b"`}, []must.Request{spaced, must.Chat("")}, []must.Request{must.Chat(""), must.Chat("")},
			`c.yaml:4: this recording and the one at line 20 are of the same request, spelled in two ways`},
		{"in another spelling, in order", []string{`"a"`, `"b"`}, []must.Request{must.Chat(""), spaced}, []must.Request{must.Chat(""), must.Chat("")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.RecordAnswers(t, tt.given, tt.recorded)
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for _, a := range tt.asked {
				a.Ask(t, r)
			}
			report := must.Finish(r, report.Outcome{Skipped: true}) // unused recordings are not what this is about
			got := strings.ReplaceAll(strings.Join(report.Errors, "\n"), file, "c.yaml")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// In a run that records, too: the request is recorded, and the run says what happened.
func TestContestedWhileRecording(t *testing.T) {
	t.Parallel()
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{must.Chat(`,"seed":1`)})
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), promptecho.Upstream(provider.InTurn(`"new"`)))
	got := must.Chat(`,"seed":9`).Ask(t, r) + must.Chat(`,"seed":1`).Ask(t, r)
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "and got a new recording instead") || got != `"one""new"` {
		t.Errorf("got %s, Close: %v", got, err)
	}
}

// Requests that differ only in what does not match, all at once, many times: the race
// detector looks on. Before there were kinds, 158 of 250 got another's answer.
func TestChoiceAtOnce(t *testing.T) {
	t.Parallel()
	var list []must.Request
	for i := range 5 {
		list = append(list, must.Chat(fmt.Sprintf(`,"seed":%d`, i)))
		list = append(list, must.Request{URL: fmt.Sprintf("https://h%d.example/v1/models", i)})
		list = append(list, must.RPC(fmt.Sprintf("https://h%d.example/mcp", i), `"id":1,"method":"tools/list"`))
		list = append(list, must.Request{URL: "https://files.example/x.bin", Body: "", Headers: []string{"Range", fmt.Sprintf("bytes=%d-%d", 10*i, 10*i+9)}})
	}
	var given []string
	for i := range list {
		given = append(given, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%d}`, i))
	}
	file := must.RecordAnswers(t, given, list)
	for range full.Cases(20, 1000) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		var all sync.WaitGroup
		for i, a := range list {
			all.Go(func() {
				if got := a.Ask(t, r); got != given[i] {
					t.Errorf("%s %s %s got %s, want %s", a.URL, a.Body, a.Headers, got, given[i])
				}
			})
		}
		all.Wait()
		must.Close(t, r)
		if t.Failed() {
			return
		}
	}
}

// Many goroutines, families and hosts, requests that are equal, nearly equal and not
// equal: each has an answer of its own.
func TestChoiceOfMany(t *testing.T) {
	t.Parallel()
	anthropic := func(more string) string {
		return `{"model":"c","max_tokens":9,"messages":[{"role":"user","content":"hi"}]` + more + `}`
	}
	gemini := func(more string) string { return `{"contents":[{"parts":[{"text":"hi"}]}]` + more + `}` }
	kinds := []func(i int) must.Request{
		func(i int) must.Request { return must.Chat(fmt.Sprintf(`,"temperature":%d`, i)) },
		func(i int) must.Request {
			return must.Request{URL: fmt.Sprintf("https://h%d.example/v1/chat/completions", i), Body: must.Chat("").Body}
		},
		func(i int) must.Request {
			return must.Request{URL: fmt.Sprintf("https://g.example/p%d/v1/chat/completions", i), Body: must.Chat(`,"user":"g"`).Body}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.openai.com/v1/responses", Body: fmt.Sprintf(`{"model":"m","input":"hi","top_p":%d}`, i)}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.openai.com/v1/embeddings", Body: fmt.Sprintf(`{"model":"m","input":"hi","user":"u%d"}`, i)}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.openai.com/v1/completions", Body: fmt.Sprintf(`{"model":"m","prompt":"hi","seed":%d}`, i)}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.anthropic.com/v1/messages", Body: anthropic(fmt.Sprintf(`,"top_k":%d`, i))}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.anthropic.com/v1/messages", Body: anthropic(fmt.Sprintf(`,"metadata":{"user_id":"u%d"},"system":"x"`, i))}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.anthropic.com/v1/messages", Body: anthropic(`,"system":"y"`), Headers: []string{"Anthropic-Version", fmt.Sprint(i)}}
		},
		func(i int) must.Request {
			return must.Request{URL: fmt.Sprintf("https://r%d.example/v1beta/models/g:generateContent", i), Body: gemini("")}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://g.example/v1beta/models/g:generateContent", Body: gemini(fmt.Sprintf(`,"generationConfig":{"seed":%d}`, i))}
		},
		func(i int) must.Request {
			return must.Request{URL: fmt.Sprintf("https://bedrock-runtime.r%d.amazonaws.com/model/m/converse", i), Body: `{"messages":[]}`}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://ollama.example/api/chat", Body: fmt.Sprintf(`{"model":"l","messages":[],"stream":false,"options":{"seed":%d}}`, i)}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.cohere.com/v2/chat", Body: fmt.Sprintf(`{"model":"c","messages":[{"role":"user","content":"hi"}],"seed":%d}`, i)}
		},
		func(i int) must.Request {
			return must.Request{URL: "https://api.mistral.ai/v1/chat/completions", Body: must.Chat(fmt.Sprintf(`,"random_seed":%d`, i)).Body}
		},
		func(i int) must.Request {
			return must.Request{URL: fmt.Sprintf("https://api.example/v1/things?n=%d", i)}
		},
		func(i int) must.Request { return must.Request{URL: fmt.Sprintf("https://s%d.example/v1/things", i)} },
		func(i int) must.Request {
			return must.RPC(fmt.Sprintf("https://s%d.example/mcp", i), `"id":1,"method":"tools/list"`)
		},
		func(i int) must.Request {
			return must.RPC("https://s.example/mcp", fmt.Sprintf(`"id":1,"method":"tools/call","params":{"n":%d}`, i))
		},
		func(i int) must.Request {
			return must.Request{URL: "https://s.example/doc", Body: "", Headers: []string{"Accept-Language", []string{"de", "en", "fr", "es"}[i]}}
		},
	}
	var list []must.Request
	for _, kind := range kinds {
		for i := range 4 {
			list = append(list, kind(i), kind(i)) // each twice: a sequence
		}
	}
	var given []string
	for i := range list {
		given = append(given, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":"%d"}`, i/2*2+i%2))
	}
	file := must.RecordAnswers(t, given, list)
	for round := range full.Cases(2, 20) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		got := make([]string, len(list))
		work := make(chan int)
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for i := range work {
					got[i] = list[i].Ask(t, r)
				}
			})
		}
		for _, i := range rand.New(rand.NewPCG(uint64(round), 1)).Perm(len(list)) {
			work <- i
		}
		close(work)
		all.Wait()
		for i := 0; i < len(list); i += 2 {
			if pair := []string{got[i], got[i+1]}; !slices.Contains(pair, given[i]) || !slices.Contains(pair, given[i+1]) {
				t.Errorf("%s %s got %s, want %s and %s in some order", list[i].URL, list[i].Body, pair, given[i], given[i+1])
			}
		}
		must.Close(t, r)
	}
}

// BenchmarkChoice asks for a request whose seed is not recorded, among recordings that
// all have others; what it costs must not grow with their number.
//
//	go test -run '^$' -bench Choice .
func BenchmarkChoice(b *testing.B) {
	for _, n := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var list []must.Request
			var given []string
			for i := range n {
				list = append(list, must.Chat(fmt.Sprintf(`,"seed":%d`, i)))
				given = append(given, fmt.Sprint(i))
			}
			file := must.RecordAnswers(b, given, list)
			asked := n
			var r *promptecho.Recorder
			for b.Loop() {
				if asked == n { // opening is not what this is about, and neither is the first request
					b.StopTimer()
					if r != nil {
						r.Close()
					}
					r = must.Open(b, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
					must.Chat(`,"seed":-1`).Ask(b, r)
					asked = 1
					b.StartTimer()
				}
				asked++
				must.Chat(fmt.Sprintf(`,"seed":%d`, n+asked)).Ask(b, r)
			}
		})
	}
}
