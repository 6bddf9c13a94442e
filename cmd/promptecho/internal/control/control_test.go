package control

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/schema"
)

// TestMain: these tests record, in CI, too.
func TestMain(m *testing.M) {
	environ.Clear()
	provider := fakeprovider.New()
	os.Setenv("OPENAI_BASE_URL", provider.URL+"/v1")
	os.Setenv("OPENAI_API_KEY", "echo-secret-of-tests")
	os.Exit(m.Run())
}

// started opens a control with cassettes of tests in a folder.
func started(t *testing.T, config Config) *Control {
	t.Helper()
	if config.Cassette = filepath.Join(config.Dir, "suite.yaml"); config.Dir == "" {
		config.Cassette = filepath.Join(t.TempDir(), "serve.yaml")
	}
	config.Command = func(mode string, test []string) string { return fmt.Sprint("serve ", mode, " ", test) }
	c, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(Ending{Failed: true}) })
	return c
}

// call asks a control, or an upstream below a base URL, and returns the status and the text.
func call(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer echo-secret-of-tests")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(text)
}

// begin opens the cassette of a test, and returns the base URL of OpenAI.
func begin(t *testing.T, c *Control, name, body string) string {
	t.Helper()
	status, text := call(t, "POST", c.URL+"/cassettes/"+name, body)
	var o openResponse
	if err := json.Unmarshal([]byte(text), &o); err != nil || status != 200 {
		t.Fatalf("%s: %d %s", name, status, text)
	}
	return o.Env["OPENAI_BASE_URL"]
}

// end closes it.
func end(t *testing.T, c *Control, name, query string) (rep Report) {
	t.Helper()
	status, text := call(t, "DELETE", c.URL+"/cassettes/"+name+query, "")
	if err := json.Unmarshal([]byte(text), &rep); err != nil || status != 200 {
		t.Fatalf("%s: %d %s", name, status, text)
	}
	conforms(t, "serve", text)
	if len(rep.Findings) != len(rep.Errors)+len(rep.Notes) {
		t.Errorf("%s: %d findings for %q and %q", name, len(rep.Findings), rep.Errors, rep.Notes)
	}
	for _, f := range rep.Findings {
		if f.Code == "" || f.Code == finding.RunFailed {
			t.Errorf("%s: no code for %q", name, f.Text)
		}
	}
	return rep
}

// conforms compares what a control says with a definition of docs/schema.json.
func conforms(t *testing.T, def, text string) {
	t.Helper()
	file, err := schema.Load(filepath.FromSlash("../../../../docs/schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Check(def, []byte(text)); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
}

func ask(t *testing.T, base, prompt string) (int, string) {
	t.Helper()
	return call(t, "POST", base+"/chat/completions", fmt.Sprintf(`{"model": "m", "messages": [{"role": "user", "content": %q}]}`, prompt))
}

// Under promptecho serve, tests that run at the same time have a cassette and base URLs each.
func TestConcurrentTestsHaveTheirOwnCassettes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(mode string) Report {
		c := started(t, Config{Dir: dir, Mode: mode, RequireAll: true})
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				name := fmt.Sprintf("test_trip.py/test_one[%d]", i)
				base := begin(t, c, url.PathEscape(name), "")
				if !strings.Contains(base, fmt.Sprintf("/in/test_trip-py-test_one-%d-", i)) {
					t.Errorf("%s: %s", name, base)
				}
				for range 3 {
					if status, text := ask(t, base, fmt.Sprint("hello ", i%2)); status != 200 {
						t.Error(status, text)
					}
				}
				if rep := end(t, c, url.PathEscape(name), "?passed=true"); !rep.OK || rep.Recorded+rep.Replayed != 3 || rep.Cassette != filepath.Join(dir, name+".yaml") {
					t.Errorf("%+v", rep)
				}
			})
		}
		all.Wait()
		return c.Close(Ending{})
	}
	if rep := run(""); len(rep.Errors) > 0 || !slices.Contains(rep.Notes, "8 tests: 0 requests replayed, 24 recorded") {
		t.Errorf("%+v", rep)
	}
	if rep := run("none"); len(rep.Errors)+len(rep.Notes) > 0 {
		t.Errorf("%+v", rep)
	}
}

// A worker that runs tests one after the other keeps its base URLs.
func TestBaseURLOfWorkerStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := started(t, Config{Dir: dir})
	base := c.URL + "/in/worker-1" + c.paths["OPENAI_BASE_URL"]
	for _, name := range []string{"one", "two"} {
		if got := begin(t, c, name, `{"by": "worker-1"}`); got != base {
			t.Errorf("%s, want %s", got, base)
		}
		if status, text := call(t, "POST", c.URL+"/cassettes/three", `{"by": "worker-1"}`); status != 409 || !strings.Contains(text, name+` is still open at the same address`) {
			t.Error(status, text)
		}
		if status, _ := ask(t, base, "hello "+name); status != 200 {
			t.Error(status)
		}
		end(t, c, name, "?passed=true")
	}
	if status, _ := ask(t, base, "between"); status != 200 {
		t.Error(status)
	}
	if rep := c.Close(Ending{}); len(rep.Errors) > 0 {
		t.Errorf("%+v", rep)
	}
	for file, want := range map[string]string{"one.yaml": "hello one", "two.yaml": "hello two", "suite.yaml": "between"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), "content: "+want) || strings.Count(string(text), "kind: llm") != 1 {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
}

// The report at the end of a test, as JSON and text, has the command that runs only this test. The
// suite fails, too.
func TestReportOfTest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := started(t, Config{Dir: dir})
	for _, name := range []string{"asks", "asks_less", "asks_nothing", "stays"} {
		base := begin(t, c, name, "")
		ask(t, base, "hello")
		ask(t, base, "and good-bye")
		end(t, c, name, "?passed=true")
	}
	c.Close(Ending{})

	c = started(t, Config{Dir: dir, Mode: "none"})
	ask(t, begin(t, c, "asks", `{"command": ["pytest", "test_asks"]}`), "hello, you")
	status, text := call(t, "DELETE", c.URL+"/cassettes/asks?passed=true", "")
	var rep Report
	if err := json.Unmarshal([]byte(text), &rep); err != nil || status != 200 || rep.OK || rep.Missed != 1 || len(rep.Errors) != 1 ||
		!strings.Contains(rep.Text, "the nearest recording differs in messages/0/content") || !strings.Contains(rep.Text, "To record it again:\n  serve update [pytest test_asks]\n\nMore about request-changed: https://") {
		t.Error(status, text)
	}
	ask(t, begin(t, c, "asks_less", ""), "hello")
	if rep := end(t, c, "asks_less", "?passed=true"); rep.OK || !strings.Contains(rep.Text, "1 of 2 recordings not used") {
		t.Errorf("%+v", rep)
	}
	begin(t, c, "asks_nothing", "")
	if rep := end(t, c, "asks_nothing", "?passed=true"); rep.OK || !strings.Contains(rep.Text, "no request of the test arrived, and the cassette has 2 recordings") {
		t.Errorf("%+v", rep)
	}
	begin(t, c, "asks_nothing", "")
	if rep := end(t, c, "asks_nothing", "?passed=false"); !rep.OK {
		t.Errorf("a test that failed before it asked: %+v", rep)
	}
	begin(t, c, "is_new", "")
	if rep := end(t, c, "is_new", "?passed=true"); !rep.OK {
		t.Errorf("a test that asks nothing needs no cassette: %+v", rep)
	}
	if status, text := call(t, "DELETE", c.URL+"/cassettes/asks", ""); status != 404 || !strings.Contains(text, "asks is not open") {
		t.Error(status, text)
	}
	whole := c.Close(Ending{})
	if len(whole.Errors) != 1 || whole.Errors[0] != "3 tests failed because of a cassette; each failure says why: asks, asks_less, asks_nothing" ||
		!slices.ContainsFunc(whole.Notes, func(s string) bool { return strings.HasPrefix(s, "the tests of 1 cassette in "+dir+" did not run") }) {
		t.Errorf("%+v", whole)
	}
	c = started(t, Config{Dir: dir, Mode: "none", RequireAll: true})
	if whole := c.Close(Ending{}); len(whole.Errors) != 1 || !strings.Contains(whole.Errors[0], "asks.yaml, ") || !strings.Contains(whole.Errors[0], "Delete the cassettes of deleted tests") {
		t.Errorf("%+v", whole)
	}
}

// A request that the control cannot serve is refused with a sentence. A web page is
// refused whatever it requests.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Dir: t.TempDir()})
	begin(t, c, "a b", "")
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/cassettes/a%20b", "", 409, "a b is already open"},
		{"POST", "/cassettes/a_b", "", 409, "is the cassette of a b, too"},
		{"POST", "/cassettes/x", "mode=all", 400, `not JSON such as {\"by\":`},
		{"POST", "/cassettes/x", `{"mode": "recrod"}`, 409, `unknown record mode \"recrod\"`},
		{"POST", "/cassettes/", "", 404, "POST /cassettes/NAME opens a cassette"},
		{"GET", "/cassettes/x", "", 405, "POST opens a cassette, DELETE closes it"},
		{"GET", "/in/x", "", 404, "POST /cassettes/NAME"},
		{"GET", "/in/x/ftp/example.com", "", 404, "POST /cassettes/NAME"},
		{"GET", "/", "", 404, "docs/PROCESSES.md says more"},
	} {
		status, text := call(t, tt.method, c.URL+tt.path, tt.body)
		if status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, status, text)
		}
		conforms(t, "refusal", text)
	}
	for name, value := range map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", "Host": "evil.example"} {
		for _, path := range []string{"/cassettes/x", "/in/x/https/api.openai.com/v1/models"} {
			req := httptest.NewRequest("POST", path, nil)
			req.Host = "127.0.0.1:1"
			if req.Header.Set(name, value); name == "Host" {
				req.Host = value
			}
			w := httptest.NewRecorder()
			if c.ServeHTTP(w, req); w.Code != 403 {
				t.Errorf("%s %s: %d", path, name, w.Code)
			}
		}
	}
	one := started(t, Config{})
	if status, text := call(t, "POST", one.URL+"/cassettes/x", ""); status != 409 || !strings.Contains(text, "promptecho serve -cassettes DIR") {
		t.Error(status, text)
	}
	for address, want := range map[string]string{
		"0.0.0.0:0":    "give the host by which programs reach this machine",
		":0":           "give the host by which programs reach this machine",
		"127.0.0.1":    "give an address with a port",
		"192.0.2.1:80": "192.0.2.1", // not an address of this machine
	} {
		if c, err := Open(Config{Listen: address}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", address, c, err)
		}
	}
}

// One address serves everything, over IPv6, too.
func TestListen(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "[::1]:0"} {
		c := started(t, Config{Dir: t.TempDir(), Listen: address})
		i := slices.IndexFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "OPENAI_BASE_URL="+c.URL+"/in/suite/http/") })
		if i < 0 {
			t.Fatal(c.Env)
		}
		_, base, _ := strings.Cut(c.Env[i], "=")
		if status, text := ask(t, base, "hello"); status != 200 {
			t.Error(address, status, text)
		}
	}
}

// When the suite is interrupted, requests that were answered are recorded, and the cassette
// of a running test is partial.
func TestInterruptedSuite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := started(t, Config{Dir: dir})
	base := begin(t, c, "one", "")
	ask(t, base, "hello")
	if status, _ := ask(t, c.URL+"/in/suite"+c.paths["OPENAI_BASE_URL"], ""); status != 200 {
		t.Errorf("below a base URL that no test has: %d", status)
	}
	c.Stop()
	if status, text := call(t, "POST", c.URL+"/cassettes/two", ""); status != 409 || !strings.Contains(text, "promptecho serve was stopped") {
		t.Error(status, text)
	}
	rep := c.Close(Ending{Interrupted: true})
	if !slices.Contains(rep.Notes, filepath.Join(dir, "one.yaml")+": one was still running") {
		t.Errorf("%+v", rep)
	}
	text, err := os.ReadFile(filepath.Join(dir, "one.yaml"))
	if err != nil || !strings.Contains(string(text), "\npartial: true\n") || !strings.Contains(string(text), "content: hello") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A request that bypasses promptecho serve by a proxy is stopped, and its host is reported once.
// The reason phrase explains it, since clients print only that of an answer to CONNECT.
func TestBypassIsStopped(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Dir: t.TempDir(), Mode: "none"})
	for _, name := range proxy.Variables {
		if !slices.Contains(c.Env, name+"="+c.URL) {
			t.Errorf("%s is not there: %v", name, c.Env)
		}
	}
	at, _ := url.Parse(c.URL)
	transport := &http.Transport{Proxy: http.ProxyURL(at)}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for range 2 {
		_, err := client.Get("https://api.mistral.ai/v1/models")
		if err == nil || !strings.Contains(err.Error(), "promptecho serve stopped a request to api.mistral.ai, which would have bypassed the cassette") {
			t.Error(err)
		}
	}
	resp, err := client.Get("http://example.com:8080/x")
	if err != nil || resp.StatusCode != 403 {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	rep := c.Close(Ending{})
	if len(rep.Errors) != 2 || !strings.HasPrefix(rep.Errors[0], "a request to api.mistral.ai was stopped") || !strings.HasPrefix(rep.Errors[1], "a request to example.com:8080 was stopped") {
		t.Errorf("%q", rep.Errors)
	}
	for _, v := range started(t, Config{Dir: t.TempDir()}).Env {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(proxy.Variables, name) {
			t.Errorf("%s in a run that may go upstream", v)
		}
	}
}

// The header X-Promptecho-Name chooses the recording, as WithName does in Go, and is not sent
// upstream.
func TestName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, mode := range []string{"", "none"} {
		c := started(t, Config{Dir: dir, Mode: mode})
		base := begin(t, c, "one", "")
		names := []string{"editor", "critic"}
		if mode == "none" {
			slices.Reverse(names)
		}
		for _, name := range names {
			req, _ := http.NewRequestWithContext(t.Context(), "POST", base+"/chat/completions", strings.NewReader(`{"model": "m", "messages": [{"role": "user", "content": "hello"}]}`))
			req.Header = http.Header{"X-Promptecho-Name": {name}, "Authorization": {"Bearer echo-secret-of-tests"}, "Content-Type": {"application/json"}}
			resp, err := http.DefaultClient.Do(req)
			if err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
			resp.Body.Close()
		}
		if rep := end(t, c, "one", "?passed=true"); !rep.OK {
			t.Error(rep.Text)
		}
		c.Close(Ending{})
		text, err := os.ReadFile(filepath.Join(dir, "one.yaml"))
		if err != nil || !strings.Contains(string(text), "name: editor") || !strings.Contains(string(text), "name: critic") || strings.Contains(strings.ToLower(string(text)), "x-promptecho-name") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// The variables of promptecho serve have no real API key, and a program without one gets a
// placeholder.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode, dir string
		want      []string
	}{
		{"none", "", []string{"OPENAI_API_KEY=promptecho-replay-OPENAI_API_KEY", "MISTRAL_API_KEY=promptecho-replay-MISTRAL_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY=promptecho-replay-GOOGLE_GENERATIVE_AI_API_KEY"}},
		{"once", t.TempDir(), []string{"CO_API_KEY=promptecho-replay-CO_API_KEY"}},
		{"once", "", nil},
	} {
		c := started(t, Config{Mode: tt.mode, Dir: tt.dir})
		for _, v := range c.Env {
			if strings.Contains(v, "echo-secret") {
				t.Errorf("%+v: %s", tt, v)
			}
		}
		for _, want := range tt.want {
			if !slices.Contains(c.Env, want) {
				t.Errorf("%+v: %s is not in %q", tt, want, c.Env)
			}
		}
		if tt.mode == "once" && slices.ContainsFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "OPENAI_API_KEY=") }) {
			t.Errorf("%+v: the command has a real key, and gets another: %q", tt, c.Env)
		}
	}
}

// The answer to a test whose cassette is partial has the command that completes
// the cassette, and the name of the package is not in front of the reason.
func TestPartialCassetteNamesTheCommand(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "one.yaml")
	if err := os.WriteFile(file, []byte("version: 1\npartial: true\ninteractions: []\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := started(t, Config{Dir: dir})
	status, text := call(t, "POST", c.URL+"/cassettes/one", `{"mode": "none", "command": ["pytest", "x.py"]}`)
	hasReason := strings.Contains(text, "one.yaml is partial") && !strings.Contains(text, "promptecho: ")
	if status != 409 || !hasReason || !strings.Contains(text, "serve new_episodes [pytest x.py]") {
		t.Errorf("status %d: %s", status, text)
	}
}
