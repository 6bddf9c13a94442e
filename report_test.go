package promptecho

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

	"github.com/promptecho/promptecho/internal/report"

	"github.com/promptecho/promptecho/internal/testing/full"
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
	u := newUpstream(t)
	url := u.URL + "/v1/chat/completions"
	body := func(temperature string) string {
		return `{"model":"m","messages":[],"temperature":` + temperature + `}`
	}
	r := mustOpen(t, file, InMode(ModeAll))
	post(t, r, url, body("0.7"))
	post(t, r, url, body("0.7"))
	mustClose(t, r)

	r = mustOpen(t, file, InMode(ModeNone))
	for range 2 {
		if status, _ := post(t, r, url, body("0.2")); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	rep := r.finish(report.Outcome{})
	if len(rep.Errors) > 0 || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "temperature") ||
		!strings.Contains(rep.Notes[0], "0.7") || !strings.Contains(rep.Notes[0], "0.2") {
		t.Errorf("report %+v", rep)
	}

	r = mustOpen(t, file, InMode(ModeNone), MatchSampling(), AllowUnused())
	if status, _ := post(t, r, url, body("0.2")); status != http.StatusTeapot {
		t.Errorf("Strict: status %d", status)
	}
}

func TestMatchingOptions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "on 2026-01-02")
	tests := []struct {
		name string
		opt  Option
		text string
		want int
	}{
		{"none", AllowUnused(), "on 2026-01-03", http.StatusTeapot},
		{"Mask", Mask(`\d{4}-\d\d-\d\d`, "DATE"), "on 2026-01-03", 200},
		{"Mask, other text", Mask(`\d{4}-\d\d-\d\d`, "DATE"), "off 2026-01-03", http.StatusTeapot},
		{"Ignore", Ignore("messages/*/content"), "anything", 200},
		{"MatchOnly", MatchOnly("*", "model"), "anything", 200},
		{"MatchOnly messages", MatchOnly("*", "model", "messages"), "anything", http.StatusTeapot},
	}
	for _, tt := range tests {
		r := mustOpen(t, file, InMode(ModeNone), tt.opt)
		if status, body := ask(t, r, base, tt.text); status != tt.want {
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
	up := roundTripFunc(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"X-Cost": {"3"}}
		for _, name := range []string{"Openai-Version", "X-Ratelimit-Limit-Tokens", "X-Ratelimit-Reset-Tokens", "Cf-Ray"} {
			header.Set(name, "4")
		}
		return &http.Response{StatusCode: 200, Body: http.NoBody, Header: header}, nil
	})
	for _, mode := range []Mode{ModeAll, ModeNone} {
		r := mustOpen(t, file, InMode(mode), KeepHeaders("OpenAI-Version", "*limit-reset-*"), Upstream(up))
		resp, err := r.Client().Get("http://h/")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(resp.Header)); !slices.Equal(got, []string{"Openai-Version", "X-Cost", "X-Ratelimit-Reset-Tokens"}) {
			t.Errorf("mode %s: %q", mode, got)
		}
		mustClose(t, r)
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
		r := mustOpen(t, file, InMode(ModeAll), Upstream(canned(`{"ok":true}`)))
		ask(t, r, "http://h", "a")
		mustClose(t, r)
	}
	synctest.Test(t, func(t *testing.T) {
		r := mustOpen(t, inBubble, Upstream(canned(`{"ok":true}`)))
		ask(t, r, "http://h", "a")
		mustClose(t, r)
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
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, InMode(ModeAll))
	post(t, r, u.URL+"/v1/messages", `{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"the cat sat"}]}`)
	ask(t, r, u.URL, "something else")
	mustClose(t, r)

	r = mustOpen(t, file, InMode(ModeNone))
	status, body := post(t, r, u.URL+"/v1/chat/completions", `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"the cat sat"}]}`)
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
	base := record(t, file, "a")
	url := base + "/v1/chat/completions"
	tests := []struct{ body, want string }{
		{strings.Replace(prompt("a"), "{", `{"stream":true,`, 1), "recorded only as a plain answer"},
		{strings.Replace(prompt("a"), `"m"`, `"n"`, 1), "recorded for another model, m"},
		{strings.Replace(prompt("a"), `"m"`, `"n","stream":true`, 1), "the nearest recording differs in model, stream"},
	}
	for _, tt := range tests {
		r := mustOpen(t, file, InMode(ModeNone), AllowUnused())
		if status, body := post(t, r, url, tt.body); status != http.StatusTeapot || !strings.Contains(body, ": "+tt.want) {
			t.Errorf("%d %s, want %q", status, body, tt.want)
		}
		r.Close()
	}
}

// A file with a purpose that OpenAI does not have is no call of OpenAI's; what differs is its purpose.
func TestMissOfAnotherCallAtTheSameAddressNamesTheField(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, InMode(ModeAll))
	post(t, r, u.URL+"/v1/files", `{"purpose":"batch","file":"{}"}`)
	mustClose(t, r)

	r = mustOpen(t, file, InMode(ModeNone))
	post(t, r, u.URL+"/v1/files", `{"purpose":"pastime","file":"{}"}`)
	want := "the nearest recording differs in purpose\n  asked:  http/"
	if text := r.Misses()[0].Error(); !strings.Contains(text, want) || !strings.Contains(text, `incoming: "pastime"`) {
		t.Errorf("%s\nwant %s", text, want)
	}
	r.Close()
}

func TestOptInHeadersAndHost(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	url := u.URL + "/v1/messages"
	const body = `{"model":"m","messages":[]}`
	tests := []struct {
		name string
		opts []Option
		url  string
		want int
	}{
		{"header", []Option{Match("header/X-Tenant")}, url, http.StatusTeapot},
		{"no option", []Option{KeepHeaders("X-Tenant")}, url, 200},
		{"host", []Option{Match("host")}, "https://api.anthropic.com/v1/messages", http.StatusTeapot},
		{"no host", nil, "https://api.anthropic.com/v1/messages", 200},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := mustOpen(t, file, append(tt.opts, InMode(ModeAll))...)
		post(t, r, url, body, "X-Tenant", "blue")
		mustClose(t, r)
		r = mustOpen(t, file, append(tt.opts, InMode(ModeNone))...)
		if status, answer := post(t, r, tt.url, body, "X-Tenant", "red"); status != tt.want {
			t.Errorf("%s: %d %s", tt.name, status, answer)
		}
		r.Close()
	}
}

// A JSON-RPC client counts its requests; the answer it gets has its own number.
func TestJSONRPCAnswersHaveTheirRequestsID(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	up := roundTripFunc(func(r *http.Request) (*http.Response, error) {
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
	r := mustOpen(t, file, InMode(ModeAll), Upstream(up))
	for i, method := range []string{"tools/list", "stream"} {
		post(t, r, "http://h/mcp", call(strconv.Itoa(i+1), method))
	}
	mustClose(t, r)
	r = mustOpen(t, file, InMode(ModeNone))
	for _, method := range []string{"stream", "tools/list"} { // in another order than recorded
		if _, body := post(t, r, "http://h/mcp", call("77", method)); !strings.Contains(body, `"id":77,`) {
			t.Errorf("%s: %s", method, body)
		}
	}
	mustClose(t, r)
}

// A compressed request is stored, cleaned and matched by what it says.
func TestCompressedRequest(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
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
	r := mustOpen(t, file, InMode(ModeAll))
	post(t, r, url, zipped(prompt("hello"), gzip.BestSpeed), "Content-Encoding", "gzip")
	mustClose(t, r)
	if got := savedPrompts(t, file); got != "hello" {
		t.Errorf("stored %q", got)
	}
	r = mustOpen(t, file, InMode(ModeNone))
	if status, body := post(t, r, url, zipped(prompt("hello"), gzip.BestCompression), "Content-Encoding", "gzip"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	for _, broken := range []string{"not gzip", zipped(prompt("x"), 1)[:20]} {
		if status, _ := post(t, r, url, broken, "Content-Encoding", "gzip"); status != http.StatusTeapot {
			t.Errorf("a broken body got status %d", status)
		}
	}
	r.Close()
}

// TestParallelMissesAreOne: the same request from many goroutines is one finding.
func TestParallelMissesAreOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "a", "b", "c")
	r := mustOpen(t, file, InMode(ModeNone))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if status, _ := ask(t, r, base, "never asked before"); status != http.StatusTeapot {
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
	ask := func(r *Recorder, word string) {
		for i := range most {
			post(t, r, chatURL, prompt(fmt.Sprintf("%s the question %d, please, in one sentence", word, i)))
		}
	}
	r := mustOpen(t, file, InMode(ModeAll), Upstream(canned("{}")))
	ask(r, "Answer")
	mustClose(t, r)
	r = mustOpen(t, file, InMode(ModeNone))
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
