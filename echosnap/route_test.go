package echosnap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/snapshot/judge"
	"github.com/promptecho/promptecho/internal/testing/full"
)

type call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// upstream answers chats with the calls that the last message holds as JSON, and an MCP server
// with a result.
type upstream struct{}

func (upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	answer := ""
	switch {
	case req.URL.Path == "/mcp":
		var rpc struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if err := json.Unmarshal(body, &rpc); err != nil {
			return nil, err
		}
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"isError":%v}}`, rpc.ID, strings.HasPrefix(rpc.Params.Name, "bad"))
		if rpc.ID == nil {
			answer = "{}"
		}
	case req.URL.Path == "/v1/weather":
		answer = `{"sunny":true}`
	case strings.Contains(string(body), "broken"):
		return &http.Response{StatusCode: 429, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"error":{"message":"slow down"}}`)), Request: req}, nil
	default:
		var chat struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(body, &chat); err != nil {
			return nil, err
		}
		var calls []string
		var want []call
		last := chat.Messages[len(chat.Messages)-1].Content
		if json.Unmarshal([]byte(last), &want) == nil {
			for i, c := range want {
				calls = append(calls, fmt.Sprintf(`{"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}`, i, c.Name, c.Args))
			}
		}
		answer = fmt.Sprintf(`{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"done","tool_calls":[%s]}}]}`, strings.Join(calls, ","))
	}
	return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
}

// send posts a body and reads the answer.
func send(t *testing.T, rec *promptecho.Recorder, url, body string) {
	t.Helper()
	resp, err := rec.Client().Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
}

func chat(t *testing.T, rec *promptecho.Recorder, model string, messages ...string) {
	t.Helper()
	var list []string
	for i, m := range messages {
		list = append(list, fmt.Sprintf(`{"role":%q,"content":%q}`, []string{"user", "assistant"}[i%2], m))
	}
	send(t, rec, "https://api.openai.com/v1/chat/completions", fmt.Sprintf(`{"model":%q,"messages":[%s]}`, model, strings.Join(list, ",")))
}

func mcp(t *testing.T, rec *promptecho.Recorder, method, params string) {
	t.Helper()
	send(t, rec, "https://tools.example.com/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
}

// opened returns a recorder that records over the cassette, or replays it.
func opened(t *testing.T, file string, mode promptecho.Mode, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	rec, err := promptecho.Open(file, append(opts, promptecho.InMode(mode), promptecho.Upstream(upstream{}), promptecho.OnRecordError(promptecho.Keep))...)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// textOf returns the route of a recorder as text.
func textOf(t *testing.T, rec *promptecho.Recorder) string {
	t.Helper()
	r := routeOf(t, rec)
	if r == nil {
		return ""
	}
	return r.String()
}

// both runs an agent that is recorded, and replays it some times: its route must be the same
// each time, also if it is recorded anew.
func both(t *testing.T, runs int, want string, agent func(rec *promptecho.Recorder)) {
	t.Helper()
	for range max(1, runs/10) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for i := range runs/10 + 2 {
			mode := promptecho.ModeNone
			if i == 0 {
				mode = promptecho.ModeAll
			}
			rec := opened(t, file, mode)
			agent(rec)
			if got := textOf(t, rec); got != want {
				t.Fatalf("run %d:\n%s\nwant\n%s", i, got, want)
			}
			if err := rec.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A route names each model call, tool call, protocol call and function, in its order.
func TestRouteOfAll(t *testing.T) {
	t.Parallel()
	anew(t)
	both(t, 1, `ask gpt-5: tool calls
  get_weather {"city":"Rome"}, ran
  charge_card {"amount":5}, ran: failed
  not_run {}
run get_weather {"city":"Oslo"}
ask gpt-5: stop
run search {"q":"x"}
run bad_tool {}: failed
jsonrpc resources/read file://a
run retrieval/guide "Rome"
POST api.example.com/v1/weather
ask gpt-5: status 429`, func(rec *promptecho.Recorder) {
		weather := promptecho.Wrap(rec, "tool/get_weather", func(ctx context.Context, in struct {
			City string `json:"city"`
		}) (string, error) {
			// What a tool sends belongs to the tool, which is played in a replay.
			req, _ := http.NewRequestWithContext(ctx, "POST", "https://api.example.com/v1/weather", strings.NewReader("{}"))
			resp, err := rec.Client().Do(req)
			if err != nil {
				return "", err
			}
			return "sunny", resp.Body.Close()
		})
		charge := promptecho.Wrap(rec, "tool/charge_card", func(context.Context, struct {
			Amount int `json:"amount"`
		}) (string, error) {
			return "", errors.New("declined")
		})
		guide := promptecho.Wrap(rec, "retrieval/guide", func(_ context.Context, query string) (string, error) { return query, nil })
		question := `[{"name":"get_weather","args":{"city":"Rome"}},{"name":"charge_card","args":{"amount":5}},{"name":"not_run","args":{}}]`
		chat(t, rec, "gpt-5", question)
		charge(t.Context(), struct {
			Amount int `json:"amount"`
		}{5})
		for _, city := range []string{"Rome", "Oslo"} {
			weather(t.Context(), struct {
				City string `json:"city"`
			}{city})
		}
		chat(t, rec, "gpt-5", question, "done", "thanks")
		mcp(t, rec, "initialize", "{}")
		mcp(t, rec, "tools/list", "{}")
		mcp(t, rec, "tools/call", `{"name":"search","arguments":{"q":"x"}}`)
		mcp(t, rec, "tools/call", `{"name":"bad_tool"}`)
		mcp(t, rec, "resources/read", `{"uri":"file://a"}`)
		guide(t.Context(), "Rome")
		chat(t, rec, "gpt-5", judge.Prompt("old", "new", []string{"is right"})) // the test asks, not the agent
		send(t, rec, "https://api.example.com/v1/weather", `{"direct":true}`)
		chat(t, rec, "gpt-5", "broken")
	})
}

// TestRouteAtOnce: which of several goroutines comes first is not in the route, in the run
// that records as in every replay.
func TestRouteAtOnce(t *testing.T) {
	t.Parallel()
	anew(t)
	runs := full.Cases(10, 200)
	both(t, runs, `ask planner: stop
at once:
  ask a: stop
  ask b: stop
  ask c: stop
  run look_up {"what":0}
  run look_up {"what":1}
at once:
  ask a: stop
  ask b: stop
  ask c: stop
ask merger: stop`, func(rec *promptecho.Recorder) {
		look := promptecho.Wrap(rec, "tool/look_up", func(_ context.Context, in struct {
			What int `json:"what"`
		}) (int, error) {
			return in.What, nil
		})
		chat(t, rec, "planner", "plan")
		var wg sync.WaitGroup
		for _, model := range []string{"c", "a", "b"} {
			wg.Go(func() {
				chat(t, rec, model, "first")
				chat(t, rec, model, "first", "done", "second")
			})
		}
		for n := range 2 {
			wg.Go(func() {
				look(t.Context(), struct {
					What int `json:"what"`
				}{n})
			})
		}
		wg.Wait()
		chat(t, rec, "merger", "merge")
	})
}

// TestRouteTurned: a program that calls its tools in another order than it was recorded has
// another route, although each call has its recording.
func TestRouteTurned(t *testing.T) {
	t.Parallel()
	anew(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	agent := func(rec *promptecho.Recorder, tools ...string) string {
		for _, name := range tools {
			mcp(t, rec, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, name))
		}
		text := textOf(t, rec)
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
		return text
	}
	was := agent(opened(t, file, promptecho.ModeAll), "check_balance", "charge_card")
	now := agent(opened(t, file, promptecho.ModeNone), "charge_card", "check_balance")
	if was != "run check_balance {}\nrun charge_card {}" || now != "run charge_card {}\nrun check_balance {}" {
		t.Errorf("%s\n%s", was, now)
	}
}

// Checks of a route say what was called, how often and in which order.
func TestRouteChecks(t *testing.T) {
	t.Parallel()
	anew(t)
	dir := t.TempDir()
	check := func(tb testing.TB, opts ...RouteOption) {
		rec := opened(t, filepath.Join(dir, "c.yaml"), promptecho.ModeAll)
		chat(t, rec, "m", `[{"name":"get_weather","args":{}},{"name":"get_hotels","args":{}}]`)
		chat(t, rec, "m", `[{"name":"book_table","args":{"at":19}}]`)
		mcp(t, rec, "tools/call", `{"name":"send_mail","arguments":{}}`)
		var wg sync.WaitGroup
		for _, name := range []string{"x", "y"} {
			wg.Go(func() { mcp(t, rec, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, name)) })
		}
		wg.Wait()
		Route(tb, rec, opts...)
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, good := range [][]RouteOption{
		{Calls("get_weather", "book_table"), Never("charge_card"), AtMost(6)},
		{Calls("get_weather", "get_hotels", "book_table", "send_mail", "x", "y")},
		{Calls("y", "x")}, // at once
		{CallsAny("send_mail", "get_weather")},
		{AtMost(1, "book_table", "charge_card")},
		{Calls()},
	} {
		passes(t, "TestRouteChecks/good", func(tb testing.TB) {
			check(tb, good...)
		})
	}
	for want, bad := range map[string]RouteOption{
		"get_weather is not called after book_table; called: send_mail, x, y":    Calls("book_table", "get_weather"),
		"charge_card is not called; called: get_weather, get_hotels, book_table": Calls("charge_card", "x"),
		"not called: charge_card, x": CallsAny("charge_card", "x", "x"),
		`book_table must never be called, but is, in step 2: ask m: tool calls` + "\n    book_table {\"at\":19}": Never("charge_card", "book_table"),
		"at most 5 calls of tools are allowed, but call number 6 (y) is made in step 5":                          AtMost(5),
		"at most 0 calls of get_hotels are allowed, but call number 1 (get_hotels) is made in step 1":            AtMost(0, "get_hotels"),
		"get_weather is not called after get_hotels; called: book_table":                                         Calls("get_hotels", "get_weather"),
		"x is not called after x, y; nor is any other tool":                                                      Calls("x", "y", "x"),
	} {
		fails(t, "TestRouteChecks/bad", func(tb testing.TB) { check(tb, bad) }, "echosnap: the route is not as expected: "+want, "\n  ask m: tool calls\n    get_weather {}")
	}
}

// What a route cannot be of fails the test.
func TestRouteOfNothing(t *testing.T) {
	t.Parallel()
	anew(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := opened(t, file, promptecho.ModeAll, promptecho.AllowUnused())
	fails(t, "TestRouteOfNothing", func(tb testing.TB) { Route(tb, rec, Never("x")) }, "the recorder saw no call")
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	fails(t, "TestRouteOfNothing", func(tb testing.TB) { Route(tb, rec) }, "1 answer still being read")
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	rec.Close()
	rec = opened(t, file, promptecho.ModeNone)
	chat(t, rec, "m", "b")
	fails(t, "TestRouteOfNothing", func(tb testing.TB) { Route(tb, rec) }, "because the cassette lacks 1 recording")
	rec.Close()
	rec = opened(t, file, promptecho.ModeLive)
	chat(t, rec, "m", "b")
	fails(t, "TestRouteOfNothing", func(tb testing.TB) { Route(tb, rec) }, "the mode is live, which records nothing")
	rec.Close()
}

// A route is a snapshot, too.
func TestRouteSnapshot(t *testing.T) {
	t.Parallel()
	anew(t)
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, model := range []string{"m", "n"} {
		rec := opened(t, file, promptecho.ModeAll)
		f := run(t, "TestRouteSnapshot", func(tb testing.TB) {
			chat(t, rec, model, `[{"name":"get_weather","args":{"city":"Rome"}}]`)
			Route(tb, rec)
			Route(tb, rec, Name("again"))
		})
		rec.Close()
		if said := strings.Join(f.errors, "\n"); (model == "n") != strings.Contains(said, `"route" differs`) || model == "n" && !strings.Contains(said, "ask [-m-]{+n+}: tool calls") {
			t.Errorf("model %s: %s", model, said)
		}
	}
	if got := file2(t); got != "promptecho snapshots, version 1\n-- again (route) --\nask m: tool calls\n  get_weather {\"city\":\"Rome\"}\n-- route (route) --\nask m: tool calls\n  get_weather {\"city\":\"Rome\"}\n-- end --\n" {
		t.Error(got)
	}
}

func file2(t *testing.T) string { return file(t, "TestRouteSnapshot.snap") }
