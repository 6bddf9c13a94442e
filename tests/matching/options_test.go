package matching_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Options that select fields compose: each keeps its meaning beside the others.
func TestOptionsCompose(t *testing.T) {
	t.Parallel()
	base := must.Request{URL: "https://api.openai.com/v1/chat/completions?v=1", Body: `{"model":"m","messages":[{"role":"user","content":"at 12:00"}],"temperature":0,"metadata":{"tenant":"red"}}`, Headers: []string{"Anthropic-Version", "1"}}
	with := func(old, new string) must.Request {
		a := base
		a.URL = strings.Replace(a.URL, old, new, 1)
		a.Body = strings.Replace(a.Body, old, new, 1)
		if old == "Anthropic-Version" {
			a.Headers = []string{old, new}
		}
		return a
	}
	host, query, header := with("api.openai", "api.other"), with("v=1", "v=2"), with("Anthropic-Version", "2")
	model, message, temperature, tenant := with(`"m"`, `"n"`), with("at 12:00", "at 13:00"), with(`"temperature":0`, `"temperature":1`), with("red", "blue")
	all := map[string]must.Request{"host": host, "query": query, "header": header, "model": model, "message": message, "temperature": temperature, "tenant": tenant}
	tests := []struct {
		name string
		opts []promptecho.Option
		miss string // which of all miss
	}{
		{"none", nil, "message model"},
		{"MatchOnly", []promptecho.Option{promptecho.MatchOnly("*", "model")}, "model"},
		{"MatchOnly and MatchSampling", []promptecho.Option{promptecho.MatchOnly("*", "model"), promptecho.MatchSampling()}, "model temperature"},
		{"MatchOnly and Match", []promptecho.Option{promptecho.MatchOnly("*", "model"), promptecho.Match("host", "metadata/tenant", "header/Anthropic-Version", "query/v")}, "header host model query tenant"},
		{"MatchOnly and Ignore", []promptecho.Option{promptecho.MatchOnly("*", "model", "messages"), promptecho.Ignore("model")}, "message"},
		{"Match and Ignore", []promptecho.Option{promptecho.Match("temperature", "host"), promptecho.Ignore("temperature")}, "host message model"},
		{"MatchSampling and Ignore", []promptecho.Option{promptecho.MatchSampling(), promptecho.Ignore("temperature")}, "message model"},
		{"MatchSampling and Match", []promptecho.Option{promptecho.MatchSampling(), promptecho.Match("query/v")}, "message model query temperature"},
		{"Mask", []promptecho.Option{promptecho.Mask(`\d\d:\d\d`, "TIME")}, "model"},
		{"Mask and Match", []promptecho.Option{promptecho.Mask(`api\.\w+`, "API"), promptecho.Match("host")}, "message model"},
		{"MatchOnly and Mask", []promptecho.Option{promptecho.MatchOnly("*", "messages"), promptecho.Mask(`\d\d:\d\d`, "TIME")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{base}, tt.opts...)
			var missed []string
			for _, name := range []string{"header", "host", "message", "model", "query", "temperature", "tenant"} {
				r := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeNone))...)
				if got := all[name].Ask(t, r); strings.HasPrefix(got, "status 418") {
					missed = append(missed, name)
				}
				r.Close()
			}
			if got := strings.Join(missed, " "); got != tt.miss {
				t.Errorf("what misses: %q, want %q", got, tt.miss)
			}
		})
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	t.Parallel()
	for want, opt := range map[string]promptecho.Option{
		`promptecho: MatchOnly("*", "host"): this path is outside the body: use Match("host") for it, or "body/host" for a body field of that name`: promptecho.MatchOnly("*", "host"),
		`promptecho: Alias: "ftp://127.0.0.1:80" is not an origin such as http://127.0.0.1:8080`:                                                    promptecho.Alias("ftp://127.0.0.1:80", "jira"),
		`promptecho: Alias: "a b" is not a name of letters, digits, "-" and "."`:                                                                    promptecho.Alias("http://127.0.0.1:80", "a b"),
		"promptecho: Upstream: this transport is a recorder: pass one that sends to the network, such as new(http.Transport)":                       promptecho.Upstream(&promptecho.Recorder{}),
	} {
		if _, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), opt); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// Ports of local servers change from run to run: a recording is found on another one.
// Two that answer the same request differently could not be told apart; recording them
// is an error that says what to write, and what it says works.
func TestLocalServers(t *testing.T) {
	t.Parallel()
	serve := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var call struct{ ID int }
			if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%q}`, call.ID, name)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	list := `"id":1,"method":"tools/list"`
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	jira, github := serve("jira"), serve("github")
	must.RPC(jira+"/mcp", list).Ask(t, r)
	must.RPC(github+"/mcp", list).Ask(t, r)
	err := r.Close()
	if err == nil {
		t.Fatal("two servers that cannot be told apart were recorded without a word")
	}
	proposed := regexp.MustCompile(`promptecho\.Alias\(server\.URL, ".*?"\), // server: the \*httptest\.Server at (.*)`).FindAllStringSubmatch(err.Error(), -1)
	if len(proposed) != 2 || proposed[0][1] != jira || proposed[1][1] != github || !strings.Contains(err.Error(), "answered the same request (jsonrpc.tools/list) differently") {
		t.Fatalf("Close: %v", err)
	}
	if f, err := cassette.Load(file); err != nil || !f.Partial {
		t.Errorf("what was paid for is kept, as partial: %+v, %v", f, err)
	}

	named := []promptecho.Option{promptecho.Alias(jira, "jira"), promptecho.Alias(github, "GitHub")}
	r = must.Open(t, file, append(named, promptecho.InMode(promptecho.ModeAll))...)
	must.RPC(jira+"/mcp", list).Ask(t, r)
	must.RPC(github+"/mcp", list).Ask(t, r)
	must.Pass(t, r)
	if text := must.Read(t, file); !strings.Contains(text, "url: http://jira/mcp") || !strings.Contains(text, "url: http://github/mcp") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("a name stands where the port was:\n%s", text)
	}
	// Another day, other ports, another order.
	servers := []promptecho.Option{
		promptecho.Alias("http://127.0.0.1:9001", "jira"),
		promptecho.Alias("LOCALHOST:9002", "github"),
	}
	r = must.Open(t, file, append(servers, promptecho.InMode(promptecho.ModeNone))...)
	for _, want := range []string{"github", "jira"} {
		port := map[string]string{"jira": "http://127.0.0.1:9001", "github": "http://localhost:9002"}[want]
		if got := must.RPC(port+"/mcp", list).Ask(t, r); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", want, got)
		}
	}
	must.Close(t, r)

	// One server on two ports says the same: nothing has to be told apart.
	again := filepath.Join(t.TempDir(), "c.yaml")
	r = must.Open(t, again, promptecho.InMode(promptecho.ModeAll))
	must.RPC(serve("same")+"/mcp", list).Ask(t, r)
	must.RPC(serve("same")+"/mcp", `"id":2,"method":"tools/list"`).Ask(t, r)
	must.Close(t, r)
	r = must.Open(t, again, promptecho.InMode(promptecho.ModeNone))
	for range 2 {
		if got := must.RPC("http://qdrant:6333/mcp", list).Ask(t, r); !strings.Contains(got, "same") {
			t.Errorf("another local name: %s", got)
		}
	}
	must.Close(t, r)
}

// A name in another script is the one that net/http sends.
func TestNamesInOtherScripts(t *testing.T) {
	t.Parallel()
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{{URL: "https://bücher.example/v1/x"}})
	if text := must.Read(t, file); !strings.Contains(text, "https://xn--bcher-kva.example/v1/x") {
		t.Errorf("not in Punycode:\n%s", text)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got := (must.Request{URL: "https://XN--BCHER-KVA.example:443/v1/x"}).Ask(t, r); got != `"one"` {
		t.Error(got)
	}
	must.Close(t, r)
}

// Two requests are sent for one answer, and the slower one is given up: the same
// program replays, whichever was the slower.
func TestHedged(t *testing.T) {
	t.Parallel()
	for _, slow := range []int{1, 2} {
		t.Run(fmt.Sprint(slow, " is slower"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				hedge := func(r *promptecho.Recorder) string {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					won := make(chan string, 2)
					var all sync.WaitGroup
					send := func() {
						req, _ := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(must.Chat("").Body))
						resp, err := r.Client().Do(req)
						if err != nil {
							if !errors.Is(err, context.Canceled) {
								t.Error(err)
							}
							return
						}
						defer resp.Body.Close()
						b, _ := io.ReadAll(resp.Body)
						won <- string(b)
						cancel()
					}
					all.Go(send)
					time.Sleep(20 * time.Millisecond)
					if len(won) == 0 {
						all.Go(send)
					}
					all.Wait()
					return <-won
				}
				var n atomic.Int32
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
					delay := 50 * time.Millisecond
					if int(n.Add(1)) == slow {
						delay = time.Minute
					}
					select {
					case <-time.After(delay):
						return provider.Says(`"answer"`).RoundTrip(req)
					case <-req.Context().Done():
						return nil, req.Context().Err()
					}
				})))
				if got := hedge(r); got != `"answer"` {
					t.Fatal(got)
				}
				must.Close(t, r)
				f, err := cassette.Load(file)
				if err != nil || len(f.Interactions) != 2 || f.Interactions[slow-1].Response.End != interaction.EndCanceled || f.Interactions[0].Concurrent == nil || f.Interactions[1].Concurrent == nil {
					t.Fatalf("%v\n%s", err, must.Read(t, file))
				}
				for range 3 {
					r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
					if got := hedge(r); got != `"answer"` {
						t.Error(got)
					}
					must.Close(t, r)
				}
			})
		})
	}
}

// A request whose deadline passed before there was an answer fails in the same way
// when it is replayed, when its context is done; one that its caller canceled waits for that.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		hold := provider.Func(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		do := func(r *promptecho.Recorder, ctx context.Context) error {
			req, _ := http.NewRequestWithContext(ctx, "POST", must.ChatURL, strings.NewReader(must.Chat("").Body))
			_, err := r.Client().Do(req)
			return err
		}
		late := func(r *promptecho.Recorder) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			err := do(r, ctx)
			if ctx.Err() == nil {
				t.Error("the request failed before its deadline")
			}
			return err
		}
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(hold), promptecho.OnRecordError(promptecho.Keep))
		if err := late(r); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		must.Close(t, r)
		start := time.Now()
		for _, pace := range []float64{0, 1} {
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(pace))
			if err := late(r); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
				t.Errorf("pace %v: %v after %v", pace, err, time.Since(start))
			}
			start = time.Now()
			must.Close(t, r)
		}

		canceled := func(r *promptecho.Recorder) error {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Minute, cancel)
			return do(r, ctx)
		}
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(hold))
		if err := canceled(r); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		must.Close(t, r)
		start = time.Now()
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		if err := canceled(r); !errors.Is(err, context.Canceled) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		must.Close(t, r)

		// What nobody can cancel, and what nobody has canceled when the recorder is closed.
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		if err := do(r, context.Background()); err == nil || !strings.Contains(err.Error(), "c.yaml:4: when this was recorded, its caller canceled it before there was an answer") {
			t.Error(err)
		}
		must.Close(t, r)
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		closed := make(chan bool)
		time.AfterFunc(time.Second, func() { r.Close(); close(closed) })
		if err := do(r, t.Context()); err == nil || !strings.Contains(err.Error(), "after the recorder was closed") {
			t.Error(err)
		}
		<-closed

		// Whether it is sent depends on how long others take: it may stay unused.
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		report := must.Finish(r, report.Outcome{})
		if text := strings.Join(report.Errors, "\n"); strings.Contains(text, "not used") {
			t.Error(text)
		}
	})
}

// A title that is asked for in the background races with the end of the test: when it
// is not asked for the report says so, and AllowRaced accepts it, and nothing else.
func TestRaced(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return provider.Says(`"answer"`).RoundTrip(req)
		})))
		var title sync.WaitGroup
		title.Go(func() { must.Ask(t, r, "https://api.openai.com", "a title, please") })
		must.Ask(t, r, "https://api.openai.com", "do the work")
		title.Wait()
		must.Ask(t, r, "https://api.openai.com", "and more")
		must.Close(t, r)
	})
	if text := must.Read(t, file); strings.Count(text, "concurrent: asked ") != 2 {
		t.Fatalf("two were made at the same time:\n%s", text)
	}
	tests := []struct {
		name  string
		opts  []promptecho.Option
		asked []string
		want  string // in the error of Close
	}{
		{"all", nil, []string{"do the work", "a title, please", "and more"}, ""},
		{"no title", nil, []string{"do the work", "and more"}, "it was recorded while another request was in flight"},
		{"no title, and it may", []promptecho.Option{promptecho.AllowRaced()}, []string{"do the work", "and more"}, ""},
		{"only what was raced may", []promptecho.Option{promptecho.AllowRaced()}, []string{"do the work", "a title, please"}, "1 of 3 recordings not used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range full.Cases(3, 50) {
				r := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeNone))...)
				var all sync.WaitGroup
				for _, text := range tt.asked {
					all.Go(func() { must.Ask(t, r, "https://api.openai.com", text) })
				}
				all.Wait()
				if err := r.Close(); fmt.Sprint(err) == "<nil>" != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("Close: %v", err)
				}
			}
		})
	}
}

// What another recorder does not know is never recorded as an answer, wherever that
// recorder stands.
func TestMissOfAnotherRecorder(t *testing.T) {
	t.Parallel()
	other := must.Open(t, must.RecordAnswers(t, []string{`"one"`}, []must.Request{must.Chat("")}), promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) { return other.RoundTrip(req) })))
	if got := must.Chat(`,"top_logprobs":1`).Ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Error(got)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "it did not go to the network, but to another recorder, which has no recording of it (http.DefaultTransport, or the transport that Upstream sets, is that recorder): add promptecho.Upstream(new(http.Transport))") {
		t.Errorf("Close: %v", err)
	}
	if _, err := cassette.Load(file); err == nil {
		t.Errorf("recorded:\n%s", must.Read(t, file))
	}
}

// A mask reaches the path of an endpoint that no family knows, too.
func TestMaskOfAPath(t *testing.T) {
	t.Parallel()
	run := func(n int) must.Request { return must.Request{URL: fmt.Sprintf("https://x.example/runs/run-%d", n)} }
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{run(1)})
	for _, tt := range []struct {
		opt  promptecho.Option
		want string
	}{{promptecho.Mask(`run-\d+`, "RUN"), `"one"`}, {promptecho.Mask(`walk-\d+`, "WALK"), "status 418"}} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), tt.opt)
		if got := run(2).Ask(t, r); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, want %s", got, tt.want)
		}
		r.Close()
	}
}

// TestReadyMasks: what changes with every run matches its recording with the option for it,
// and a change beside it does not.
func TestReadyMasks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name               string
		option             promptecho.Option
		text, again, other string
	}{
		{"times", promptecho.MaskTimes(), "at Fri, 02 Jan 2026 03:04:05 GMT, Oslo", "at Sat, 21 Nov 2026 23:14:15 GMT, Oslo", "at Fri, 02 Jan 2026 03:04:05 GMT, Rome"},
		{"uuids", promptecho.MaskUUIDs(), "run 0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a", "run 7C9E6679-7425-40DE-944B-E07FC1F90AE7", "run 7C9E6679"},
		{"temp dirs", promptecho.MaskTempDirs(), "read /var/folders/zz/zy_0/T/TestX12345/001/a.txt", "read /tmp/TestX6789/001/a.txt", "read /tmp/TestX6789/001/b.txt"},
	} {
		ask := func(text string) must.Request {
			return must.Request{URL: "https://x.example/ask", Body: fmt.Sprintf(`{"q":%q}`, text)}
		}
		file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{ask(tt.text)})
		for text, want := range map[string]string{tt.again: `"one"`, tt.other: "status 418"} {
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused(), tt.option)
			if got := ask(text).Ask(t, r); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q is answered with %s, want %s", tt.name, text, got, want)
			}
			r.Close()
		}
	}
}

// What changes with every run is no part of the name of a model, nor of a version: a mask for it leaves these alone.
// A mask that the user writes does not.
func TestMasksLeaveVersionsAlone(t *testing.T) {
	t.Parallel()
	const azure = "https://x.openai.azure.com/openai/deployments/%s/chat/completions"
	model := func(name string) must.Request {
		return must.Request{URL: must.ChatURL, Body: strings.Replace(must.Chat("").Body, `"m"`, `"`+name+`"`, 1)}
	}
	deployment := func(name string) must.Request {
		return must.Request{URL: fmt.Sprintf(azure, name), Body: `{"messages":[{"role":"user","content":"hi"}]}`}
	}
	version := func(date string) must.Request {
		return must.RPC("https://mcp.example/", `"id":1,"method":"initialize","params":{"protocolVersion":"`+date+`"}`)
	}
	for _, tt := range []struct {
		name       string
		option     promptecho.Option
		was, is    must.Request
		isAnswered bool
	}{
		{"model", promptecho.MaskTimes(), model("gpt-4o-2024-08-06"), model("gpt-4o-2024-11-20"), false},
		{"deployment", promptecho.MaskTimes(), deployment("gpt-4o-2024-08-06"), deployment("gpt-4o-2024-11-20"), false},
		{"deployment with a UUID", promptecho.MaskUUIDs(), deployment("7d444840-9dc0-41d1-b245-5ffdce74fad2"), deployment("8e444840-9dc0-41d1-b245-5ffdce74fad2"), false},
		{"protocol", promptecho.MaskTimes(), version("2025-06-18"), version("2025-11-25"), false},
		{"beta", promptecho.MaskTimes(), must.Request{URL: must.ChatURL, Body: must.Chat("").Body, Headers: []string{"Openai-Beta", "x=2025-06-18"}}, must.Request{URL: must.ChatURL, Body: must.Chat("").Body, Headers: []string{"Openai-Beta", "x=2025-11-25"}}, false},
		{"data", promptecho.MaskTimes(), must.Request{URL: must.ChatURL, Body: strings.Replace(must.Chat("").Body, `"hi"`, `[{"type":"x","version":"2026-01-02"}]`, 1)},
			must.Request{URL: must.ChatURL, Body: strings.Replace(must.Chat("").Body, `"hi"`, `[{"type":"x","version":"2026-01-03"}]`, 1)}, true},
		{"an agent of the user's own", promptecho.MaskUUIDs(), must.Request{URL: "https://own.example/run", Body: `{"agent_id":"7d444840-9dc0-41d1-b245-5ffdce74fad2","version":"7d444840-9dc0-41d1-b245-5ffdce74fad2"}`},
			must.Request{URL: "https://own.example/run", Body: `{"agent_id":"8e444840-9dc0-41d1-b245-5ffdce74fad2","version":"8e444840-9dc0-41d1-b245-5ffdce74fad2"}`}, true},
		{"the user's", promptecho.Mask(`-\d{4}-\d\d-\d\d`, ""), model("gpt-4o-2024-08-06"), model("gpt-4o-2024-11-20"), true},
	} {
		r := must.Open(t, must.RecordAnswers(t, []string{`"one"`}, []must.Request{tt.was}, tt.option), promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused(), tt.option)
		if got := tt.is.Ask(t, r); strings.HasPrefix(got, `"one"`) != tt.isAnswered {
			t.Errorf("%s: answered with %s", tt.name, got)
		}
		if rep := must.Finish(r, report.Outcome{}); strings.Contains(strings.Join(rep.Errors, ""), "add promptecho.Mask") {
			t.Errorf("%s: %s", tt.name, rep.Errors)
		}
	}
}
