package echofault

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
)

// answers answers every request with a body of its own, and notes what is asked.
type answers struct {
	mu       sync.Mutex
	requests []string // host and body
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body := ""
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = " " + string(data)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, req.URL.Host+body)
	text := fmt.Sprintf("data: %d\n\ndata: [DONE]\n\n", len(a.requests))
	return &http.Response{StatusCode: 200, ContentLength: int64(len(text)), Request: req, Body: io.NopCloser(strings.NewReader(text)),
		Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
}

// The requests of a script: each is a URL and a body that is recognised, or not.
const (
	openai    = "https://api.openai.com/v1/chat/completions"
	anthropic = "https://api.anthropic.com/v1/messages"
	other     = "https://api.example.com/things"
	local     = "http://127.0.0.1:8080/things"
)

// A request meets the first fault whose selectors name its model or server, and that is not used
// up. Each letter of want is a request in order: "." is an answer, "4" and "5" are
// failures, "c" was cut and "g" garbled.
func TestScript(t *testing.T) {
	t.Parallel()
	repeat := func(url string, n int) []string { return slices.Repeat([]string{url}, n) }
	mixed := []string{openai, anthropic, other, local, openai, anthropic, other, local}
	for _, tt := range []struct {
		name   string
		faults []Fault
		urls   []string
		want   string
	}{
		{"none", nil, repeat(openai, 2), ".."},
		{"every request", []Fault{FailFirst(2, 429)}, mixed, "44......"},
		{"in their order", []Fault{FailFirst(1, 429), Cut(1), FailFirst(2, 500), Garble(1)}, repeat(openai, 6), "4c55g."},
		{"the same twice", []Fault{Cut(1), Cut(1)}, repeat(openai, 3), "cc."},
		{"a kind", []Fault{FailFirst(3, 429, "llm")}, mixed, "44..4..."},
		{"the other kind", []Fault{FailFirst(9, 429, "http")}, mixed, "..44..44"},
		{"a boundary", []Fault{FailFirst(1, 429, "llm/anthropic.messages")}, mixed, ".4......"},
		{"a server", []Fault{FailFirst(9, 429, "http/api.example.com")}, mixed, "..4...4."},
		{"a server with a port", []Fault{FailFirst(9, 429, "http/127.0.0.1:8080")}, mixed, "...4...4"},
		{"a star", []Fault{FailFirst(9, 429, "*/openai.chat")}, mixed, "4...4..."},
		{"several selectors", []Fault{FailFirst(3, 429, "http", "llm/anthropic.messages")}, mixed, ".444...."},
		{"one for each", []Fault{Cut(1, "llm/openai.chat"), FailFirst(1, 500, "llm/anthropic.messages")}, mixed, "c5......"},
		{"too long a cut waits", []Fault{Cut(1, "http"), Cut(9, "llm"), FailFirst(1, 500)}, mixed[:4], "..c5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, got := New(&fakeTB{}, new(answers), tt.faults...).Client(), ""
			for _, url := range tt.urls {
				switch o := post(client, url, `{"model":"m","messages":[]}`); {
				case o.status >= 400:
					got += fmt.Sprint(o.status / 100)
				case o.err == io.ErrUnexpectedEOF && strings.Count(o.body, "data:") == 1:
					got += "c"
				case o.err == nil && strings.HasPrefix(o.body, "data: #\n"):
					got += "g"
				case o.err == nil && strings.HasSuffix(o.body, "[DONE]\n\n"):
					got += "."
				default:
					t.Errorf("%+v", o)
				}
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A test is told which requests its faults struck, and fails if one never struck.
func TestTold(t *testing.T) {
	t.Parallel()
	ask := func(urls ...string) func(*http.Client) {
		return func(c *http.Client) {
			for _, url := range urls {
				post(c, url, `{"model":"m","messages":[]}`)
			}
		}
	}
	stop := func(c *http.Client) {
		resp, err := c.Post(openai, "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	}
	stopAtEnd := func(c *http.Client) {
		resp, err := c.Post(openai, "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len("data: 1\n\ndata: [DONE]\n\n"))); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
	}
	leave := func(c *http.Client) {
		if _, err := c.Post(openai, "application/json", strings.NewReader(`{"model":"m","messages":[]}`)); err != nil {
			t.Error(err)
		}
	}
	for _, tt := range []struct {
		fault Fault
		ask   func(*http.Client)
		want  string // the error; else, with a "-" in front, what is logged
	}{
		{FailFirst(5, 429), ask(openai, openai, other), "-echofault: FailFirst(5, 429) struck http/api.example.com (1), llm/openai.chat (2)"},
		{Cut(1), ask(openai), "-echofault: Cut(1) struck llm/openai.chat (1)"},
		{Garble(2, "llm"), ask(openai), `-echofault: Garble(2, "llm") struck llm/openai.chat (1)`},
		{Cut(1), ask(), "echofault: Cut(1) never struck: no request came"},
		{Cut(1, "llm/openai.responses", "http"), ask(openai, openai, anthropic), `echofault: Cut(1, "llm/openai.responses", "http") never struck: it selects none of the requests, which were llm/anthropic.messages (1), llm/openai.chat (2)`},
		{Cut(3), ask(openai), "echofault: Cut(3) never struck: the answer to llm/openai.chat has 2 events"},
		{Garble(3), ask(openai), "echofault: Garble(3) never struck: the answer to llm/openai.chat has 2 events"},
		{Cut(2), stop, "echofault: Cut(2) never struck: the client closed the answer to llm/openai.chat after 0 bytes, with 0 events of a stream"},
		{Garble(3), stopAtEnd, "echofault: Garble(3) never struck: the client closed the answer to llm/openai.chat after 23 bytes, with 2 events of a stream"},
		{Cut(2), leave, "echofault: Cut(2) never struck: the client did not read the answer that far"},
		{Slow(time.Nanosecond, "http"), ask(openai), `echofault: Slow(1ns, "http") never struck: it selects none of the requests, which were llm/openai.chat (1)`},
	} {
		tb := &fakeTB{}
		tb.run(func() { tt.ask(New(tb, new(answers), tt.fault).Client()) })
		got := strings.Join(tb.errors, "\n")
		if got == "" {
			got = "-" + strings.Join(tb.logs, "\n")
		}
		if got != tt.want {
			t.Errorf("the test is told\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// A fault that never struck is reported with the reason, and fails only a test that would pass.
func TestNeverStruck(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}, nil
		})
	}
	bodyless := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	})
	broken := roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.EOF })
	nothing := roundTrip(func(*http.Request) (*http.Response, error) { return nil, nil })
	comment := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(": ping\n\ndata: 1\n\n")), ContentLength: -1}, nil
	})
	for _, tt := range []struct {
		name   string
		next   http.RoundTripper
		faults []Fault
		want   string // of the last fault
	}{
		{"used up before", new(answers), []Fault{FailFirst(9, 500), Cut(1)}, "Cut(1) never struck: earlier faults struck every request that it selects"},
		{"a failure", answer(503, "{}"), []Fault{Cut(1)}, "Cut(1) never struck: the answer to llm/openai.chat has status 503"},
		{"no body", bodyless, []Fault{Garble(1)}, "Garble(1) never struck: the answer to llm/openai.chat has no body"},
		{"a short body", answer(200, "hello"), []Fault{Cut(6)}, "Cut(6) never struck: the answer to llm/openai.chat is not a stream, but one body of 5 bytes"},
		{"an empty body", answer(200, ""), []Fault{Garble(1)}, "Garble(1) never struck: event 1 of the answer to llm/openai.chat has no data"},
		{"a body is one event", answer(200, "hello"), []Fault{Garble(2)}, "Garble(2) never struck: the answer to llm/openai.chat is not a stream, but one body of 5 bytes"},
		{"no answer", broken, []Fault{Garble(1)}, "Garble(1) never struck: llm/openai.chat got no answer"},
		{"neither answer nor error", nothing, []Fault{Garble(1)}, "Garble(1) never struck: llm/openai.chat got no answer"},
		{"no data", comment, []Fault{Garble(1)}, "Garble(1) never struck: event 1 of the answer to llm/openai.chat has no data"},
	} {
		for _, tb := range []*fakeTB{{}, {failed: true}, {skipped: true}} {
			worried := tb.failed || tb.skipped
			tb.run(func() { chat(New(tb, tt.next, tt.faults...).Client(), "http://h") })
			told := tb.errors
			if worried {
				told = tb.logs
			}
			if len(told) == 0 || told[len(told)-1] != "echofault: "+tt.want || worried != (len(tb.errors) == 0) {
				t.Errorf("%s: the test is told %q, %q, want %q", tt.name, tb.errors, tb.logs, tt.want)
			}
		}
	}
}

// An invalid fault ends the test at once, before a request is sent.
func TestBadFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault Fault
		want  string
	}{
		{FailFirst(0, 500), "echofault: FailFirst(0, 500): 0 is not a number of requests: use 1 or more"},
		{FailFirst(1, 0), "echofault: FailFirst(1, 0): status 0 is not a failure: use 400 to 599"},
		{FailFirst(1, 399, "llm"), `echofault: FailFirst(1, 399, "llm"): status 399 is not a failure: use 400 to 599`},
		{FailFirst(1, 600), "echofault: FailFirst(1, 600): status 600 is not a failure: use 400 to 599"},
		{Slow(0), "echofault: Slow(0s): 0s is not a waiting time: use more than 0"},
		{Slow(-time.Second), "echofault: Slow(-1s): -1s is not a waiting time: use more than 0"},
		{Cut(-1), "echofault: Cut(-1): -1 is not a number of events: use 0 or more"},
		{Garble(0), "echofault: Garble(0): 0 is not the number of an event: use 1 or more"},
		{Cut(1, "llm", ""), `echofault: Cut(1, "llm", ""): "" selects nothing: a selector is a kind (llm, http, grpc, tool, retrieval, memory_read, memory_write), or a kind, a slash and a name, as in the report of a miss and in the output of promptecho show ("llm/openai.chat", "http/api.example.com", "tool/search"); "*" stands for any kind or name`},
		{Fault{}, "echofault: this Fault is empty: make it with FailFirst, Slow, Cut or Garble"},
	} {
		tb := &fakeTB{}
		tb.run(func() { New(tb, new(answers), Cut(1), tt.fault) })
		if tb.fatal != tt.want {
			t.Errorf("New says %q, want %q", tb.fatal, tt.want)
		}
	}
	tb := &fakeTB{}
	tb.run(func() { New(tb, nil) })
	if !strings.Contains(tb.fatal, "the transport is nil: pass the recorder") {
		t.Errorf("without a transport: %q", tb.fatal)
	}
}

// TestAtOnce: requests that come at once share the count, and each fault strikes as often
// as it says.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	const n = 64
	s := serve(t, "text/event-stream", "data: 1\n\n", "data: [DONE]\n\n")
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		client := New(t, rec, FailFirst(10, 529), Cut(1), Garble(1), Slow(time.Nanosecond), Cut(0)).Client()
		got := make([]outcome, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { got[i] = chat(client, s.URL) })
		}
		wg.Wait()
		counts := map[string]int{}
		for _, o := range got {
			if o.status == 529 {
				o.body = ""
			}
			counts[fmt.Sprint(o.status, " ", o.body, o.err)]++
		}
		want := map[string]int{
			"529 <nil>":                            10,
			"200 data: 1\n\nunexpected EOF":        1,
			"200 data: #\n\ndata: [DONE]\n\n<nil>": 1,
			"200 unexpected EOF":                   1,
			"200 data: 1\n\ndata: [DONE]\n\n<nil>": n - 13,
		}
		if !maps.Equal(counts, want) {
			t.Errorf("mode %s: %q, want %q", mode, counts, want)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := s.requests.Load(); got != n-10 {
		t.Errorf("%d requests reached the server, want all but the 10 that failed", got)
	}
}

// A body that tells whether it was closed.
type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error { c.closed = true; return nil }

// TestRequestStays: the caller's request does not change, its body is closed, the next
// transport gets the same body, and the answer names the caller's request.
func TestRequestStays(t *testing.T) {
	t.Parallel()
	next := new(answers)
	tr := New(t, next, FailFirst(1, 500))
	for i := range 2 {
		body := &closer{Reader: strings.NewReader("hello")}
		req, err := http.NewRequest("PUT", "http://h/x?key=1", body)
		if err != nil {
			t.Fatal(err)
		}
		before := *req
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !body.closed || req.Body != before.Body || req.ContentLength != before.ContentLength || resp.Request != req {
			t.Errorf("request %d: closed %v, %+v, answers %p", i, body.closed, req, resp.Request)
		}
	}
	if want := []string{"h hello"}; !slices.Equal(next.requests, want) {
		t.Errorf("sent on is %q, want %q", next.requests, want)
	}
}

// A request that cannot be sent meets no fault.
func TestNoRequest(t *testing.T) {
	t.Parallel()
	tr := New(&fakeTB{}, open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.ModeNone), FailFirst(9, 500))
	if _, err := tr.RoundTrip(&http.Request{}); err == nil || !strings.Contains(err.Error(), "the request has no URL") {
		t.Errorf("without a URL: %v", err)
	}
	if _, err := tr.Client().Post("http://h/", "text/plain", failing{io.ErrNoProgress}); err == nil || !strings.Contains(err.Error(), "echofault: reading the request: "+io.ErrNoProgress.Error()) {
		t.Errorf("with a body that cannot be read: %v", err)
	}
}

// A miss of the recorder comes through as it is, and takes no fault with it.
func TestMiss(t *testing.T) {
	t.Parallel()
	s := serve(t, "text/event-stream", "data: 1\n\n", "data: 2\n\n")
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := open(t, file, promptecho.ModeAll)
	chat(rec.Client(), s.URL)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	rec = open(t, file, promptecho.ModeNone)
	client := New(t, rec, Cut(1)).Client()
	miss := post(client, s.URL+"/v1/chat/completions", `{"model":"another","messages":[]}`)
	if miss.status != http.StatusTeapot || !strings.Contains(miss.body, "not recorded") || miss.err != nil {
		t.Errorf("the miss is %+v", miss)
	}
	if got := chat(client, s.URL); got != (outcome{200, "data: 1\n\n", io.ErrUnexpectedEOF}) {
		t.Errorf("the next request gets %+v", got)
	}
	if err := rec.Close(); err == nil || len(rec.Misses()) != 1 {
		t.Errorf("%v, %d misses, want one", err, len(rec.Misses()))
	}
}

// For two faults at once, one transport in front of another strikes one answer; the recording is
// whole.
func TestNested(t *testing.T) {
	t.Parallel()
	s := serve(t, "text/event-stream", "data: 1\n\n", "data: 2\n\n", "data: 3\n\n")
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := open(t, file, promptecho.ModeAll)
	both := New(t, New(t, rec, Garble(1)), Cut(2))
	if got := chat(both.Client(), s.URL); got != (outcome{200, "data: #\n\ndata: 2\n\n", io.ErrUnexpectedEOF}) {
		t.Errorf("%+v", got)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	rec = open(t, file, promptecho.ModeNone)
	if got := chat(rec.Client(), s.URL); got != (outcome{200, "data: 1\n\ndata: 2\n\ndata: 3\n\n", nil}) {
		t.Errorf("recorded is %+v", got)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

// The same fault in two transports counts for each of them.
func TestFaultIsAValue(t *testing.T) {
	t.Parallel()
	fault := FailFirst(1, 500)
	for range 2 {
		client := New(t, new(answers), fault).Client()
		for i, want := range []int{500, 200} {
			if got := chat(client, "http://h"); got.status != want {
				t.Errorf("request %d: status %d, want %d", i, got.status, want)
			}
		}
	}
}

// Close may come while another goroutine reads.
func TestCloseWhileReading(t *testing.T) {
	t.Parallel()
	pr, pw := io.Pipe()
	next := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, ContentLength: -1, Body: pr, Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
	})
	resp, err := New(&fakeTB{}, next, Cut(9)).Client().Get("http://h/")
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, resp.Body)
		read <- err
	}()
	if _, err := io.Copy(pw, bytes.NewReader([]byte("data: 1\n\ndata: 2\n\n"))); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := <-read; err != io.ErrClosedPipe {
		t.Errorf("the reader gets %v", err)
	}
}

// A run that left out parts of the test is no evidence that a fault strikes nothing. (Not
// parallel: the flag is everybody's.)
func TestFilteredRun(t *testing.T) {
	run := flag.Lookup("test.run")
	defer run.Value.Set(run.Value.String())
	for filter, want := range map[string]int{"^TestX$": 1, "^TestX$/^part$": 0} {
		if err := run.Value.Set(filter); err != nil {
			t.Fatal(err)
		}
		tb := &fakeTB{}
		tb.run(func() { New(tb, new(answers), Cut(1)) })
		if len(tb.errors) != want || len(tb.logs) != 1-want {
			t.Errorf("-run %s: the test is told %q, %q", filter, tb.errors, tb.logs)
		}
	}
}
