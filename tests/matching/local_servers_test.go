package matching_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A recording of a local server is found when the server has another port or name.
func TestRecordingIsFoundOnAnotherLocalPort(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := recordAll(t, file)
	listTools(startMCP(t, "same")).Ask(t, r)
	listTools(startMCP(t, "same")).Ask(t, r)
	must.Close(t, r)
	r = replay(t, file)
	for range 2 {
		if got := listTools("http://qdrant:6333").Ask(t, r); !strings.Contains(got, "same") {
			t.Errorf("another local name: %s", got)
		}
	}
	must.Close(t, r)
}

// Recording two local servers that answer the same request differently fails, and proposes options that help.
func TestLocalServersThatDifferFailTheRecording(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	jira, github := startMCP(t, "jira"), startMCP(t, "github")
	r := recordAll(t, file)
	listTools(jira).Ask(t, r)
	listTools(github).Ask(t, r)
	err := r.Close()
	if err == nil || !strings.Contains(err.Error(), "answered the same request (jsonrpc.tools/list) differently") {
		t.Fatalf("Close: %v", err)
	}
	if !must.Load(t, file).Partial {
		t.Errorf("the cassette is not partial:\n%s", must.Read(t, file))
	}

	alias := regexp.MustCompile(`promptecho\.Alias\(server\.URL, "(.*?)"\), // server: the \*httptest\.Server at (.*)`)
	proposed := alias.FindAllStringSubmatch(err.Error(), -1)
	if len(proposed) != 2 || proposed[0][2] != jira || proposed[1][2] != github {
		t.Fatalf("Close: %v", err)
	}
	r = recordAll(t, file, promptecho.Alias(jira, proposed[0][1]), promptecho.Alias(github, proposed[1][1]))
	listTools(jira).Ask(t, r)
	listTools(github).Ask(t, r)
	must.Pass(t, r)
}

// startMCP starts an MCP server on a local port that is free. The list of its tools is its name.
func startMCP(t *testing.T, name string) (url string) {
	t.Helper()
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

// listTools returns a request for the list of an MCP server's tools.
func listTools(base string) must.Request {
	return must.RPC(base+"/mcp", `"id":1,"method":"tools/list"`)
}

// The error about local servers that differ has an Alias option for each, which can be pasted.
func TestLocalServersErrorCanBePasted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := recordAll(t, file, promptecho.Upstream(provider.Func(saysItsPort)))
	for _, host := range []string{"qdrant:6333", "127.0.0.1:41235", "[::1]:50001", "qdrant:6333"} {
		request("http://"+host+"/x").Ask(t, r)
	}
	// A fixed port is printed as it is. A port that is new in each run is the URL of the server.
	want := "promptecho: FILE: qdrant:6333, 127.0.0.1:41235 and [::1]:50001 " +
		"answered the same request (POST /x) differently. " +
		"Local hosts count as one origin, because their ports change from run to run: name those that differ, " +
		"and give nodes of one service the same name:\n" +
		`  promptecho.Alias("http://qdrant:6333", "server1"),
  promptecho.Alias(server.URL, "server2"), // server: the *httptest.Server at http://127.0.0.1:41235
  promptecho.Alias(server.URL, "server3"), // server: the *httptest.Server at http://[::1]:50001
and record again:
  set PROMPTECHO_MODE=all, and run the program that uses FILE`
	if err := r.Close(); err == nil || strings.ReplaceAll(err.Error(), file, "FILE") != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// saysItsPort is an upstream that answers with the port of the server that is asked.
func saysItsPort(req *http.Request) (*http.Response, error) {
	return provider.Says(fmt.Sprintf("%q", req.URL.Port())).RoundTrip(req)
}

// onPort returns a request to a local server with this port.
func onPort(port string) must.Request { return request("http://127.0.0.1:" + port + "/x") }

// A cassette stays partial until the local servers that differ are told apart, whatever runs come.
func TestLocalServersThatDifferKeepTheCassettePartial(t *testing.T) {
	t.Parallel()
	wantPartial := func(t *testing.T, file string, ports []string, opts ...promptecho.Option) {
		t.Helper()
		opts = append(opts, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Func(saysItsPort)))
		r := must.Open(t, file, opts...)
		for _, port := range ports {
			onPort(port).Ask(t, r)
		}
		errs := must.Finish(r, report.Outcome{}).Errors
		if len(errs) != 1 || !strings.Contains(errs[0], "answered the same request (POST /x) differently") {
			t.Errorf("asked %s: errors %q", ports, errs)
		}
		if !must.Load(t, file).Partial {
			t.Errorf("asked %s: the cassette is complete", ports)
		}
	}
	tests := []struct {
		name  string
		ports []string // of the second and the third run
		opts  []promptecho.Option
	}{
		{name: "the same ports", ports: []string{"1001", "1002"}},
		{name: "the same ports in another order", ports: []string{"1002", "1001"}},
		{name: "other ports", ports: []string{"2001", "2002"}},
		{name: "one of the servers", ports: []string{"1001"}, opts: []promptecho.Option{promptecho.AllowUnused()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			wantPartial(t, file, []string{"1001", "1002"})
			wantPartial(t, file, tt.ports, tt.opts...)
			wantPartial(t, file, tt.ports, tt.opts...)
		})
	}
	t.Run("the second server is recorded by a later run", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Func(saysItsPort)))
		onPort("1001").Ask(t, r)
		if errs := must.Finish(r, report.Outcome{Failed: true}).Errors; len(errs) != 0 {
			t.Error(errs)
		}
		wantPartial(t, file, []string{"2001", "2002"})
	})
}

// A complete cassette stays unchanged if a run adds a local server that answers differently.
func TestLocalServersThatDifferLeaveACompleteCassette(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := promptecho.Upstream(provider.Func(saysItsPort))
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), upstream)
	onPort("1001").Ask(t, r)
	must.Pass(t, r)
	before := must.Read(t, file)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), upstream)
	onPort("1001").Ask(t, r)
	onPort("1002").Ask(t, r)
	errs := strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
	notWritten := "not written: it would hold recordings that replay cannot tell apart. " +
		"What this run recorded is in " + file + ".failed"
	if !strings.Contains(errs, "differently") || !strings.Contains(errs, notWritten) {
		t.Error(errs)
	}
	if after := must.Read(t, file); after != before {
		t.Errorf("the cassette has changed:\n%s", after)
	}
	if _, err := os.Stat(file + must.FailedSuffix); err != nil {
		t.Error(err)
	}
}

// A local server that is polled on another port in each run counts as one server.
func TestPolledLocalServerMayChangeItsPort(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for run, ports := range [][]string{{"1001"}, {"2002", "2002"}, {"3003", "3003", "3003"}} {
		upstream := promptecho.Upstream(provider.Says(fmt.Sprint(run)))
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), upstream)
		for _, port := range ports {
			onPort(port).Ask(t, r)
		}
		must.Pass(t, r)
	}
}

// Two local servers differ if their first, second or a further answer does, except for retried failures.
func TestWhichLocalServersDiffer(t *testing.T) {
	t.Parallel()
	ask := func(hosts ...string) (requests []must.Request) {
		for _, host := range hosts {
			requests = append(requests, request("http://"+host+"/.well-known/x"))
		}
		return requests
	}
	twoPorts := ask("127.0.0.1:1001", "127.0.0.1:1002")
	twoModels := []must.Request{
		chatAt("http://127.0.0.1:1001/v1/chat/completions"),
		chatAt("http://127.0.0.1:1002/v1/chat/completions"),
	}
	type test struct {
		name     string
		asked    []must.Request
		upstream http.RoundTripper
		opts     []promptecho.Option
		differ   bool
	}
	tests := []test{{
		name:     "two ports, two answers",
		asked:    twoPorts,
		upstream: provider.Func(saysItsPort),
		differ:   true,
	}, {
		name:     "two ports, one answer",
		asked:    twoPorts,
		upstream: provider.Says(`"same"`),
	}, {
		name:     "two ports with Ignore(host)",
		asked:    twoPorts,
		upstream: provider.Func(saysItsPort),
		opts:     []promptecho.Option{promptecho.Ignore("host")},
	}, {
		name:     "each redirects to a path of its own",
		asked:    twoPorts,
		upstream: redirects("/of/PORT"),
		differ:   true,
	}, {
		name:     "each redirects to itself",
		asked:    twoPorts,
		upstream: redirects("http://HOST/there"),
	}, {
		name:     "localhost and 127.0.0.1 with one port",
		asked:    ask("localhost:1001", "127.0.0.1:1001"),
		upstream: provider.InTurn(`"pending"`, `"done"`),
	}, {
		name:     "[::1] and 0.0.0.0 with one port",
		asked:    ask("[::1]:1001", "0.0.0.0:1001"),
		upstream: provider.InTurn(`"pending"`, `"done"`),
	}, {
		name:     "two names behind one proxy",
		asked:    ask("jira.localhost:1001", "github.localhost:1001"),
		upstream: provider.InTurn(`"jira"`, `"github"`),
		differ:   true,
	}, {
		name:     "one says twice what the other says once",
		asked:    ask("a:1", "a:1", "a:1", "b:1", "b:1"),
		upstream: provider.InTurn(`1`, `1`, `2`, `1`, `2`),
	}, {
		name:     "polled in turn, equally",
		asked:    ask("a:1", "b:1", "a:1", "b:1"),
		upstream: provider.InTurn(`1`, `1`, `2`, `2`),
	}, {
		name:     "polled in turn, and the second answers differ",
		asked:    ask("a:1", "b:1", "a:1", "b:1"),
		upstream: provider.InTurn(`1`, `1`, `2`, `3`),
		differ:   true,
	}, {
		name:     "two model servers, whose answers differ by chance",
		asked:    twoModels,
		upstream: provider.Func(saysItsPort),
	}, {
		name:     "two model servers with Match(host)",
		asked:    twoModels,
		upstream: provider.Func(saysItsPort),
		opts:     []promptecho.Option{promptecho.Match("host")},
		differ:   true,
	}}
	for status, differ := range map[int]bool{
		401: true,
		404: true, // as when only one server has MCP authorization
		408: false,
		409: false,
		425: false,
		429: false,
		500: false,
		503: false,
	} {
		tests = append(tests, test{
			name:     fmt.Sprint("one answers with status ", status),
			asked:    twoPorts,
			upstream: firstHasStatus(status),
			differ:   differ,
		})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := append(tt.opts, promptecho.Upstream(tt.upstream), promptecho.OnRecordError(promptecho.Keep))
			r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"), opts...)
			for _, asked := range tt.asked {
				req := must.NewRequest(t, t.Context(), "POST", asked.URL, asked.Body)
				roundTrip(t, r, req) // a redirect is not followed
			}
			err := r.Close()
			if (err != nil) != tt.differ {
				t.Errorf("Close: %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "differently. Local hosts count as one origin") {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// firstHasStatus is an upstream that answers with a status at port 1001, and with 200 at others.
func firstHasStatus(status int) http.RoundTripper {
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		if req.URL.Port() == "1001" {
			return provider.Statuses(`"none"`, status).RoundTrip(req)
		}
		return provider.Says(`"oauth"`).RoundTrip(req)
	})
}

// redirects is an upstream that leads to a location, in which HOST and PORT stand for those of
// the server that is asked.
func redirects(location string) http.RoundTripper {
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		to := strings.NewReplacer("HOST", req.URL.Host, "PORT", req.URL.Port()).Replace(location)
		return &http.Response{
			StatusCode: http.StatusSeeOther,
			Header:     http.Header{"Location": {to}},
			Body:       http.NoBody,
			Request:    req,
		}, nil
	})
}

// A client that goes on at an address from an answer finds the recordings of that address.
//
// Its own server has another port in replay. The address from the answer has the recorded port.
func TestAddressFromAnAnswerIsFound(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := promptecho.Upstream(provider.InTurn("1", "2", "3"))
	count := func(port string) must.Request {
		return must.Request{URL: "http://127.0.0.1:" + port + "/docs/_count", Body: "{}"}
	}
	for _, run := range []struct {
		mode    promptecho.Mode
		ownPort string
	}{
		{promptecho.ModeAll, "40001"},
		{promptecho.ModeNone, "50001"},
	} {
		r := must.Open(t, file, promptecho.InMode(run.mode), upstream)
		for n, port := range []string{run.ownPort, "40001", "40001"} {
			if got, want := count(port).Ask(t, r), fmt.Sprint(n+1); got != want {
				t.Errorf("%s: %s, want %s", run.mode, got, want)
			}
		}
		must.Pass(t, r)
	}
}

// With Ignore("host") the answers come in recorded order, whichever host is asked first.
func TestIgnoredHostDoesNotChoose(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upstream := promptecho.Upstream(provider.InTurn("1", "2", "3", "4"))
	for firstHost, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), upstream, promptecho.Ignore("host"))
		for n := range 4 {
			host := fmt.Sprintf("https://es%d.example", (firstHost+n)%2)
			search := must.Request{URL: host + "/_search", Body: `{"q":"a"}`}
			if got, want := search.Ask(t, r), fmt.Sprint(n+1); got != want {
				t.Errorf("%s: %s, want %s", mode, got, want)
			}
		}
		must.Close(t, r)
	}
}
