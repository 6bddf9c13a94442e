package fakeprovider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

const (
	chatPath       = "/v1/chat/completions"
	responsesPath  = "/v1/responses"
	embeddingsPath = "/v1/embeddings"
	messagesPath   = "/v1/messages"
)

func TestEveryFamilyIsListed(t *testing.T) {
	paths := map[string]string{}
	for _, e := range slices.Concat(endpoints, mediaEndpoints, mistralEndpoints) {
		paths[e.name] = "/any/prefix" + e.path
	}
	for _, e := range lookups {
		paths[e.name] = e.path
	}
	if len(paths) != len(families) {
		t.Errorf("%d endpoints for %d families", len(paths), len(families))
	}
	for _, f := range families {
		if path, listed := paths[f.name]; !listed || !f.owns(path) {
			t.Errorf("family %s at %q", f.name, path)
		}
	}
}

func TestSaysWhatItIs(t *testing.T) {
	h := start(t)
	for _, e := range endpoints {
		r := h.post("/gateway"+e.path, e.body)
		if r.StatusCode != 200 || r.Header.Get("X-Promptecho-Provider") != "stand-in" {
			t.Errorf("%s: status %d, headers %v", e.name, r.StatusCode, r.Header)
		}
		vendor, _, _ := strings.Cut(e.name, ".")
		cookies := vendor == "openai" || vendor == "anthropic"
		if (r.Header.Get("Set-Cookie") != "") != cookies || r.Header.Get("Date") == "" || cookies && requestID(r.Response) == "" {
			t.Errorf("%s: headers missing: %v", e.name, r.Header)
		}
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if kind != "application/json" || len(r.TransferEncoding) != 1 {
			t.Errorf("%s: content type %q, transfer %v", e.name, r.Header.Get("Content-Type"), r.TransferEncoding)
		}
		if e.streams && !strings.Contains(r.text, "[stand-in] You said: hello there") {
			t.Errorf("%s: %s", e.name, r.text)
		}
		pretty := strings.HasPrefix(r.text, "{\n  \"")
		isGoogle := vendor == "gemini" || e.name == "vertex.predict" || e.name == "vertex.images"
		isPretty := vendor == "openai" || isGoogle
		if pretty != isPretty {
			t.Errorf("%s: layout: %s", e.name, r.text)
		}
	}
}

func TestSameRequestSameAnswer(t *testing.T) {
	h := start(t)
	for _, e := range endpoints {
		a, b := h.post(e.path, e.body), h.post(e.path, e.body)
		if scrub(a.text) != scrub(b.text) {
			t.Errorf("%s differs:\n%s\n%s", e.name, a.text, b.text)
		}
		if a.text == b.text && e.streams && requestID(a.Response) == requestID(b.Response) {
			t.Errorf("%s: ids did not count up:\n%s", e.name, a.text)
		}
		if !e.streams {
			continue
		}
		c, d := h.streamed(e.stream()), h.streamed(e.stream())
		for i := range c {
			if len(c) != len(d) || c[i].name != d[i].name || scrub(c[i].data) != scrub(d[i].data) {
				t.Errorf("%s streamed:\n%v\n%v", e.name, c, d)
				break
			}
		}
	}
}

const openaiShape, anthropicShape = `"error": {`, `{"type":"error","error":{`

// refusals is requests that nobody answers, and some that are just accepted.
var refusals = []struct {
	name, method, path, header, body string
	status                           int
	want                             []string
}{
	{"no key", "POST", chatPath, "X-None: x", endpoints[0].body, 401, []string{openaiShape, "You didn't provide an API key"}},
	{"no key", "POST", messagesPath, "X-None: x", endpoints[3].body, 401, []string{anthropicShape, "authentication_error", "request_id"}},
	{"azure key", "POST", chatPath, "api-key: k", endpoints[0].body, 200, nil},
	{"x-api-key", "POST", messagesPath, "x-api-key: k", endpoints[3].body, 200, nil},
	{"bad JSON", "POST", chatPath, "", `{"model":`, 400, []string{openaiShape, "could not parse the JSON body"}},
	{"bad JSON", "POST", messagesPath, "", `{"model": "m"`, 400, []string{anthropicShape, "not valid JSON"}},
	{"no object", "POST", messagesPath, "", `[1]`, 400, []string{anthropicShape, "expected an object"}},
	{"text after", "POST", responsesPath, "", `{} {}`, 400, []string{openaiShape}},
	{"no model", "POST", responsesPath, "", `{"input":"x"}`, 400, []string{openaiShape, "model parameter"}},
	{"no model", "POST", embeddingsPath, "", `{"input":"x"}`, 400, []string{openaiShape}},
	{"no messages", "POST", chatPath, "", `{"model":"m"}`, 400, []string{`"param": "messages"`, "missing_required_parameter"}},
	{"no input", "POST", responsesPath, "", `{"model":"m"}`, 400, []string{`"param": "input"`}},
	{"no input", "POST", embeddingsPath, "", `{"model":"m","input":[]}`, 400, []string{"$.input"}},
	{"too long", "POST", embeddingsPath, "", `{"model":"m","input":"x","dimensions":4000}`, 400, []string{`"dimensions"`}},
	{"no max_tokens", "POST", messagesPath, "", `{"model":"m","messages":[]}`, 400, []string{"max_tokens: Field required"}},
	{"no messages", "POST", messagesPath, "", `{"model":"m","max_tokens":1,"messages":[]}`, 400, []string{"at least one message"}},
	{"no such model", "POST", chatPath, "", `{"model":"no-such-model","messages":[]}`, 404, []string{"model_not_found", "    \"error\""}},
	{"no such model", "POST", responsesPath, "", `{"model":"no-such-model"}`, 404, []string{"model_not_found"}},
	{"no such model", "POST", embeddingsPath, "", `{"model":"no-such-model"}`, 404, []string{"model_not_found"}},
	{"no such model", "POST", messagesPath, "", `{"model":"no-such-model","max_tokens":1,"messages":[1]}`, 404, []string{"not_found_error", "model: no-such-model"}},
	{"forgotten response", "POST", responsesPath, "", `{"model":"m","input":"x","previous_response_id":"resp_x"}`, 400, []string{"previous_response_not_found"}},
	{"elsewhere", "POST", "/v1/nothing", "", `{}`, 404, []string{openaiShape, "Invalid URL (POST /v1/nothing)"}},
	{"elsewhere", "POST", "/v1/nothing", "anthropic-version: 2023-06-01", `{}`, 404, []string{anthropicShape, "not_found_error"}},
	{"elsewhere", "POST", "/v1/messages/batches", "", `{}`, 404, []string{anthropicShape}},
	{"threads", "POST", "/v1/threads/t/messages", "", `{}`, 404, []string{openaiShape}},
	{"wrong method", "GET", chatPath, "", "", 405, []string{openaiShape, "Not allowed to GET"}},
	{"wrong method", "GET", messagesPath, "", "", 405, []string{anthropicShape, "Method Not Allowed"}},
}

func TestRefusals(t *testing.T) {
	h := start(t)
	for _, c := range refusals {
		t.Run(c.name+c.path, func(t *testing.T) {
			req, _ := http.NewRequest(c.method, h.URL+c.path, strings.NewReader(c.body))
			name, value, _ := strings.Cut(c.header, ": ")
			if c.header == "" || name == "anthropic-version" {
				req.Header.Set("Authorization", "Bearer k")
			}
			if name != "" {
				req.Header.Set(name, value)
			}
			resp, err := h.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			data, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != c.status {
				t.Fatalf("status %d, want %d: %s", resp.StatusCode, c.status, data)
			}
			for _, want := range c.want {
				if !strings.Contains(string(data), want) {
					t.Errorf("want %q in %s", want, data)
				}
			}
			parse(t, string(data))
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	h := start(t)
	var wg sync.WaitGroup
	ids := make(chan string, 40*len(endpoints))
	for i := range 40 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k, e := range endpoints {
				path, body := e.path, e.body
				if e.streams && (i+k)%2 == 0 {
					path, body = e.stream()
				}
				resp, err := h.send(context.Background(), path, body)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != 200 {
					t.Error(resp.StatusCode, err)
				}
				if id := requestID(resp); id != "" {
					ids <- id
				}
			}
		}()
	}
	wg.Wait()
	close(ids)
	seen := map[string]bool{}
	for id := range ids {
		seen[id] = true
	}
	named := 0
	for _, e := range endpoints {
		if requestID(h.post(e.path, e.body).Response) != "" {
			named++
		}
	}
	if want := 41 * len(endpoints); h.Requests() != want || len(seen) != 40*named {
		t.Errorf("%d requests, %d ids, want %d and %d", h.Requests(), len(seen), want, 40*named)
	}
}

// requestID is the id that a vendor gives a request; Google and Ollama give none.
func requestID(resp *http.Response) string {
	for _, name := range []string{"X-Request-Id", "Request-Id", "X-Amzn-Requestid", "X-Debug-Trace-Id"} {
		if id := resp.Header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

func TestMountedAsHandler(t *testing.T) {
	var s Server
	defer s.Close()
	web := httptest.NewUnstartedServer(&s)
	web.EnableHTTP2 = true
	web.StartTLS()
	defer web.Close()
	req, _ := http.NewRequest("POST", web.URL+chatPath, strings.NewReader(withStream(endpoints[0].body)))
	req.Header.Set("Authorization", "Bearer k")
	resp, err := web.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.ProtoMajor != 2 || !strings.HasSuffix(string(data), "data: [DONE]\n\n") {
		t.Errorf("%s, %v: %s", resp.Proto, err, data)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	for range 20 {
		s := New()
		tr := &http.Transport{}
		h := &harness{s, t, &http.Client{Transport: tr}}
		s.Hold()
		resp, err := h.send(context.Background(), chatPath, withStream(endpoints[0].body))
		if err != nil {
			t.Fatal(err)
		}
		h.post(chatPath, endpoints[0].body) // leaves an idle connection
		s.Close()
		s.Close()
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("a held stream ended well after Close")
		}
		resp.Body.Close()
		tr.CloseIdleConnections()
	}
	for range 100000 {
		if serving() == "" {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("goroutines left:\n%s", serving())
}

// serving is the stacks of goroutines that a server has running.
func serving() string {
	buf := make([]byte, 1<<20)
	var left []string
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "provider.(*Server)") || strings.Contains(g, "net/http.(*conn)") {
			left = append(left, g)
		}
	}
	return strings.Join(left, "\n\n")
}

func TestLongAndOddTexts(t *testing.T) {
	h := start(t)
	texts := []string{
		"line one\r\nline two\n\n\ttabbed  ", "héllo wörld – 日本語のテキスト 👩‍👩‍👧‍👦 🎉", "<b>&amp;</b> \u2028 \\ \" {}",
		strings.Repeat("long text, ", full.Cases(2000, 20_000)), strings.Repeat("x", 5000),
	}
	for _, text := range texts {
		for _, e := range endpoints {
			if !e.streams {
				continue
			}
			body := strings.ReplaceAll(e.body, `"hello there"`, quote(text))
			body = strings.ReplaceAll(body, `"max_tokens":99`, `"max_tokens":99999`)
			whole := answerText(t, e.name, h.post(e.path, body).text)
			if !strings.Contains(whole, text) {
				t.Errorf("%s: %.40q is not in the answer %.80q", e.name, text, whole)
			}
			path, body := endpoint{e.name, e.path, body, true}.stream()
			if got := joined(t, e.name, h.streamed(path, body)); got != whole {
				t.Errorf("%s: %.40q streamed as %.80q", e.name, text, got)
			}
		}
	}
}

func ExampleServer() {
	s := New()
	defer s.Close()
	req, _ := http.NewRequest("POST", s.URL+"/v1/chat/completions",
		strings.NewReader(`{"model":"any","messages":[{"role":"user","content":"Hello!"}]}`))
	req.Header.Set("Authorization", "Bearer any")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	var buf strings.Builder
	_, _ = io.Copy(&buf, resp.Body)
	_, said, _ := strings.Cut(buf.String(), `"content": "`)
	said, _, _ = strings.Cut(said, `"`)
	fmt.Println(resp.Header.Get("x-promptecho-provider"))
	fmt.Println(said)
	// Output:
	// stand-in
	// [stand-in] You said: Hello! (1 message, 1 word, 5 letters)
}
