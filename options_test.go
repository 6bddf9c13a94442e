package promptecho

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

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// Options that select fields compose: each keeps its meaning beside the others.
func TestOptionsCompose(t *testing.T) {
	t.Parallel()
	base := asking{"https://api.openai.com/v1/chat/completions?v=1", `{"model":"m","messages":[{"role":"user","content":"at 12:00"}],"temperature":0,"metadata":{"tenant":"red"}}`, []string{"Anthropic-Version", "1"}}
	with := func(old, new string) asking {
		a := base
		a.url = strings.Replace(a.url, old, new, 1)
		a.body = strings.Replace(a.body, old, new, 1)
		if old == "Anthropic-Version" {
			a.headers = []string{old, new}
		}
		return a
	}
	host, query, header := with("api.openai", "api.other"), with("v=1", "v=2"), with("Anthropic-Version", "2")
	model, message, temperature, tenant := with(`"m"`, `"n"`), with("at 12:00", "at 13:00"), with(`"temperature":0`, `"temperature":1`), with("red", "blue")
	all := map[string]asking{"host": host, "query": query, "header": header, "model": model, "message": message, "temperature": temperature, "tenant": tenant}
	tests := []struct {
		name string
		opts []Option
		miss string // which of all miss
	}{
		{"none", nil, "message model"},
		{"MatchOnly", []Option{MatchOnly("*", "model")}, "model"},
		{"MatchOnly and MatchSampling", []Option{MatchOnly("*", "model"), MatchSampling()}, "model temperature"},
		{"MatchOnly and Match", []Option{MatchOnly("*", "model"), Match("host", "metadata/tenant", "header/Anthropic-Version", "query/v")}, "header host model query tenant"},
		{"MatchOnly and Ignore", []Option{MatchOnly("*", "model", "messages"), Ignore("model")}, "message"},
		{"Match and Ignore", []Option{Match("temperature", "host"), Ignore("temperature")}, "host message model"},
		{"MatchSampling and Ignore", []Option{MatchSampling(), Ignore("temperature")}, "message model"},
		{"MatchSampling and Match", []Option{MatchSampling(), Match("query/v")}, "message model query temperature"},
		{"Mask", []Option{Mask(`\d\d:\d\d`, "TIME")}, "model"},
		{"Mask and Match", []Option{Mask(`api\.\w+`, "API"), Match("host")}, "message model"},
		{"MatchOnly and Mask", []Option{MatchOnly("*", "messages"), Mask(`\d\d:\d\d`, "TIME")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := recorded(t, []string{`"one"`}, []asking{base}, tt.opts...)
			var missed []string
			for _, name := range []string{"header", "host", "message", "model", "query", "temperature", "tenant"} {
				r := mustOpen(t, file, append(tt.opts, InMode(ModeNone))...)
				if got := all[name].ask(t, r); strings.HasPrefix(got, "status 418") {
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
	for want, opt := range map[string]Option{
		`promptecho: MatchOnly("*", "host"): this path is outside the body: use Match("host") for it, or "body/host" for a body field of that name`: MatchOnly("*", "host"),
		`promptecho: Alias: "ftp://127.0.0.1:80" is not an origin such as http://127.0.0.1:8080`:                                                    Alias("ftp://127.0.0.1:80", "jira"),
		`promptecho: Alias: "a b" is not a name of letters, digits, "-" and "."`:                                                                    Alias("http://127.0.0.1:80", "a b"),
		"promptecho: Upstream: this transport is a recorder: pass one that sends to the network, such as new(http.Transport)":                       Upstream(&Recorder{}),
	} {
		if _, err := Open(filepath.Join(t.TempDir(), "c.yaml"), opt); err == nil || err.Error() != want {
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
	r := mustOpen(t, file, InMode(ModeAll))
	jira, github := serve("jira"), serve("github")
	rpc(jira+"/mcp", list).ask(t, r)
	rpc(github+"/mcp", list).ask(t, r)
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

	named := []Option{Alias(jira, "jira"), Alias(github, "GitHub")}
	r = mustOpen(t, file, append(named, InMode(ModeAll))...)
	rpc(jira+"/mcp", list).ask(t, r)
	rpc(github+"/mcp", list).ask(t, r)
	mustPass(t, r)
	if text := read(t, file); !strings.Contains(text, "url: http://jira/mcp") || !strings.Contains(text, "url: http://github/mcp") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("a name stands where the port was:\n%s", text)
	}
	// Another day, other ports, another order.
	r = mustOpen(t, file, Alias("http://127.0.0.1:9001", "jira"), Alias("LOCALHOST:9002", "github"), InMode(ModeNone))
	for _, want := range []string{"github", "jira"} {
		port := map[string]string{"jira": "http://127.0.0.1:9001", "github": "http://localhost:9002"}[want]
		if got := rpc(port+"/mcp", list).ask(t, r); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", want, got)
		}
	}
	mustClose(t, r)

	// One server on two ports says the same: nothing has to be told apart.
	again := filepath.Join(t.TempDir(), "c.yaml")
	r = mustOpen(t, again, InMode(ModeAll))
	rpc(serve("same")+"/mcp", list).ask(t, r)
	rpc(serve("same")+"/mcp", `"id":2,"method":"tools/list"`).ask(t, r)
	mustClose(t, r)
	r = mustOpen(t, again, InMode(ModeNone))
	for range 2 {
		if got := rpc("http://qdrant:6333/mcp", list).ask(t, r); !strings.Contains(got, "same") {
			t.Errorf("another local name: %s", got)
		}
	}
	mustClose(t, r)
}

// A name in another script is the one that net/http sends.
func TestNamesInOtherScripts(t *testing.T) {
	t.Parallel()
	file := recorded(t, []string{`"one"`}, []asking{{url: "https://bücher.example/v1/x"}})
	if text := read(t, file); !strings.Contains(text, "https://xn--bcher-kva.example/v1/x") {
		t.Errorf("not in Punycode:\n%s", text)
	}
	r := mustOpen(t, file, InMode(ModeNone))
	if got := (asking{url: "https://XN--BCHER-KVA.example:443/v1/x"}).ask(t, r); got != `"one"` {
		t.Error(got)
	}
	mustClose(t, r)
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
				hedge := func(r *Recorder) string {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					won := make(chan string, 2)
					var all sync.WaitGroup
					send := func() {
						req, _ := http.NewRequestWithContext(ctx, "POST", chatURL, strings.NewReader(chat("").body))
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
				r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
					delay := 50 * time.Millisecond
					if int(n.Add(1)) == slow {
						delay = time.Minute
					}
					select {
					case <-time.After(delay):
						return canned(`"answer"`).RoundTrip(req)
					case <-req.Context().Done():
						return nil, req.Context().Err()
					}
				})))
				if got := hedge(r); got != `"answer"` {
					t.Fatal(got)
				}
				mustClose(t, r)
				f, err := cassette.Load(file)
				if err != nil || len(f.Interactions) != 2 || f.Interactions[slow-1].Response.End != interaction.EndCanceled || f.Interactions[0].Concurrent == nil || f.Interactions[1].Concurrent == nil {
					t.Fatalf("%v\n%s", err, read(t, file))
				}
				for range 3 {
					r = mustOpen(t, file, InMode(ModeNone))
					if got := hedge(r); got != `"answer"` {
						t.Error(got)
					}
					mustClose(t, r)
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
		hold := roundTripFunc(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		do := func(r *Recorder, ctx context.Context) error {
			req, _ := http.NewRequestWithContext(ctx, "POST", chatURL, strings.NewReader(chat("").body))
			_, err := r.Client().Do(req)
			return err
		}
		late := func(r *Recorder) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			err := do(r, ctx)
			if ctx.Err() == nil {
				t.Error("the request failed before its deadline")
			}
			return err
		}
		r := mustOpen(t, file, InMode(ModeAll), Upstream(hold), OnRecordError(Keep))
		if err := late(r); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		mustClose(t, r)
		start := time.Now()
		for _, pace := range []float64{0, 1} {
			r = mustOpen(t, file, InMode(ModeNone), Pace(pace))
			if err := late(r); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
				t.Errorf("pace %v: %v after %v", pace, err, time.Since(start))
			}
			start = time.Now()
			mustClose(t, r)
		}

		canceled := func(r *Recorder) error {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Minute, cancel)
			return do(r, ctx)
		}
		r = mustOpen(t, file, InMode(ModeAll), Upstream(hold))
		if err := canceled(r); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		mustClose(t, r)
		start = time.Now()
		r = mustOpen(t, file, InMode(ModeNone))
		if err := canceled(r); !errors.Is(err, context.Canceled) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		mustClose(t, r)

		// What nobody can cancel, and what nobody has canceled when the recorder is closed.
		r = mustOpen(t, file, InMode(ModeNone))
		if err := do(r, context.Background()); err == nil || !strings.Contains(err.Error(), "c.yaml:4: when this was recorded, its caller canceled it before there was an answer") {
			t.Error(err)
		}
		mustClose(t, r)
		r = mustOpen(t, file, InMode(ModeNone))
		closed := make(chan bool)
		time.AfterFunc(time.Second, func() { r.Close(); close(closed) })
		if err := do(r, t.Context()); err == nil || !strings.Contains(err.Error(), "after the recorder was closed") {
			t.Error(err)
		}
		<-closed

		// Whether it is sent depends on how long others take: it may stay unused.
		r = mustOpen(t, file, InMode(ModeNone))
		report := r.finish(report.Outcome{})
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
		r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return canned(`"answer"`).RoundTrip(req)
		})))
		var title sync.WaitGroup
		title.Go(func() { ask(t, r, "https://api.openai.com", "a title, please") })
		ask(t, r, "https://api.openai.com", "do the work")
		title.Wait()
		ask(t, r, "https://api.openai.com", "and more")
		mustClose(t, r)
	})
	if text := read(t, file); strings.Count(text, "concurrent: asked ") != 2 {
		t.Fatalf("two were made at the same time:\n%s", text)
	}
	tests := []struct {
		name  string
		opts  []Option
		asked []string
		want  string // in the error of Close
	}{
		{"all", nil, []string{"do the work", "a title, please", "and more"}, ""},
		{"no title", nil, []string{"do the work", "and more"}, "it was recorded while another request was in flight"},
		{"no title, and it may", []Option{AllowRaced()}, []string{"do the work", "and more"}, ""},
		{"only what was raced may", []Option{AllowRaced()}, []string{"do the work", "a title, please"}, "1 of 3 recordings not used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range full.Cases(3, 50) {
				r := mustOpen(t, file, append(tt.opts, InMode(ModeNone))...)
				var all sync.WaitGroup
				for _, text := range tt.asked {
					all.Go(func() { ask(t, r, "https://api.openai.com", text) })
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
	other := mustOpen(t, recorded(t, []string{`"one"`}, []asking{chat("")}), InMode(ModeNone), AllowUnused())
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) { return other.RoundTrip(req) })))
	if got := chat(`,"top_logprobs":1`).ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Error(got)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "it did not go to the network, but to another recorder, which has no recording of it (http.DefaultTransport, or the transport that Upstream sets, is that recorder): add promptecho.Upstream(new(http.Transport))") {
		t.Errorf("Close: %v", err)
	}
	if _, err := cassette.Load(file); err == nil {
		t.Errorf("recorded:\n%s", read(t, file))
	}
}

// A mask reaches the path of an endpoint that no family knows, too.
func TestMaskOfAPath(t *testing.T) {
	t.Parallel()
	run := func(n int) asking { return asking{url: fmt.Sprintf("https://x.example/runs/run-%d", n)} }
	file := recorded(t, []string{`"one"`}, []asking{run(1)})
	for _, tt := range []struct {
		opt  Option
		want string
	}{{Mask(`run-\d+`, "RUN"), `"one"`}, {Mask(`walk-\d+`, "WALK"), "status 418"}} {
		r := mustOpen(t, file, InMode(ModeNone), tt.opt)
		if got := run(2).ask(t, r); !strings.HasPrefix(got, tt.want) {
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
		option             Option
		text, again, other string
	}{
		{"times", MaskTimes(), "at Fri, 02 Jan 2026 03:04:05 GMT, Oslo", "at Sat, 21 Nov 2026 23:14:15 GMT, Oslo", "at Fri, 02 Jan 2026 03:04:05 GMT, Rome"},
		{"uuids", MaskUUIDs(), "run 0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a", "run 7C9E6679-7425-40DE-944B-E07FC1F90AE7", "run 7C9E6679"},
		{"temp dirs", MaskTempDirs(), "read /var/folders/zz/zy_0/T/TestX12345/001/a.txt", "read /tmp/TestX6789/001/a.txt", "read /tmp/TestX6789/001/b.txt"},
	} {
		ask := func(text string) asking {
			return asking{url: "https://x.example/ask", body: fmt.Sprintf(`{"q":%q}`, text)}
		}
		file := recorded(t, []string{`"one"`}, []asking{ask(tt.text)})
		for text, want := range map[string]string{tt.again: `"one"`, tt.other: "status 418"} {
			r := mustOpen(t, file, InMode(ModeNone), AllowUnused(), tt.option)
			if got := ask(text).ask(t, r); !strings.HasPrefix(got, want) {
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
	model := func(name string) asking {
		return asking{url: chatURL, body: strings.Replace(chat("").body, `"m"`, `"`+name+`"`, 1)}
	}
	deployment := func(name string) asking {
		return asking{url: fmt.Sprintf(azure, name), body: `{"messages":[{"role":"user","content":"hi"}]}`}
	}
	version := func(date string) asking {
		return rpc("https://mcp.example/", `"id":1,"method":"initialize","params":{"protocolVersion":"`+date+`"}`)
	}
	for _, tt := range []struct {
		name       string
		option     Option
		was, is    asking
		isAnswered bool
	}{
		{"model", MaskTimes(), model("gpt-4o-2024-08-06"), model("gpt-4o-2024-11-20"), false},
		{"deployment", MaskTimes(), deployment("gpt-4o-2024-08-06"), deployment("gpt-4o-2024-11-20"), false},
		{"deployment with a UUID", MaskUUIDs(), deployment("7d444840-9dc0-41d1-b245-5ffdce74fad2"), deployment("8e444840-9dc0-41d1-b245-5ffdce74fad2"), false},
		{"protocol", MaskTimes(), version("2025-06-18"), version("2025-11-25"), false},
		{"beta", MaskTimes(), asking{chatURL, chat("").body, []string{"Openai-Beta", "x=2025-06-18"}}, asking{chatURL, chat("").body, []string{"Openai-Beta", "x=2025-11-25"}}, false},
		{"data", MaskTimes(), asking{url: chatURL, body: strings.Replace(chat("").body, `"hi"`, `[{"type":"x","version":"2026-01-02"}]`, 1)},
			asking{url: chatURL, body: strings.Replace(chat("").body, `"hi"`, `[{"type":"x","version":"2026-01-03"}]`, 1)}, true},
		{"an agent of the user's own", MaskUUIDs(), asking{url: "https://own.example/run", body: `{"agent_id":"7d444840-9dc0-41d1-b245-5ffdce74fad2","version":"7d444840-9dc0-41d1-b245-5ffdce74fad2"}`},
			asking{url: "https://own.example/run", body: `{"agent_id":"8e444840-9dc0-41d1-b245-5ffdce74fad2","version":"8e444840-9dc0-41d1-b245-5ffdce74fad2"}`}, true},
		{"the user's", Mask(`-\d{4}-\d\d-\d\d`, ""), model("gpt-4o-2024-08-06"), model("gpt-4o-2024-11-20"), true},
	} {
		r := mustOpen(t, recorded(t, []string{`"one"`}, []asking{tt.was}, tt.option), InMode(ModeNone), AllowUnused(), tt.option)
		if got := tt.is.ask(t, r); strings.HasPrefix(got, `"one"`) != tt.isAnswered {
			t.Errorf("%s: answered with %s", tt.name, got)
		}
		if rep := r.finish(report.Outcome{}); strings.Contains(strings.Join(rep.Errors, ""), "add promptecho.Mask") {
			t.Errorf("%s: %s", tt.name, rep.Errors)
		}
	}
}
