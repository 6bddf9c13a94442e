package reports_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// stable makes a report independent of where the test ran.
func stable(s, file string) string {
	s = strings.ReplaceAll(s, file, "FILE")
	return regexp.MustCompile(`_test\.go:\d+`).ReplaceAllString(s, "_test.go:LINE")
}

// A replayed request whose sampling differs is noted once for each field.
func TestDriftIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	url := u.URL + "/v1/chat/completions"
	body := func(temperature string) string {
		return `{"model":"m","messages":[],"temperature":` + temperature + `}`
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, url, body("0.7"))
	must.Post(t, r, url, body("0.7"))
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for range 2 {
		if status, _ := must.Post(t, r, url, body("0.2")); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	rep := must.Finish(r, report.Outcome{})
	if len(rep.Errors) > 0 || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "temperature") ||
		!strings.Contains(rep.Notes[0], "0.7") || !strings.Contains(rep.Notes[0], "0.2") {
		t.Errorf("report %+v", rep)
	}

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.MatchSampling(), promptecho.AllowUnused())
	if status, _ := must.Post(t, r, url, body("0.2")); status != http.StatusTeapot {
		t.Errorf("Strict: status %d", status)
	}
}

func TestMatchingOptions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "on 2026-01-02")
	tests := []struct {
		name string
		opt  promptecho.Option
		text string
		want int
	}{
		{"none", promptecho.AllowUnused(), "on 2026-01-03", http.StatusTeapot},
		{"Mask", promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE"), "on 2026-01-03", 200},
		{"Mask, other text", promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE"), "off 2026-01-03", http.StatusTeapot},
		{"Ignore", promptecho.Ignore("messages/*/content"), "anything", 200},
		{"MatchOnly", promptecho.MatchOnly("*", "model"), "anything", 200},
		{"MatchOnly messages", promptecho.MatchOnly("*", "model", "messages"), "anything", http.StatusTeapot},
	}
	for _, tt := range tests {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), tt.opt)
		if status, body := must.Ask(t, r, base, tt.text); status != tt.want {
			t.Errorf("%s: status %d, want %d: %s", tt.name, status, tt.want, body)
		}
		r.Close()
	}
}

// TestKeepHeaders: what is kept by a name or a pattern is there in both runs, what is not in
// neither.
func TestKeepHeaders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	up := provider.Func(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"X-Cost": {"3"}}
		for _, name := range []string{"Openai-Version", "X-Ratelimit-Limit-Tokens", "X-Ratelimit-Reset-Tokens", "Cf-Ray"} {
			header.Set(name, "4")
		}
		return &http.Response{StatusCode: 200, Body: http.NoBody, Header: header}, nil
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.KeepHeaders("OpenAI-Version", "*limit-reset-*"), promptecho.Upstream(up))
		resp, err := r.Client().Get("http://h/")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(resp.Header)); !slices.Equal(got, []string{"Openai-Version", "X-Cost", "X-Ratelimit-Reset-Tokens"}) {
			t.Errorf("mode %s: %q", mode, got)
		}
		must.Close(t, r)
	}
}

// The go command caches no result that depends on a file younger than two
// seconds; a cassette stays that young until the process ends, also one that
// was written in a bubble, where the clock stands still in the year 2000.
func TestCassettesStayYoung(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, inBubble := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "d.yaml")
	before := time.Now()
	for range 3 { // rewritten with the same content
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"ok":true}`)))
		must.Ask(t, r, "http://h", "a")
		must.Close(t, r)
	}
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, inBubble, promptecho.Upstream(provider.Says(`{"ok":true}`)))
		must.Ask(t, r, "http://h", "a")
		must.Close(t, r)
	})
	for _, f := range []string{file, inBubble} {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if ahead := info.ModTime().Sub(before); ahead < 9*time.Minute || ahead > 20*time.Minute {
			t.Errorf("%s is %v ahead of its time", f, ahead)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", files, err)
	}
}

// The same prompt recorded for another provider never answers, and the miss
// says where it is, although another recording is of the right provider.
func TestMissNamesTheOtherProvider(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, u.URL+"/v1/messages", `{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"the cat sat"}]}`)
	must.Ask(t, r, u.URL, "something else")
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	status, body := must.Post(t, r, u.URL+"/v1/chat/completions", `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"the cat sat"}]}`)
	if status != http.StatusTeapot || !strings.Contains(body, "recorded for another endpoint, llm/anthropic.messages") {
		t.Errorf("%d %s", status, body)
	}
	if m := r.Misses()[0]; m.Line != 4 {
		t.Errorf("the miss is at line %d: %v", m.Line, m)
	}
	r.Close()
}

// A recording in another form of answer, or of another model, is named as that.
func TestMissNamesWhatIsRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	url := base + "/v1/chat/completions"
	tests := []struct{ body, want string }{
		{strings.Replace(must.ChatBody("a"), "{", `{"stream":true,`, 1), "recorded only as a plain answer"},
		{strings.Replace(must.ChatBody("a"), `"m"`, `"n"`, 1), "recorded for another model, m"},
		{strings.Replace(must.ChatBody("a"), `"m"`, `"n","stream":true`, 1), "the nearest recording differs in model, stream"},
	}
	for _, tt := range tests {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		if status, body := must.Post(t, r, url, tt.body); status != http.StatusTeapot || !strings.Contains(body, ": "+tt.want) {
			t.Errorf("%d %s, want %q", status, body, tt.want)
		}
		r.Close()
	}
}

// A file with a purpose that OpenAI does not have is no call of OpenAI's; what differs is its purpose.
func TestMissOfAnotherCallAtTheSameAddressNamesTheField(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, u.URL+"/v1/files", `{"purpose":"batch","file":"{}"}`)
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Post(t, r, u.URL+"/v1/files", `{"purpose":"pastime","file":"{}"}`)
	want := "the nearest recording differs in purpose\n  asked:  http/"
	if text := r.Misses()[0].Error(); !strings.Contains(text, want) || !strings.Contains(text, `incoming: "pastime"`) {
		t.Errorf("%s\nwant %s", text, want)
	}
	r.Close()
}

func TestOptInHeadersAndHost(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	url := u.URL + "/v1/messages"
	const body = `{"model":"m","messages":[]}`
	tests := []struct {
		name string
		opts []promptecho.Option
		url  string
		want int
	}{
		{"header", []promptecho.Option{promptecho.Match("header/X-Tenant")}, url, http.StatusTeapot},
		{"no option", []promptecho.Option{promptecho.KeepHeaders("X-Tenant")}, url, 200},
		{"host", []promptecho.Option{promptecho.Match("host")}, "https://api.anthropic.com/v1/messages", http.StatusTeapot},
		{"no host", nil, "https://api.anthropic.com/v1/messages", 200},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeAll))...)
		must.Post(t, r, url, body, "X-Tenant", "blue")
		must.Close(t, r)
		r = must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeNone))...)
		if status, answer := must.Post(t, r, tt.url, body, "X-Tenant", "red"); status != tt.want {
			t.Errorf("%s: %d %s", tt.name, status, answer)
		}
		r.Close()
	}
}

// A JSON-RPC client counts its requests; the answer it gets has its own number.
func TestJSONRPCAnswersHaveTheirRequestsID(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	up := provider.Func(func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		answer := `{"jsonrpc":"2.0","id":` + regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(string(body))[1] + `,"result":{}}`
		header := http.Header{"Content-Type": {"application/json"}}
		if strings.Contains(string(body), "stream") {
			header.Set("Content-Type", "text/event-stream")
			answer = "event: message\ndata: " + answer + "\n\n"
		}
		return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(answer)), ContentLength: -1}, nil
	})
	call := func(id, method string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}` }
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(up))
	for i, method := range []string{"tools/list", "stream"} {
		must.Post(t, r, "http://h/mcp", call(strconv.Itoa(i+1), method))
	}
	must.Close(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, method := range []string{"stream", "tools/list"} { // in another order than recorded
		if _, body := must.Post(t, r, "http://h/mcp", call("77", method)); !strings.Contains(body, `"id":77,`) {
			t.Errorf("%s: %s", method, body)
		}
	}
	must.Close(t, r)
}

// A compressed request is stored, cleaned and matched by what it says.
func TestCompressedRequest(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	zipped := func(text string, level int) string {
		var b strings.Builder
		z, err := gzip.NewWriterLevel(&b, level)
		if err != nil {
			t.Fatal(err)
		}
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	url := u.URL + "/v1/chat/completions"
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, url, zipped(must.ChatBody("hello"), gzip.BestSpeed), "Content-Encoding", "gzip")
	must.Close(t, r)
	if got := must.Prompts(t, file); got != "hello" {
		t.Errorf("stored %q", got)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if status, body := must.Post(t, r, url, zipped(must.ChatBody("hello"), gzip.BestCompression), "Content-Encoding", "gzip"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	for _, broken := range []string{"not gzip", zipped(must.ChatBody("x"), 1)[:20]} {
		if status, _ := must.Post(t, r, url, broken, "Content-Encoding", "gzip"); status != http.StatusTeapot {
			t.Errorf("a broken body got status %d", status)
		}
	}
	r.Close()
}

// TestParallelMissesAreOne: the same request from many goroutines is one finding.
func TestParallelMissesAreOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a", "b", "c")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if status, _ := must.Ask(t, r, base, "never asked before"); status != http.StatusTeapot {
				t.Errorf("status %d", status)
			}
		})
	}
	wg.Wait()
	misses := r.Misses()
	if len(misses) != 1 || misses[0].Count != 32 || misses[0].Diff == "" {
		t.Errorf("%d misses: %+v", len(misses), misses)
	}
	if err := r.Close(); err == nil || strings.Count(err.Error(), "caller:") != 1 {
		t.Errorf("%v", err)
	}
}

// TestManyMisses: after hundreds of misses of one edit each is still compared with its own
// recording.
func TestManyMisses(t *testing.T) {
	t.Parallel()
	most := full.Cases(120, 600)
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(r *promptecho.Recorder, word string) {
		for i := range most {
			must.Post(t, r, must.ChatURL, must.ChatBody(fmt.Sprintf("%s the question %d, please, in one sentence", word, i)))
		}
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("{}")))
	ask(r, "Answer")
	must.Close(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	ask(r, "Answered")
	r.Close()
	lines := map[int]bool{}
	for i, m := range r.Misses() {
		if want := fmt.Sprintf("question %d,", i); !strings.Contains(m.Change, want) || strings.Contains(m.Change, "[-"+fmt.Sprint(i)) || lines[m.Line] {
			t.Fatalf("miss %d, line %d: %s", i, m.Line, m.Change)
		}
		lines[m.Line] = true
	}
	if len(lines) != most {
		t.Errorf("%d misses", len(lines))
	}
}
