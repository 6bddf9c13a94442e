package promptecho

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/report"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A request of a test of choice: method, URL, body and headers.
type asking struct {
	url, body string
	headers   []string
}

const chatURL = "https://api.openai.com/v1/chat/completions"

// chat asks a chat completion with further members in the body.
func chat(more string) asking {
	return asking{url: chatURL, body: `{"model":"m","messages":[{"role":"user","content":"hi"}]` + more + `}`}
}

// upload sends a file of some name.
func upload(name string) asking {
	return asking{"https://api.openai.com/v1/images/edits",
		"--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"" + name + "\"\r\n\r\nthe same\r\n--b--\r\n", []string{"Content-Type", "multipart/form-data; boundary=b"}}
}

// rpc calls a method of a JSON-RPC server.
func rpc(url, rest string) asking { return asking{url: url, body: `{"jsonrpc":"2.0",` + rest + `}`} }

func (a asking) ask(t testing.TB, r *Recorder) string {
	t.Helper()
	status, body := post(t, r, a.url, a.body, a.headers...)
	if status != http.StatusOK {
		return fmt.Sprintf("status %d: %s", status, body)
	}
	return body
}

// inTurn is an upstream that gives one answer after the other.
func inTurn(list ...string) http.RoundTripper {
	var mu sync.Mutex
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		io.Copy(io.Discard, req.Body)
		mu.Lock()
		defer mu.Unlock()
		body := list[0]
		list = list[1:]
		return canned(body).RoundTrip(req)
	})
}

// recorded writes a cassette of requests and what answers each.
func recorded(t testing.TB, given []string, list []asking, opts ...Option) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, append(opts, InMode(ModeAll), Upstream(inTurn(given...)))...)
	for _, a := range list {
		a.ask(t, r)
	}
	mustClose(t, r)
	return file
}

// Two requests that differ in what does not match are both recorded; whatever the
// order they are asked in, each has its own answer.
func TestOwnRecordingFirst(t *testing.T) {
	t.Parallel()
	azure := "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version="
	body := chat("").body
	tests := []struct {
		name string
		a, b asking
	}{
		{"host", chat(""), asking{url: "https://gateway.example/v1/chat/completions", body: body}},
		{"local port", asking{url: "http://localhost:8001/v1/chat/completions", body: body}, asking{url: "http://localhost:8002/v1/chat/completions", body: body}},
		{"prefix", asking{url: "https://g.example/one/v1/chat/completions", body: body}, asking{url: "https://g.example/two/v1/chat/completions", body: body}},
		{"api-version", asking{url: azure + "2024-06-01", body: body}, asking{url: azure + "2025-01-01", body: body}},
		{"header", asking{chatURL, body, []string{"Anthropic-Version", "2023-01-01"}}, asking{chatURL, body, []string{"Anthropic-Version", "2023-06-01"}}},
		{"temperature", chat(`,"temperature":0`), chat(`,"temperature":1`)},
		{"seed", chat(`,"seed":1`), chat(`,"seed":1000`)},
		{"max_tokens", chat(`,"max_tokens":5`), chat(``)},
		{"user", chat(`,"user":"a"`), chat(`,"user":"b"`)},
		{"user with a number", chat(`,"user":"u1"`), chat(`,"user":"u2"`)},
		{"metadata", chat(`,"metadata":{"tenant":"red"}`), chat(`,"metadata":{"tenant":"blue"}`)},
		{"account, which is no count", chat(`,"metadata":{"account":"red"}`), chat(`,"metadata":{"account":"blue"}`)},
		{"blanks", chat(""), asking{url: chatURL, body: strings.ReplaceAll(strings.ReplaceAll(body, ":", ": "), ",", ", ")}},
		{"blocks", chat(""), asking{url: chatURL, body: strings.Replace(body, `"hi"`, `[{"type":"text","text":"hi"}]`, 1)}},
		{"names of files", upload("jan.pdf"), upload("feb.pdf")},
		{"a seed beside another limit", chat(`,"seed":1,"max_tokens":5`), chat(`,"seed":2,"max_tokens":5`)},
		{"MCP servers", rpc("https://github.example/mcp", `"id":1,"method":"tools/list"`), rpc("https://jira.example/mcp", `"id":1,"method":"tools/list"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			given := []string{`{"is":"a"}`, `{"is":"b"}`}
			file := recorded(t, given, []asking{tt.a, tt.b})
			for _, order := range [][]int{{0, 1}, {1, 0}} {
				r := mustOpen(t, file, InMode(ModeNone))
				for _, i := range order {
					if got := []asking{tt.a, tt.b}[i].ask(t, r); got != given[i] {
						t.Errorf("asked in the order %v, %d got %s", order, i, got)
					}
				}
				mustClose(t, r)
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
		call func(n int) asking
	}{
		{"nothing", func(int) asking { return chat("") }},
		{"JSON-RPC id", func(n int) asking { return rpc(mcp, fmt.Sprintf(`"id":%d,"method":"tasks/get"`, n)) }},
		{"JSON-RPC id, a text", func(n int) asking { return rpc(mcp, fmt.Sprintf(`"id":"r%d","method":"tasks/get"`, n)) }},
		{"progress token", func(n int) asking {
			return rpc(mcp, fmt.Sprintf(`"id":1,"method":"tasks/get","params":{"_meta":{"progressToken":"p%d"}}`, n))
		}},
		{"request id", func(n int) asking { return chat(fmt.Sprintf(`,"request_id":"req-%d"`, n)) }},
		{"trace id", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"trace_id":"t%d"}`, n)) }},
		{"traceId", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"otelTraceId":"t%d"}`, n)) }},
		{"number", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"n":%d}`, n)) }},
		{"number as a text", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"n":"%d"}`, n)) }},
		{"date", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"sent":"2026-01-0%d"}`, n)) }},
		{"time", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"clock":"12:00:0%d"}`, n)) }},
		{"id of a tool call", func(n int) asking {
			return asking{url: chatURL, body: fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%[1]d","content":"x"}]}`, n)}
		}},
		{"a text with a number", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"iter":"iter-%d"}`, n)) }},
		{"invocation", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"invocation_id":"abc%d"}`, n)) }},
		{"generation", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"generationId":"g%c"}`, 'a'+n)) }},
		{"basic date", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"sent":"20260102T0%d"}`, n)) }},
		{"weekday", func(n int) asking { return chat(fmt.Sprintf(`,"metadata":{"sent":"Mon, %02d Jan"}`, n)) }},
		{"a drawn id", func(n int) asking {
			return chat(fmt.Sprintf(`,"metadata":{"cid":"%08d-aaaa-bbbb-cccc-dddddddddddd"}`, n))
		}},
		{"attempt that is written from the second on", func(n int) asking {
			return chat([]string{`,"metadata":{"attempt":1}`, ``}[n%2])
		}},
		{"query", func(n int) asking {
			return asking{url: fmt.Sprintf("%s?poll=%d&ts=%d", chatURL, n, 1700000000+n), body: chat("").body}
		}},
		{"order of a query", func(n int) asking {
			return asking{url: chatURL + []string{"?a=x&b=y", "?b=y&a=x"}[n%2], body: chat("").body}
		}},
		{"boundary", func(n int) asking {
			return asking{"https://api.openai.com/v1/images/edits", fmt.Sprintf("--b%d\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nhi\r\n--b%[1]d--\r\n", n), []string{"Content-Type", fmt.Sprintf("multipart/form-data; boundary=b%d", n)}}
		}},
		{"order of members, a comma in a text", func(n int) asking {
			return []asking{{url: chatURL, body: `{"model":"m","prompt":"a, b","messages":[]}`}, {url: chatURL, body: `{"prompt":"a, b","messages":[],"model":"m"}`}}[n%2]
		}},
		{"order of members", func(n int) asking {
			return []asking{{url: chatURL, body: `{"model":"m","messages":[]}`}, {url: chatURL, body: `{"messages":[],"model":"m"}`}}[n%2]
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pending, done := `{"jsonrpc":"2.0","result":"pending"}`, `{"jsonrpc":"2.0","result":"done"}`
			file := recorded(t, []string{pending, done}, []asking{tt.call(2), tt.call(3)})
			for _, asked := range [][2]int{{4, 5}, {2, 4}} {
				r := mustOpen(t, file, InMode(ModeNone))
				if got := tt.call(asked[0]).ask(t, r) + tt.call(asked[1]).ask(t, r); got != pending+done {
					t.Errorf("asked %v: got %s", asked, got)
				}
				mustClose(t, r)
			}
			if tt.name == "nothing" {
				return
			}
			r := mustOpen(t, file, InMode(ModeNone))
			if got := tt.call(3).ask(t, r) + tt.call(2).ask(t, r); got != done+pending {
				t.Errorf("its own recording was passed over: got %s", got)
			}
			mustClose(t, r)
		})
	}
}

// A JSON-RPC client counts its calls. If there is one more in front of a poll than there was
// when it was recorded, the poll has the id of the next one, and still comes in its turn.
func TestShiftedIDs(t *testing.T) {
	t.Parallel()
	list := func(id int) asking {
		return rpc("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tools/list"`, id))
	}
	poll := func(id int) asking {
		return rpc("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tasks/get"`, id))
	}
	given := []string{`{"result":"tools"}`, `{"result":"pending"}`, `{"result":"pending"}`, `{"result":"done"}`}
	file := recorded(t, given, []asking{list(1), poll(2), poll(3), poll(4)})
	for _, tt := range []struct {
		name  string
		asked []asking
	}{
		{"as recorded", []asking{list(1), poll(2), poll(3), poll(4)}},
		{"one more", []asking{list(1), list(2), poll(3), poll(4), poll(5)}},
		{"two more", []asking{list(1), list(2), list(3), poll(4), poll(5), poll(6)}},
		{"one less", []asking{poll(1), poll(2), poll(3)}},
	} {
		r := mustOpen(t, file, InMode(ModeNone), AllowRepeats(), AllowUnused())
		var got []string
		for _, a := range tt.asked {
			if answer := a.ask(t, r); a.body != list(1).body && a.body != list(2).body && a.body != list(3).body {
				got = append(got, answer)
			}
		}
		if !slices.Equal(got, given[1:]) {
			t.Errorf("%s: got %q", tt.name, got)
		}
		mustClose(t, r)
	}
	// At once and with the ids that were recorded, each call gets its own answer.
	r := mustOpen(t, file, InMode(ModeNone), AllowUnused())
	if got := poll(4).ask(t, r) + poll(2).ask(t, r); got != given[3]+given[1] {
		t.Errorf("in another order: got %s", got)
	}
	mustClose(t, r)
}

// The same request several times is a sequence, retries too.
func TestRetriesStayInOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, InMode(ModeAll), Upstream(statuses(`{}`, 429, 200)))
	post(t, r, chatURL, chat("").body)
	post(t, r, chatURL, chat("").body)
	mustClose(t, r)
	r = mustOpen(t, file, InMode(ModeNone))
	for _, want := range []int{429, 200} {
		if status, _ := post(t, r, chatURL, chat("").body); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	mustClose(t, r)
}

// What has changed for all requests alike does not keep them from their own recordings:
// another host, a limit, a way to write them, an id that is drawn for the run.
func TestOwnRecordingAfterAChange(t *testing.T) {
	t.Parallel()
	ask := func(host, seed, rest string) asking {
		return asking{url: "https://" + host + "/v1/chat/completions", body: strings.ReplaceAll(chat(`,"seed":`+seed+rest).body, "SP", " ")}
	}
	tests := []struct {
		name string
		now  func(seed string) asking
	}{
		{"nothing", func(seed string) asking { return ask("api.openai.com", seed, `,"max_tokens":5`) }},
		{"limit", func(seed string) asking { return ask("api.openai.com", seed, `,"max_tokens":6`) }},
		{"host", func(seed string) asking { return ask("gateway.example", seed, `,"max_tokens":5`) }},
		{"blanks", func(seed string) asking {
			a := ask("api.openai.com", seed, `,"max_tokens":5`)
			a.body = strings.ReplaceAll(a.body, ":", ": ")
			return a
		}},
		{"a drawn id", func(seed string) asking {
			return ask("api.openai.com", seed, `,"max_tokens":5,"metadata":{"conversation":"x9Kq"}`)
		}},
		{"all", func(seed string) asking { return ask("gateway.example", seed, `,"max_tokens":7,"user":"u"`) }},
	}
	old := func(seed string) asking { return ask("api.openai.com", seed, `,"max_tokens":5`) }
	file := recorded(t, []string{`"one"`, `"two"`, `"three"`}, []asking{old("1"), old("2"), old("3")})
	for _, tt := range tests {
		r := mustOpen(t, file, InMode(ModeNone))
		for seed, want := range map[string]string{"1": `"one"`, "2": `"two"`, "3": `"three"`} {
			if got := tt.now(seed).ask(t, r); got != want {
				t.Errorf("%s: seed %s got %s", tt.name, seed, got)
			}
		}
		mustClose(t, r)

		// A seed that is not recorded takes another's, and is seen doing so.
		r = mustOpen(t, file, InMode(ModeNone), AllowUnused())
		tt.now("9").ask(t, r)
		tt.now("1").ask(t, r)
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "differs in seed. The request that it was recorded for came later") {
			t.Errorf("%s: Close: %v", tt.name, err)
		}
	}
}

// What is recorded in no kind of its own takes the nearest: host counts more than
// prefix, that more than a query, that more than sampling, that more than bookkeeping.
func TestNearestRecording(t *testing.T) {
	t.Parallel()
	at := func(host, prefix, more string) asking {
		return asking{url: "https://" + host + prefix + "/v1/chat/completions", body: chat(more).body}
	}
	list := []asking{
		at("a.example", "/x", `,"seed":1,"user":"u"`),
		at("b.example", "/x", `,"seed":1,"user":"u"`),
		at("b.example", "/y", `,"seed":2,"user":"u"`),
		at("b.example", "/y", `,"seed":3,"user":"w"`),
	}
	given := []string{`"0"`, `"1"`, `"2"`, `"3"`}
	tests := []struct {
		name string
		ask  asking
		want int
	}{
		{"another user", at("b.example", "/y", `,"seed":2,"user":"w"`), 2},
		{"another seed", at("b.example", "/y", `,"seed":4,"user":"w"`), 3},
		{"another seed of nobody", at("b.example", "/y", `,"seed":4,"user":"v"`), 2},
		{"another prefix", at("b.example", "/z", `,"seed":3,"user":"w"`), 3},
		{"another host", at("c.example", "/y", `,"seed":1,"user":"u"`), 2},
		{"nothing alike", at("c.example", "/z", `,"seed":9`), 0},
	}
	file := recorded(t, given, list)
	for _, tt := range tests {
		r := mustOpen(t, file, InMode(ModeNone), AllowUnused())
		if got := tt.ask.ask(t, r); got != given[tt.want] {
			t.Errorf("%s: got %s, want %s", tt.name, got, given[tt.want])
		}
		mustClose(t, r)
	}
}

// What all requests have changed does not hide what still tells them apart, although it is as important.
func TestChosenBesideAChange(t *testing.T) {
	t.Parallel()
	at := func(path, content string) asking {
		return asking{url: "https://gw.example" + path + "/chat/completions", body: `{"model":"m","messages":[{"role":"user","content":` + content + `}]}`}
	}
	const list = `[{"type":"text","text":"hi"}]`
	for name, tt := range map[string][4]asking{
		"temperature, seed":  {chat(`,"seed":1,"temperature":0`), chat(`,"seed":2,"temperature":0.5`), chat(`,"seed":2,"temperature":1`), chat(`,"seed":1,"temperature":1`)},
		"no temperature":     {chat(`,"seed":1,"temperature":0`), chat(`,"seed":2,"temperature":0.5`), chat(`,"seed":2`), chat(`,"seed":1`)},
		"user, agent":        {chat(`,"user":"a","metadata":{"agent":"x"}`), chat(`,"user":"b","metadata":{"agent":"y"}`), chat(`,"user":"c","metadata":{"agent":"y"}`), chat(`,"user":"c","metadata":{"agent":"x"}`)},
		"prefix, spelling":   {at("/v1", `"hi"`), at("/v1", list), at("/team/v1", list), at("/team/v1", `"hi"`)},
		"one of the others'": {chat(`,"seed":1,"temperature":0`), chat(`,"seed":2,"temperature":0.5`), chat(`,"seed":2,"temperature":0.5`), chat(`,"seed":1,"temperature":1`)},
	} {
		r := mustOpen(t, recorded(t, []string{`"first"`, `"second"`}, tt[:2]), InMode(ModeNone))
		if one, two := tt[2].ask(t, r), tt[3].ask(t, r); one != `"second"` || two != `"first"` {
			t.Errorf("%s: got %s, %s", name, one, two)
		}
		mustClose(t, r)
	}
}

// A trait that no recording has does not lead to those that have none of it.
func TestUnknownTraitDoesNotChoose(t *testing.T) {
	t.Parallel()
	r := mustOpen(t, recorded(t, []string{`"first"`, `"second"`}, []asking{chat(`,"user":"a"`), chat("")}), InMode(ModeNone))
	if one, two := chat(`,"user":"b"`).ask(t, r), chat("").ask(t, r); one != `"first"` || two != `"second"` {
		t.Errorf("got %s, %s", one, two)
	}
	mustClose(t, r)
}

// AllowRepeats repeats the last of a kind before it lends another's.
func TestRepeatsStayInTheirKind(t *testing.T) {
	t.Parallel()
	file := recorded(t, []string{`"one"`, `"two"`}, []asking{chat(`,"seed":1`), chat(`,"seed":2`)})
	r := mustOpen(t, file, InMode(ModeNone), AllowRepeats())
	for range 3 {
		if got := chat(`,"seed":1`).ask(t, r); got != `"one"` {
			t.Errorf("seed 1 got %s", got)
		}
	}
	for range 2 {
		if got := chat(`,"seed":2`).ask(t, r); got != `"two"` {
			t.Errorf("seed 2 got %s", got)
		}
	}
	if got := chat(`,"seed":3`).ask(t, r); got != `"one"` && got != `"two"` {
		t.Errorf("seed 3 got %s", got)
	}
	mustClose(t, r)
}

// A recording that was played for a request that differs, before its own came, is an
// error if that made a difference.
func TestContested(t *testing.T) {
	t.Parallel()
	one, two, nine := chat(`,"seed":1`), chat(`,"seed":2`), chat(`,"seed":9`)
	spaced := asking{url: chatURL, body: strings.ReplaceAll(chat("").body, ":", ": ")}
	tests := []struct {
		name     string
		given    []string
		recorded []asking
		asked    []asking
		want     string // in the error of Close; "" if there is none
	}{
		{"taken, then asked by its own", []string{`"one"`, `"two"`}, []asking{one, two}, []asking{nine, one},
			`c.yaml:4: this recording answered another request, which differs in seed. The request that it was recorded for came later, and got the recording at line 20 instead. Record both requests again, or tell them apart with promptecho.Match("seed")` + "\n\nInMode(ModeNone) in the code allows no recording. To record the test, remove that option and run:\n"},
		{"nothing is left", []string{`"one"`}, []asking{one}, []asking{nine, one},
			`c.yaml:4: an earlier request, which differs in seed and has no recording of its own, already got the answer recorded for this one`},
		{"the answers are the same", []string{`"one"`, `"one"`}, []asking{one, two}, []asking{nine, one}, ""},
		{"its own came first", []string{`"one"`, `"two"`}, []asking{one, two}, []asking{one, nine}, ""},
		{"taken from one that does not come", []string{`"one"`, `"two"`}, []asking{one, two}, []asking{nine, two}, ""},
		{"the own ones are in order", []string{`"a"`, `"b"`, `"c"`}, []asking{one, one, two}, []asking{one, one, nine}, ""},
		{"the second of its own is taken", []string{`"a"`, `"b"`, `"c"`}, []asking{one, one, two}, []asking{one, two, nine, one}, "an earlier request, which differs in seed"},
		{"in another spelling, out of order", []string{`"a"`, `"b"`}, []asking{spaced, chat("")}, []asking{chat(""), chat("")},
			`c.yaml:4: this recording and the one at line 20 are of the same request, spelled in two ways`},
		{"in another spelling, in order", []string{`"a"`, `"b"`}, []asking{chat(""), spaced}, []asking{chat(""), chat("")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := recorded(t, tt.given, tt.recorded)
			r := mustOpen(t, file, InMode(ModeNone))
			for _, a := range tt.asked {
				a.ask(t, r)
			}
			report := r.finish(report.Outcome{Skipped: true}) // unused recordings are not what this is about
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
	file := recorded(t, []string{`"one"`}, []asking{chat(`,"seed":1`)})
	r := mustOpen(t, file, InMode(ModeNewEpisodes), Upstream(inTurn(`"new"`)))
	got := chat(`,"seed":9`).ask(t, r) + chat(`,"seed":1`).ask(t, r)
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "and got a new recording instead") || got != `"one""new"` {
		t.Errorf("got %s, Close: %v", got, err)
	}
}

// Requests that differ only in what does not match, all at once, many times: the race
// detector looks on. Before there were kinds, 158 of 250 got another's answer.
func TestChoiceAtOnce(t *testing.T) {
	t.Parallel()
	var list []asking
	for i := range 5 {
		list = append(list, chat(fmt.Sprintf(`,"seed":%d`, i)))
		list = append(list, asking{url: fmt.Sprintf("https://h%d.example/v1/models", i)})
		list = append(list, rpc(fmt.Sprintf("https://h%d.example/mcp", i), `"id":1,"method":"tools/list"`))
		list = append(list, asking{"https://files.example/x.bin", "", []string{"Range", fmt.Sprintf("bytes=%d-%d", 10*i, 10*i+9)}})
	}
	var given []string
	for i := range list {
		given = append(given, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%d}`, i))
	}
	file := recorded(t, given, list)
	for range full.Cases(20, 1000) {
		r := mustOpen(t, file, InMode(ModeNone))
		var all sync.WaitGroup
		for i, a := range list {
			all.Go(func() {
				if got := a.ask(t, r); got != given[i] {
					t.Errorf("%s %s %s got %s, want %s", a.url, a.body, a.headers, got, given[i])
				}
			})
		}
		all.Wait()
		mustClose(t, r)
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
	kinds := []func(i int) asking{
		func(i int) asking { return chat(fmt.Sprintf(`,"temperature":%d`, i)) },
		func(i int) asking {
			return asking{url: fmt.Sprintf("https://h%d.example/v1/chat/completions", i), body: chat("").body}
		},
		func(i int) asking {
			return asking{url: fmt.Sprintf("https://g.example/p%d/v1/chat/completions", i), body: chat(`,"user":"g"`).body}
		},
		func(i int) asking {
			return asking{url: "https://api.openai.com/v1/responses", body: fmt.Sprintf(`{"model":"m","input":"hi","top_p":%d}`, i)}
		},
		func(i int) asking {
			return asking{url: "https://api.openai.com/v1/embeddings", body: fmt.Sprintf(`{"model":"m","input":"hi","user":"u%d"}`, i)}
		},
		func(i int) asking {
			return asking{url: "https://api.openai.com/v1/completions", body: fmt.Sprintf(`{"model":"m","prompt":"hi","seed":%d}`, i)}
		},
		func(i int) asking {
			return asking{url: "https://api.anthropic.com/v1/messages", body: anthropic(fmt.Sprintf(`,"top_k":%d`, i))}
		},
		func(i int) asking {
			return asking{url: "https://api.anthropic.com/v1/messages", body: anthropic(fmt.Sprintf(`,"metadata":{"user_id":"u%d"},"system":"x"`, i))}
		},
		func(i int) asking {
			return asking{"https://api.anthropic.com/v1/messages", anthropic(`,"system":"y"`), []string{"Anthropic-Version", fmt.Sprint(i)}}
		},
		func(i int) asking {
			return asking{url: fmt.Sprintf("https://r%d.example/v1beta/models/g:generateContent", i), body: gemini("")}
		},
		func(i int) asking {
			return asking{url: "https://g.example/v1beta/models/g:generateContent", body: gemini(fmt.Sprintf(`,"generationConfig":{"seed":%d}`, i))}
		},
		func(i int) asking {
			return asking{url: fmt.Sprintf("https://bedrock-runtime.r%d.amazonaws.com/model/m/converse", i), body: `{"messages":[]}`}
		},
		func(i int) asking {
			return asking{url: "https://ollama.example/api/chat", body: fmt.Sprintf(`{"model":"l","messages":[],"stream":false,"options":{"seed":%d}}`, i)}
		},
		func(i int) asking {
			return asking{url: "https://api.cohere.com/v2/chat", body: fmt.Sprintf(`{"model":"c","messages":[{"role":"user","content":"hi"}],"seed":%d}`, i)}
		},
		func(i int) asking {
			return asking{url: "https://api.mistral.ai/v1/chat/completions", body: chat(fmt.Sprintf(`,"random_seed":%d`, i)).body}
		},
		func(i int) asking { return asking{url: fmt.Sprintf("https://api.example/v1/things?n=%d", i)} },
		func(i int) asking { return asking{url: fmt.Sprintf("https://s%d.example/v1/things", i)} },
		func(i int) asking {
			return rpc(fmt.Sprintf("https://s%d.example/mcp", i), `"id":1,"method":"tools/list"`)
		},
		func(i int) asking {
			return rpc("https://s.example/mcp", fmt.Sprintf(`"id":1,"method":"tools/call","params":{"n":%d}`, i))
		},
		func(i int) asking {
			return asking{"https://s.example/doc", "", []string{"Accept-Language", []string{"de", "en", "fr", "es"}[i]}}
		},
	}
	var list []asking
	for _, kind := range kinds {
		for i := range 4 {
			list = append(list, kind(i), kind(i)) // each twice: a sequence
		}
	}
	var given []string
	for i := range list {
		given = append(given, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":"%d"}`, i/2*2+i%2))
	}
	file := recorded(t, given, list)
	for round := range full.Cases(2, 20) {
		r := mustOpen(t, file, InMode(ModeNone))
		got := make([]string, len(list))
		work := make(chan int)
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for i := range work {
					got[i] = list[i].ask(t, r)
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
				t.Errorf("%s %s got %s, want %s and %s in some order", list[i].url, list[i].body, pair, given[i], given[i+1])
			}
		}
		mustClose(t, r)
	}
}

// BenchmarkChoice asks for a request whose seed is not recorded, among recordings that
// all have others; what it costs must not grow with their number.
//
//	go test -run '^$' -bench Choice .
func BenchmarkChoice(b *testing.B) {
	for _, n := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var list []asking
			var given []string
			for i := range n {
				list = append(list, chat(fmt.Sprintf(`,"seed":%d`, i)))
				given = append(given, fmt.Sprint(i))
			}
			file := recorded(b, given, list)
			asked := n
			var r *Recorder
			for b.Loop() {
				if asked == n { // opening is not what this is about, and neither is the first request
					b.StopTimer()
					if r != nil {
						r.Close()
					}
					r = mustOpen(b, file, InMode(ModeNone), AllowUnused())
					chat(`,"seed":-1`).ask(b, r)
					asked = 1
					b.StartTimer()
				}
				asked++
				chat(fmt.Sprintf(`,"seed":%d`, n+asked)).ask(b, r)
			}
		})
	}
}
