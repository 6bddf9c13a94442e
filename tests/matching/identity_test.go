package matching_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Outside the body, too, no request is answered by the recording of another: of what no
// family knows, origin, path, query and the headers that select content match.
func TestIdentityOutsideTheBody(t *testing.T) {
	t.Parallel()
	const url, copied = "https://files.example/v1/things?page=2", "https://a.blob.core.windows.net/c/a?versionid="
	get := func(url string, headers ...string) must.Request { return must.Request{URL: url, Headers: headers} }
	tests := []struct {
		name string
		a, b must.Request
		same bool
	}{
		{"host", get(url), get(strings.Replace(url, "files.", "pages.", 1)), false},
		{"port", get(url), get("https://files.example:8443/v1/things?page=2"), false},
		{"the port of the scheme", get(url), get("https://FILES.example.:443/v1/things?page=2"), true},
		{"local hosts", get("http://127.0.0.1:4711/v1/things"), get("http://qdrant:6333/v1/things"), true},
		{"private addresses", get("http://10.1.2.3/v1/things"), get("http://api.dev.svc.cluster.local/v1/things"), true},
		{"local and not", get("http://localhost/v1/things"), get("http://localhost.example/v1/things"), false},
		{"path", get(url), get("https://files.example/v1/other?page=2"), false},
		{"escapes of a path", get("https://files.example/a%7Eb%3Ac"), get("https://files.example/a~b:c"), true},
		{"an escaped slash", get("https://files.example/a%2Fb"), get("https://files.example/a/b"), false},
		{"query", get(url), get("https://files.example/v1/things?page=3"), false},
		{"escapes of a query", get("https://files.example/s?q=a%20b"), get("https://files.example/s?q=a+b"), true},
		{"a value under a name that may be a credential's", get("https://kv.example/get?key=alpha"), get("https://kv.example/get?key=beta"), false},
		{"a credential", get("https://kv.example/get?key=Zk3vQ9pXw7RtLm2NcY8bHs5D"), get("https://kv.example/get?key=dummy-key"), true},
		{"a UUID under such a name", get("https://kv.example/get?key=3f2c8a11-90b4-4c9e-8a77-1d0a2b3c4d5e"), get("https://kv.example/get?key=77aa8a11-90b4-4c9e-8a77-1d0a2b3c4d00"), false},
		{"a file under such a name", get("https://kv.example/get?key=photos/9f8a7B6c5D4e3F2a.jpg"), get("https://kv.example/get?key=photos/1a2B3c4D5e6F7a8b.jpg"), false},
		{"a name that can only be a credential's", get("https://s.example/?q=a&api_key=b6907d289e10d714a6e88b30761fae22"), get("https://s.example/?q=a&api_key="), true},
		{"no such parameter", get("https://s.example/?q=a&api_key=b6907d289e10d714a6e88b30761fae22"), get("https://s.example/?q=a"), false},
		{"OpenWeather's", get("https://api.openweathermap.org/x?appid=b6907d289e10d714a6e88b30761fae22"), get("https://api.openweathermap.org/x?appid=ci"), true},
		{"what a signed URL is of", get("https://b.oss-cn.aliyuncs.com/p.jpg?x-oss-process=image/resize,w_100&x-oss-signature=aa11"), get("https://b.oss-cn.aliyuncs.com/p.jpg?x-oss-process=image/resize,w_200&x-oss-signature=bb22"), false},
		{"a wrong escape", get("https://x.example/s?q=%zz"), get("https://x.example/s?q=%25zz"), false},
		{"the tenant of a token", must.Request{URL: "https://login.example/a/token", Body: `{"grant_type":"client_credentials"}`}, must.Request{URL: "https://login.example/b/token", Body: `{"grant_type":"client_credentials"}`}, false},
		{"Accept", get(url, "Accept", "text/csv"), get(url, "Accept", "text/html"), false},
		{"Accept of everything", get(url, "Accept", "*/*"), get(url), true},
		{"Range", get(url, "Range", "bytes=0-9"), get(url, "Range", "bytes=10-19"), false},
		{"If-None-Match", get(url, "If-None-Match", `"a"`), get(url), false},
		{"Prefer", get(url, "Prefer", "wait"), get(url, "Prefer", "respond-async"), false},
		{"field mask", get(url, "X-Goog-FieldMask", "a"), get(url, "X-Goog-FieldMask", "b"), false},
		{"signature of what is copied", get(url, "x-ms-copy-source", copied+"1&sv=2024-11-04&se=2026-01-01T00%3A00Z&sig=Zk3vQ9pXw7RtLm2NcY8bHs5D"), get(url, "x-ms-copy-source", copied+"1&sv=2024-11-04&se=2027-02-02T00%3A00Z&sig=Qm8sT4vXy2PwKn6LbZ9cRj3F"), true},
		{"version of what is copied", get(url, "x-ms-copy-source", copied+"1&sig=Zk3vQ9pXw7RtLm2NcY8bHs5D"), get(url, "x-ms-copy-source", copied+"2&sig=Zk3vQ9pXw7RtLm2NcY8bHs5D"), false},
		{"signature of what is renamed", get(url, "x-ms-rename-source", "/fs/a?sv=1&sig=Zk3vQ9pXw7RtLm2NcY8bHs5D"), get(url, "x-ms-rename-source", "/fs/a?sv=1&sig=Qm8sT4vXy2PwKn6LbZ9cRj3F"), true},
		{"beta", get(url, "OpenAI-Beta", "assistants=v1"), get(url, "OpenAI-Beta", "assistants=v2"), false},
		{"beta of a family", must.Request{URL: "https://api.openai.com/v1/embeddings", Body: `{"model":"m","input":"a"}`, Headers: []string{"OpenAI-Beta", "a"}}, must.Request{URL: "https://api.openai.com/v1/embeddings", Body: `{"model":"m","input":"a"}`}, false},
		{"user agent", get(url, "User-Agent", "a"), get(url, "User-Agent", "b"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := must.Open(t, must.RecordAnswers(t, []string{`"answer"`}, []must.Request{tt.a}), promptecho.InMode(promptecho.ModeNone))
			if got := tt.b.Ask(t, r); got == `"answer"` != tt.same {
				t.Errorf("the same: %v, want %v: %s", !tt.same, tt.same, got)
			}
			r.Close()
		})
	}
}

// TestSessionsOfAgentCore: of two sessions of one agent that send the same, each gets its own answers, in whatever order. Ids
// that are new in each run find the recordings in their order.
func TestSessionsOfAgentCore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Session-Id", "User-Id"} {
		for _, call := range []must.Request{
			{URL: "https://bedrock-agentcore.us-east-1.amazonaws.com/runtimes/mine/invocations", Body: `{"prompt":"continue"}`},
			{URL: "https://bedrock-agentcore.us-east-1.amazonaws.com/harnesses/invoke?harnessArn=a", Body: `{"messages":[{"role":"user","content":[{"text":"continue"}]}]}`},
		} {
			in := func(id string) must.Request {
				return must.Request{URL: call.URL, Body: call.Body, Headers: []string{"X-Amzn-Bedrock-AgentCore-Runtime-" + name, id}}
			}
			for _, tt := range []struct{ one, two, first, second string }{
				{"rome-session-000000000000000000000000001", "bonn-session-000000000000000000000000001", `"two"`, `"one"`},
				{"9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b", `"two"`, `"one"`},
				{"Zk3vQ9pXw7RtLm2NcY8bHs5DZk3vQ9pXw7", "Qm8sT4vXy2PwKn6LbZ9cRj3FQm8sT4vXy2", `"two"`, `"one"`},
				{"9022bbce-7872-4001-991b-d872b93f257d", "", `"one"`, `"two"`},
			} {
				file := must.RecordAnswers(t, []string{`"one"`, `"two"`}, []must.Request{in(tt.one), in(cmp.Or(tt.two, "886e8f9c-3938-4bc9-97ab-1dc34af93226"))})
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
				first, second := in(cmp.Or(tt.two, "77aa8a11-90b4-4c9e-8a77-1d0a2b3c4d00")), in(tt.one)
				if tt.two == "" {
					second = in("3f2c8a11-90b4-4c9e-8a77-1d0a2b3c4d5e")
				}
				if a, b := first.Ask(t, r), second.Ask(t, r); a != tt.first || b != tt.second {
					t.Errorf("%s %s: got %s and %s", name, tt.one, a, b)
				}
				must.Close(t, r)
			}
		}
	}
}

// What does not match of a known model API is never silent when it changes, but for
// what says nothing.
func TestDriftOutsideTheBodyIsNoted(t *testing.T) {
	t.Parallel()
	body := must.Chat("").Body
	azure := "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version="
	tests := []struct {
		name, a, b string
		note       string
	}{
		{"host", must.ChatURL, "https://gateway.example/v1/chat/completions", `promptecho.Match("host")`},
		{"prefix", must.ChatURL, "https://api.openai.com/proxy/v1/chat/completions", `promptecho.Match("path")`},
		{"api-version", azure + "2024-06-01", azure + "2025-01-01", `promptecho.Match("query/api-version")`},
		{"a parameter", must.ChatURL, must.ChatURL + "?beta=true", `promptecho.Match("query/beta")`},
		{"local ports", "http://127.0.0.1:1/v1/chat/completions", "http://localhost:2/v1/chat/completions", ""},
		{"nothing", must.ChatURL, must.ChatURL, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var notes []string
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{{URL: tt.a, Body: body}})
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Log(func(note string) { notes = append(notes, note) }))
			if got := (must.Request{URL: tt.b, Body: body}).Ask(t, r); got != `"one"` {
				t.Error(got)
			}
			must.Close(t, r)
			if got := strings.Join(notes, "\n"); tt.note == "" && got != "" || !strings.Contains(got, tt.note) {
				t.Errorf("notes %q, want %s", got, tt.note)
			}
		})
	}
}

// A batch of JSON-RPC calls finds its recording whatever the ids, and each answer has the
// id of its call.
func TestBatchOfCalls(t *testing.T) {
	t.Parallel()
	batch := func(first, second string, id1, id2 any) must.Request {
		const call = `{"jsonrpc":"2.0","id":%v,"method":%q}`
		return must.Request{URL: "https://s.example/mcp", Body: fmt.Sprintf("["+call+","+call+"]", id1, first, id2, second)}
	}
	file := must.RecordAnswers(t, []string{`[{"jsonrpc":"2.0","id":2,"result":"b"},{"jsonrpc":"2.0","id":1,"result":"a"}]`}, []must.Request{batch("a", "b", 1, 2)})
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got := batch("b", "a", 1, 2).Ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Errorf("the calls in another order: %s", got)
	}
	r.Close()
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got, want := batch("a", "b", 2, `"x"`).Ask(t, r), `[{"jsonrpc":"2.0","id":"x","result":"b"},{"jsonrpc":"2.0","id":2,"result":"a"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	must.Close(t, r)
}

// A client that asks only for what has changed, or for a range, asks in replay as it did.
func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	const file, tag = "0123456789", `"v1"`
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		header := http.Header{"Etag": {tag}, "Last-Modified": {"Mon, 02 Jan 2006 15:04:05 GMT"}, "Content-Type": {"text/plain"}}
		status, body := http.StatusOK, file
		switch {
		case req.Header.Get("If-None-Match") == tag:
			status, body = http.StatusNotModified, ""
		case req.Header.Get("Range") == "bytes=2-4":
			status, body = http.StatusPartialContent, file[2:5]
			header.Set("Content-Range", "bytes 2-4/10")
		}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
	})
	get := func(r *promptecho.Recorder, name, value string) (*http.Response, string) {
		req, _ := http.NewRequest("GET", "https://files.example/f", nil)
		if value != "" {
			req.Header.Set(name, value)
		}
		resp, err := r.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(b)
	}
	client := func(r *promptecho.Recorder) string {
		whole, body := get(r, "", "")
		again, _ := get(r, "If-None-Match", whole.Header.Get("Etag"))
		part, middle := get(r, "Range", "bytes=2-4")
		return fmt.Sprint(body, whole.Header["Last-Modified"], again.StatusCode, " ", part.StatusCode, part.Header["Content-Range"], middle)
	}
	cassette := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, cassette, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	want := client(r)
	must.Close(t, r)
	if want != "0123456789[Mon, 02 Jan 2006 15:04:05 GMT] 304 206 [bytes 2-4/10]234" {
		t.Fatalf("recorded %s", want)
	}
	r = must.Open(t, cassette, promptecho.InMode(promptecho.ModeNone))
	if got := client(r); got != want {
		t.Errorf("replayed %s\nrecorded %s", got, want)
	}
	must.Close(t, r)
}

// A WebSocket is not recorded; a miss says so, and not that recording again would help.
func TestSocketMiss(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
	req, _ := http.NewRequest("GET", "https://api.openai.com/v1/realtime?model=m", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "WebSocket")
	resp, err := r.Client().Do(req)
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	err = r.Close()
	if err == nil || !strings.Contains(err.Error(), "this request opens a WebSocket") || strings.Contains(err.Error(), "PROMPTECHO_MODE") || strings.Contains(err.Error(), "committed") {
		t.Errorf("Close: %v", err)
	}
}

// A WebSocket that would be recorded is not opened, and fails the run, which names it.
func TestSocketIsNotRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("it was opened")
		return nil, io.EOF
	})))
	req, _ := http.NewRequest("GET", "https://api.openai.com/v1/realtime?model=m", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	resp, err := r.Client().Do(req)
	if err != nil || resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Should-Retry") != "false" {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	want := "promptecho: " + file + ": GET https://api.openai.com/v1/realtime?model=m: this request opens a WebSocket, which is not recorded: use plain HTTP, or a client without the recorder for this connection"
	if err := r.Close(); err == nil || err.Error() != want {
		t.Errorf("Close: %v\nwant %s", err, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("something was recorded")
	}
}

// Every header that docs/ENDPOINTS.md says matches is written, and tells two requests
// apart when it is replayed: one that is not written is the same on both sides.
func TestHeadersThatMatchAreWritten(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "ENDPOINTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- table: headers -->\n")
	table, _, _ = strings.Cut(table, "<!-- end -->")
	names := map[string]bool{"anthropic-beta": true, "openai-beta": true, "acme-beta": true}
	for _, m := range regexp.MustCompile("`([a-z]+(?:-[a-z]+)*)`").FindAllStringSubmatch(table, -1) {
		names[m[1]] = true
	}
	if len(names) < 30 {
		t.Fatalf("only %d headers in the table", len(names))
	}
	for name := range names {
		if slices.Contains([]string{"content-type", "jsonrpc", "-beta", "anthropic_beta"}, name) {
			continue
		}
		file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{{URL: "https://x.example/y", Body: "", Headers: []string{name, "blue"}}})
		if text := must.Read(t, file); !strings.Contains(text, name) {
			t.Errorf("%s matches and is not written:\n%s", name, text)
		}
		if slices.Contains(chance.ContentHeaders, name) {
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			if got := (must.Request{URL: "https://x.example/y", Body: "", Headers: []string{name, "green"}}).Ask(t, r); got == `"one"` {
				t.Errorf("%s is not compared", name)
			}
			r.Close()
		}
	}
}
