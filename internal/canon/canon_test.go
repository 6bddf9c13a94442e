package canon

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/txtar"
)

// parseRequest reads a request of the files in testdata: a line with method and
// URL, header lines, an empty line and the body.
func parseRequest(t testing.TB, data []byte) *interaction.Request {
	t.Helper()
	r := textproto.NewReader(bufio.NewReader(bytes.NewReader(data)))
	line, err := r.ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	method, url, ok := strings.Cut(line, " ")
	if !ok {
		t.Fatalf("request line %q: want METHOD URL", line)
	}
	req := &interaction.Request{Method: method, URL: url}
	for {
		line, err := r.ReadLine()
		if err != nil || line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ": ")
		req.Headers = append(req.Headers, interaction.Header{Name: name, Values: []string{value}})
	}
	if _, body, ok := bytes.Cut(data, []byte("\n\n")); ok {
		req.Body = bytes.TrimSuffix(body, []byte("\n"))
	}
	return req
}

// Requests that docs/MATCHING.md calls equal match, and requests that it calls never equal do not.
// The pairs are in testdata: those in same are equal, and those in differ are not. Those in cross
// are one prompt for two providers, which is not equal either, although the bodies are the same.
func TestEqual(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"same", "differ", "cross"} {
		files, err := filepath.Glob(filepath.Join("testdata", kind, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no cases of kind %s: %v", kind, err)
		}
		for _, file := range files {
			t.Run(kind+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				ar := txtar.Parse(data)
				if len(ar.Files) != 2 || len(ar.Comment) == 0 {
					t.Fatalf("%s: want a comment that says why, and files a and b", file)
				}
				var rules Options
				a := rules.Form(parseRequest(t, ar.Files[0].Data))
				b := rules.Form(parseRequest(t, ar.Files[1].Data))
				if kind == "cross" && !slices.Equal(a.Lines(), b.Lines()) {
					t.Errorf("%s\nthe bodies differ\n--- a\n%s\n--- b\n%s", ar.Comment, a.Text(), b.Text())
				}
				if same := a.Text() == b.Text(); same != (kind == "same") {
					t.Errorf("%s\nsame = %v, want %v\n--- a\n%s\n--- b\n%s", ar.Comment, same, kind == "same", a.Text(), b.Text())
				}
				if (a.Text() == b.Text()) != (a.Key() == b.Key()) {
					t.Errorf("keys %s and %s do not agree with the texts", a.Key(), b.Key())
				}
			})
		}
	}
}

func form(t testing.TB, rules Options, url, body string) *Form {
	t.Helper()
	return rules.Form(&interaction.Request{Method: "POST", URL: url, Body: []byte(body)})
}

const (
	chatURL      = "https://api.openai.com/v1/chat/completions"
	responsesURL = "https://api.openai.com/v1/responses"
	messagesURL  = "https://api.anthropic.com/v1/messages"
)

func TestFormText(t *testing.T) {
	t.Parallel()
	f := form(t, Options{}, messagesURL, `{"model":"claude","max_tokens":5,"stream":true,"system":"Be brief.","messages":[{"role":"user","content":"line 1\nline \"2\""}],"metadata":{"user_id":"u"}}`)
	want := strings.Join([]string{
		`endpoint anthropic.messages`,
		`wire stream`,
		`body/messages/0/content/0/text "line 1\nline \"2\""`,
		`body/messages/0/content/0/type "text"`,
		`body/messages/0/role "user"`,
		`body/model "claude"`,
		`body/system/0/text "Be brief."`,
		`body/system/0/type "text"`,
	}, "\n")
	if got := f.Text(); got != want {
		t.Errorf("Text:\n%s\nwant:\n%s", got, want)
	}
	drift := []Line{{"body/max_tokens", "5"}, {"body/metadata/user_id", `"u"`}, {"host", `"api.anthropic.com"`}, {"path/prefix", `""`}}
	if !slices.Equal(f.Drift, drift) {
		t.Errorf("Drift = %v, want %v", f.Drift, drift)
	}
	if f.Model != "claude" || !f.Known {
		t.Errorf("Model, Known = %q, %v", f.Model, f.Known)
	}
	if len(f.Key()) != 16 {
		t.Errorf("Key = %q, want 16 hex digits", f.Key())
	}
}

func TestArraysKeepTheirOrder(t *testing.T) {
	t.Parallel()
	f := form(t, Options{}, "https://example.com/x", `[0,1,2,3,4,5,6,7,8,9,10,11]`)
	for i, l := range f.Lines()[:12] {
		if want := "body/" + strings.TrimLeft(l.Value, "+"); l.Path != want {
			t.Errorf("line %d is %s %s", i, l.Path, l.Value)
		}
	}
	if len(f.Lines()) != 13 || f.Lines()[12].Path != "host" {
		t.Errorf("%v: want 12 lines of the body and the host", f.Lines())
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	const a = `{"model":"m","temperature":0,"messages":[{"role":"user","content":"at 2026-01-02","name":"x"}],"hologram":1}`
	tests := []struct {
		name  string
		rules Options
		b     string
		same  bool
	}{
		{"ignored field", Options{Ignore: []string{"hologram"}}, strings.Replace(a, `"hologram":1`, `"hologram":2`, 1), true},
		{"ignored with wildcard", Options{Ignore: []string{"messages/*/name"}}, strings.Replace(a, `"name":"x"`, `"name":"y"`, 1), true},
		{"ignored anywhere", Options{Ignore: []string{"**/name"}}, strings.Replace(a, `"name":"x"`, `"name":"y"`, 1), true},
		{"ignored subtree", Options{Ignore: []string{"/messages"}}, strings.Replace(a, `"at 2026-01-02"`, `"else"`, 1), true},
		{"another field is not ignored", Options{Ignore: []string{"messages/*/nam"}}, strings.Replace(a, `"name":"x"`, `"name":"y"`, 1), false},
		{"full path", Options{Ignore: []string{"body/hologram"}}, strings.Replace(a, `"hologram":1`, `"hologram":2`, 1), true},
		{"masked text", Options{Masks: []Mask{{Regexp: regexp.MustCompile(`\d{4}-\d\d-\d\d`), Placeholder: "DATE"}}}, strings.Replace(a, "2026-01-02", "2027-03-04", 1), true},
		{"text beside the mask", Options{Masks: []Mask{{Regexp: regexp.MustCompile(`\d{4}-\d\d-\d\d`), Placeholder: "DATE"}}}, strings.Replace(a, "at 2026-01-02", "on 2026-01-02", 1), false},
		{"sampling is lax", Options{}, strings.Replace(a, `"temperature":0`, `"temperature":1`, 1), true},
		{"sampling is strict", Options{Sampling: true}, strings.Replace(a, `"temperature":0`, `"temperature":1`, 1), false},
		{"match on model, other field", Options{Only: map[string][]string{"*": []string{"model"}}}, strings.Replace(a, "2026", "2027", 1), true},
		{"match on model, model", Options{Only: map[string][]string{"*": []string{"model"}}}, strings.Replace(a, `"m"`, `"n"`, 1), false},
		{"match on temperature", Options{Only: map[string][]string{"*": []string{"temperature"}}}, strings.Replace(a, `"temperature":0`, `"temperature":1`, 1), false},
		{"match on still tells streams apart", Options{Only: map[string][]string{"*": []string{"model"}}}, strings.Replace(a, `"model"`, `"stream":true,"model"`, 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fa, fb := form(t, tt.rules, chatURL, a), form(t, tt.rules, chatURL, tt.b)
			if same := fa.Text() == fb.Text(); same != tt.same {
				t.Errorf("same = %v, want %v\n--- a\n%s\n--- b\n%s", same, tt.same, fa.Text(), fb.Text())
			}
		})
	}
}

// The form of a request has the system prompt at another path than the request.
func TestPatternsSelectFieldsByTheirPathsInTheRequest(t *testing.T) {
	t.Parallel()
	ask := func(system, user string) string {
		return `{"model":"m","max_completion_tokens":5,"messages":[{"role":"system","content":"` + system + `"},{"role":"user","content":"` + user + `"}]}`
	}
	tests := []struct {
		name  string
		rules Options
		url   string
		a, b  string
		same  bool
	}{
		{"MatchOnly messages has the system prompt", Options{Only: map[string][]string{"*": []string{"model", "messages"}}}, chatURL, ask("French", "hi"), ask("Klingon", "hi"), false},
		{"MatchOnly messages has the rest", Options{Only: map[string][]string{"*": []string{"model", "messages"}}}, chatURL, ask("French", "hi"), ask("French", "ho"), false},
		{"the first message is the first sent", Options{Ignore: []string{"messages/0/content"}}, chatURL, ask("French", "hi"), ask("Klingon", "hi"), true},
		{"and not the first of the form", Options{Ignore: []string{"messages/0/content"}}, chatURL, ask("French", "hi"), ask("French", "ho"), false},
		{"the second", Options{Ignore: []string{"messages/1"}}, chatURL, ask("French", "hi"), ask("French", "ho"), true},
		{"without an index the common place does too", Options{Ignore: []string{"system"}}, chatURL, ask("French", "hi"), ask("Klingon", "hi"), true},
		{"sent name", Options{Only: map[string][]string{"*": []string{"max_completion_tokens"}}}, chatURL, ask("a", "b"), strings.Replace(ask("a", "b"), "5", "6", 1), false},
		{"common name", Options{Only: map[string][]string{"*": []string{"max_tokens"}}}, chatURL, ask("a", "b"), strings.Replace(ask("a", "b"), "5", "6", 1), false},
		{"a tool's schema as sent", Options{Ignore: []string{"tools/*/input_schema"}}, messagesURL,
			`{"model":"m","tools":[{"name":"t","input_schema":{"a":1}}]}`, `{"model":"m","tools":[{"name":"t","input_schema":{"a":2}}]}`, true},
		{"a nested tool's schema as sent", Options{Ignore: []string{"tools/0/function/parameters"}}, chatURL,
			`{"model":"m","tools":[{"type":"function","function":{"name":"t","parameters":{"a":1}}}]}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"t","parameters":{"a":2}}}]}`, true},
		{"arguments as sent", Options{Ignore: []string{"messages/*/tool_calls/*/function/arguments"}}, chatURL,
			`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}]}`,
			`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":2}"}}]}]}`, true},
		{"a tool's result as sent", Options{Ignore: []string{"messages/1/content"}}, chatURL,
			`{"model":"m","messages":[{"role":"user","content":"q"},{"role":"tool","tool_call_id":"a","content":"1"}]}`,
			`{"model":"m","messages":[{"role":"user","content":"q"},{"role":"tool","tool_call_id":"a","content":"2"}]}`, true},
		{"masked query", Options{Masks: []Mask{{Regexp: regexp.MustCompile(`\d+`), Placeholder: "N"}}}, "https://h/v1/things?after=1", `{}`, `{}`, true},
	}
	for _, tt := range tests {
		urlB := tt.url
		if strings.HasSuffix(tt.url, "after=1") {
			urlB = strings.Replace(tt.url, "after=1", "after=22", 1)
		}
		var hit []string
		tt.rules.Hit = func(value string) bool { hit = append(hit, value); return true }
		fa, fb := form(t, tt.rules, tt.url, tt.a), form(t, tt.rules, urlB, tt.b)
		if same := fa.Text() == fb.Text(); same != tt.same {
			t.Errorf("%s: same = %v, want %v\n--- a\n%s\n--- b\n%s", tt.name, same, tt.same, fa.Text(), fb.Text())
		}
		for _, p := range slices.Concat(tt.rules.Ignore, fa.bodyOnly) {
			if p != "model" && !slices.Contains(hit, p) {
				t.Errorf("%s: pattern %s selected nothing", tt.name, p)
			}
		}
	}
	form(t, Options{Ignore: []string{"mesages"}, Hit: func(value string) bool {
		t.Errorf("a pattern that fits nothing selected something: %q", value)
		return true
	}}, chatURL, ask("a", "b"))
}

func TestFormsAreEqualInConcurrentGoroutinesAndWhenTraced(t *testing.T) {
	t.Parallel()
	var options Options
	req := &interaction.Request{Method: "POST", URL: chatURL, Body: benchBody(true, 4096)}
	want := options.Trace(req).Text()
	sum := sha256.Sum256([]byte(want))
	f := options.Form(req)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if f.Text() != want || len(f.Lines()) == 0 || f.Key() != hex.EncodeToString(sum[:8]) {
				t.Errorf("text, lines or key are others:\n%s", f.Text())
			}
		})
	}
	all.Wait()
}

func TestTracedFormHasPathsOfTheRequest(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"u"}]},
		{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},
		{"role":"tool","tool_call_id":"a","content":"r"}]}`
	var rules Options
	req := &interaction.Request{Method: "POST", URL: chatURL, Body: []byte(body)}
	f := rules.Trace(req)
	if plain := rules.Form(req); plain.Text() != f.Text() {
		t.Fatalf("the traced form is another:\n%s\nwant\n%s", f.Text(), plain.Text())
	} else if got := plain.Sent("body/system/0/text"); got != "body/system/0/text" {
		t.Errorf("an untraced form sends to %s", got)
	}
	for path, want := range map[string]string{
		"body/system/0/text":                       "body/messages/0/content",
		"body/messages/0/content/0/text":           "body/messages/1/content/0/text",
		"body/messages/1/content/0/input/x":        "body/messages/2/tool_calls/0/function/arguments",
		"body/messages/1/content/0/type":           "body/messages/2/tool_calls/0",
		"body/messages/2/content/0/content/0/text": "body/messages/3/content",
		"body/model":     "body/model",
		"query/x":        "query/x",
		"body/not/there": "body/not/there",
	} {
		if got := f.Sent(path); got != want {
			t.Errorf("Sent(%s) = %s, want %s", path, got, want)
		}
	}
}

// A mask that matches digests would make all files equal.
func TestDigestsAreNotMasked(t *testing.T) {
	t.Parallel()
	rules := Options{Masks: []Mask{{Regexp: regexp.MustCompile(`[0-9a-f]+`), Placeholder: "HEX"}}}
	bodies := map[string]string{
		"multipart/form-data; boundary=B": "--B\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nrun TEXT\r\n--B\r\nContent-Disposition: form-data; name=\"image\"; filename=\"x.png\"\r\n\r\nFILE\r\n--B--\r\n",
		"multipart/related; boundary=B":   "--B\r\nContent-Type: application/json\r\n\r\n{\"run\":\"TEXT\"}\r\n--B\r\nContent-Type: image/png\r\n\r\n\xffFILE\r\n--B--\r\n",
		"application/octet-stream":        "\xffFILE",
	}
	for contentType, body := range bodies {
		ask := func(text, file string) string {
			req := &interaction.Request{
				Method: "POST", URL: "https://h/v1/images/edits", Body: []byte(strings.NewReplacer("TEXT", text, "FILE", file).Replace(body)),
				Headers: interaction.Headers{{Name: "Content-Type", Values: []string{contentType}}},
			}
			return rules.Form(req).Text()
		}
		if ask("a1", "CAT!") == ask("a1", "DOG!") {
			t.Errorf("%s: two files are one:\n%s", contentType, ask("a1", "CAT!"))
		}
		if ask("a1", "CAT!") != ask("b2", "CAT!") {
			t.Errorf("%s: the text is not masked:\n%s", contentType, ask("a1", "CAT!"))
		}
	}
}

func TestOptIns(t *testing.T) {
	t.Parallel()
	headers := func(v string) interaction.Headers {
		return interaction.Headers{{Name: "Anthropic-Version", Values: []string{v}}}
	}
	tools := func(a, b string) []byte {
		return []byte(`{"model":"m","messages":[],"tools":[{"name":"` + a + `","input_schema":{}},{"name":"` + b + `","input_schema":{}}]}`)
	}
	gemini := func(a, b string) []byte {
		return []byte(`{"contents":[],"tools":[{"functionDeclarations":[{"name":"` + a + `"},{"name":"` + b + `"}]}]}`)
	}
	const geminiURL = "https://h/v1beta/models/g:generateContent"
	tests := []struct {
		name          string
		rules         Options
		a, b          interaction.Request
		without, with bool // the same without the rules, and with them
	}{
		{"header", Options{Match: []string{"header/anthropic-version"}},
			interaction.Request{Method: "POST", URL: messagesURL, Headers: headers("1"), Body: []byte(`{"model":"m","messages":[]}`)},
			interaction.Request{Method: "POST", URL: messagesURL, Headers: headers("2"), Body: []byte(`{"model":"m","messages":[]}`)}, true, false},
		{"host", Options{Match: []string{"host"}},
			interaction.Request{Method: "POST", URL: "https://a.example/v1/messages", Body: []byte(`{"model":"m","messages":[]}`)},
			interaction.Request{Method: "POST", URL: "https://b.example/v1/messages", Body: []byte(`{"model":"m","messages":[]}`)}, true, false},
		{"host of no family", Options{Ignore: []string{"host"}},
			interaction.Request{Method: "GET", URL: "https://a.example/v1/models"}, interaction.Request{Method: "GET", URL: "https://b.example/v1/models"}, false, true},
		{"alias", Options{Aliases: []string{"jira", "github"}},
			interaction.Request{Method: "GET", URL: "http://jira/mcp"}, interaction.Request{Method: "GET", URL: "http://github/mcp"}, true, false},
		{"tools", Options{},
			interaction.Request{Method: "POST", URL: messagesURL, Body: tools("x", "y")},
			interaction.Request{Method: "POST", URL: messagesURL, Body: tools("y", "x")}, true, true},
		{"other tools", Options{},
			interaction.Request{Method: "POST", URL: messagesURL, Body: tools("x", "y")},
			interaction.Request{Method: "POST", URL: messagesURL, Body: tools("z", "x")}, false, false},
		{"tools of no model", Options{},
			interaction.Request{Method: "POST", URL: "https://h/jobs", Body: []byte(`{"tools":[{"type":"drill"},{"type":"mill"}]}`)},
			interaction.Request{Method: "POST", URL: "https://h/jobs", Body: []byte(`{"tools":[{"type":"mill"},{"type":"drill"}]}`)}, false, false},
		{"tools of a model behind an unknown gateway", Options{},
			interaction.Request{Method: "POST", URL: "https://h/ask", Body: []byte(`{"messages":[{"role":"user"}],"tools":[{"name":"x"},{"name":"y"}]}`)},
			interaction.Request{Method: "POST", URL: "https://h/ask", Body: []byte(`{"messages":[{"role":"user"}],"tools":[{"name":"y"},{"name":"x"}]}`)}, true, true},
		{"Gemini's tools", Options{},
			interaction.Request{Method: "POST", URL: geminiURL, Body: gemini("x", "y")},
			interaction.Request{Method: "POST", URL: geminiURL, Body: gemini("y", "x")}, true, true},
	}
	for _, tt := range tests {
		var none Options
		if same := none.Form(&tt.a).Text() == none.Form(&tt.b).Text(); same != tt.without {
			t.Errorf("%s: the same without the rule: %v", tt.name, same)
		}
		if same := tt.rules.Form(&tt.a).Text() == tt.rules.Form(&tt.b).Text(); same != tt.with {
			t.Errorf("%s: the same with the rule: %v", tt.name, same)
		}
	}
}

// The region is reported, and helps to choose. The host of another server
// matches.
func TestRegionOfSTSDoesNotMatch(t *testing.T) {
	t.Parallel()
	ask := func(host string) *Form {
		var rules Options
		return rules.Form(&interaction.Request{
			Method: "POST", URL: "https://" + host + "/", Body: []byte("Action=AssumeRole&RoleArn=r"),
			Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/x-www-form-urlencoded"}}},
		})
	}
	a, b := ask("sts.us-east-1.amazonaws.com"), ask("sts.eu-west-1.amazonaws.com")
	if a.Endpoint != "credentials.sts" || a.Key() != b.Key() || slices.Equal(a.Traits, b.Traits) || !slices.Contains(a.Drift, Line{"host", `"sts.us-east-1.amazonaws.com"`}) {
		t.Errorf("%s\n%s\n%v", a.Text(), b.Text(), a.Drift)
	}
	seen := map[string]string{a.Key(): "AWS"}
	for _, host := range []string{"amazonaws.com", "stsx.amazonaws.com", "sts.s3.us-east-1.amazonaws.com", "sts.us-east-1.amazonaws.com.example", "sts.us-east-1.amazonaws.com:8443", "minio.example", "localhost"} {
		if other := seen[ask(host).Key()]; other != "" {
			t.Errorf("%s answers for %s", other, host)
		}
		seen[ask(host).Key()] = host
	}
}

func TestReplayedJSONRPCAnswerHasTheIDOfTheRequest(t *testing.T) {
	t.Parallel()
	request := func(body string) *interaction.Request {
		return &interaction.Request{Method: "POST", URL: "http://h/mcp", Body: []byte(body)}
	}
	recorded := request(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	tests := []struct{ asked, payload, want string }{
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"id":1}}`, `{"jsonrpc":"2.0","id":7,"result":{"id":1}}`},
		{`{"jsonrpc":"2.0","id":"x","method":"tools/list"}`, "{\n  \"id\": 1,\n  \"result\": {}\n}\n", "{\n  \"id\": \"x\",\n  \"result\": {}\n}\n"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"id":1}`, `{"id":1}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"id":2,"result":{}}`, `{"id":2,"result":{}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"id":1,"method":"ping"}`, `{"id":1,"method":"ping"}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"id":"1","result":{}}`, `{"id":"1","result":{}}`},
		{`{"jsonrpc":"2.0","method":"notifications/x"}`, `{"id":1}`, `{"id":1}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `not JSON`, `not JSON`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"id":1,"result":{}`, `{"id":1,"result":{}`},
		// In any layout. Numbers, escapes and lone surrogates stay.
		{`{"jsonrpc":"2.0","id": "a\/b" ,"method":"tools/list"}`, " {\t\"jsonrpc\" :\"2.0\",\r\n\"id\": 1 , \"result\":{\"n\":1.50e+01,\"s\":\"\\u00e9\\/\\ud800\",\"id\": 1}  }\n", " {\t\"jsonrpc\" :\"2.0\",\r\n\"id\": \"a\\/b\" , \"result\":{\"n\":1.50e+01,\"s\":\"\\u00e9\\/\\ud800\",\"id\": 1}  }\n"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}`, `{"result":[ {"id":1} ], "id":1}`, `{"result":[ {"id":1} ], "id":9007199254740993}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"id":10,"result":{}}`, `{"id":10,"result":{}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"id":null,"error":{}}`, `{"id":null,"error":{}}`},
		// A list of answers and other messages of the server.
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `[ {"method":"log","params":{"id":1}}, {"id": 1,"result":{}},{"id":"1","result":{}} , {"id":1,"method":"ping"} ]`, `[ {"method":"log","params":{"id":1}}, {"id": 7,"result":{}},{"id":"1","result":{}} , {"id":1,"method":"ping"} ]`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `[[{"id":1}],1,"id"]`, `[[{"id":1}],1,"id"]`},
	}
	// Each answer of a batch gets the ID of the call at the same index, in any
	// order of the answers. IDs may change places.
	batch := request(`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"x","method":"b"},{"jsonrpc":"2.0","id":3,"method":"c"}]`)
	again := request(`[{"jsonrpc":"2.0","id":3,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":1,"method":"b"},{"jsonrpc":"2.0","id":"x","method":"c"}]`)
	for payload, want := range map[string]string{
		`[{"id":3,"result":{"id":3}},{"id": 1,"result":{}}, {"id":"x","error":{}},{"id":4},{"id":1,"method":"ping"}]`: `[{"id":"x","result":{"id":3}},{"id": 3,"result":{}}, {"id":1,"error":{}},{"id":4},{"id":1,"method":"ping"}]`,
		`{"id":"x","result":{}}`: `{"id":1,"result":{}}`, // one event of a stream
		`{"id":"1","result":{}}`: `{"id":"1","result":{}}`,
	} {
		var rules Options
		f := rules.Form(batch)
		if got := string(jsonrpc.IDsOf(batch, again).Relink([]byte(payload))); got != want || !f.Linked() || f.Endpoint != "jsonrpc.batch" {
			t.Errorf("%s of %s: got %s, want %s", f.Endpoint, payload, got, want)
		}
		shorter := request(`[{"jsonrpc":"2.0","id":3,"method":"a"}]`)
		if got := string(jsonrpc.IDsOf(batch, shorter).Relink([]byte(payload))); got != payload {
			t.Errorf("asked by a shorter one: %s", got)
		}
	}
	for _, tt := range tests {
		var rules Options
		f := rules.Form(recorded)
		if !f.Linked() {
			t.Fatal("a JSON-RPC form is not linked")
		}
		if got := string(jsonrpc.IDsOf(recorded, request(tt.asked)).Relink([]byte(tt.payload))); got != tt.want {
			t.Errorf("asked %s, recorded %s: got %s, want %s", tt.asked, tt.payload, got, tt.want)
		}
	}
	// A string with escapes is the same ID.
	if got := string(jsonrpc.IDsOf(request(`{"id":"a/b","method":"x"}`), request(`{"id":"c","method":"x"}`)).Relink([]byte(`{"id":"\u0061\/b"}`))); got != `{"id":"c"}` {
		t.Errorf("got %s", got)
	}
	if form(t, Options{}, chatURL, `{}`).Linked() {
		t.Error("a chat is linked")
	}
}

// Of each endpoint, bookkeeping fields never match, sampling fields only with an option, and all
// other fields always.
func TestListedFieldsDoNotMatch(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		if f.Method != "" {
			continue // it has no body
		}
		url := originOf(f) + strings.NewReplacer("{model}", "m", "{org}", "o", "{endpoint=", "", "{", "", "}", "").Replace(slices.Concat(f.Paths, f.StreamPaths)[0])
		if f.Paths[0] == "" {
			url = originOf(f) + "/any"
		}
		ask := func(rules Options, path, value string) *Form {
			body := value
			names := strings.Split(path, "/")
			for _, name := range slices.Backward(names) {
				if name == "*" {
					body = "[" + body + "]"
				} else {
					body = `{"` + name + `":` + body + `}`
				}
			}
			body = strings.Replace(body, "{", "{"+evidence(f, names[0]), 1)
			return rules.Form(&interaction.Request{Method: "POST", URL: url, Body: []byte(body)})
		}
		check := func(rules Options, path string, same bool) {
			a, b := ask(rules, path, `"1"`), ask(rules, path, `"2"`)
			if a.Endpoint != f.Name && !strings.HasPrefix(a.Endpoint, f.Name+".") {
				t.Errorf("%s: %s is not known", f.Name, url)
			}
			if got := a.Text() == b.Text(); got != same {
				t.Errorf("%s: strict %v: %s does not decide: %v, want %v", f.Name, rules.Sampling, path, got, same)
			}
			if same && len(rules.Ignore) == 0 && slices.Equal(a.Drift, b.Drift) {
				t.Errorf("%s: a change of %s is not reported", f.Name, path)
			}
		}
		for _, path := range slices.Concat(f.Bookkeeping, f.Sampling) {
			if first, _, _ := strings.Cut(path, "/"); fieldpath.Segment(first) != first || fieldpath.Short("body/"+path) != path {
				t.Errorf("%s: the pattern %s does not start with a member's name", f.Name, path)
			}
		}
		for _, path := range f.Bookkeeping {
			check(Options{}, path, true)
			check(Options{Sampling: true}, path, true)
		}
		for _, path := range f.Sampling {
			check(Options{}, path, true)
			check(Options{Sampling: true}, path, false)
		}
		unknown := "a_field_nobody_has_heard_of"
		if len(f.Only) > 0 {
			unknown = f.Only[0] // with another field, no family knows the request
		}
		check(Options{}, unknown, false)
		check(Options{Ignore: []string{unknown + "/**/deep"}}, unknown+"/of/any/deep", true)
	}
}

// originOf returns an origin of which the family's endpoint can be.
func originOf(f *Family) string {
	if f.Scheme == interaction.ProcessScheme {
		return "stdio://name"
	}
	if f.Scheme == interaction.GRPCScheme {
		return "grpc://h"
	}
	if len(f.Hosts) > 0 {
		return "https://" + f.Hosts[0]
	}
	return "https://h"
}

// evidence returns the members by which a family knows its requests, without
// one that the body has.
func evidence(f *Family, beside string) string {
	if len(f.Needs) == 0 {
		return ""
	}
	names := strings.Fields(f.Needs[0])
	for _, has := range f.Needs {
		if slices.Contains(strings.Fields(has), beside) {
			names = strings.Fields(has)
		}
	}
	var b strings.Builder
	for _, name := range names {
		switch name, value, valued := strings.Cut(name, "="); {
		case valued:
			b.WriteString(`"` + name + `":["` + strings.TrimSuffix(value, "*") + `"],`) // a field of a form
		case name != beside:
			b.WriteString(`"` + name + `":"x",`)
		}
	}
	return b.String()
}

// TestDeterminingFields changes each field of testdata/determining.txt, one at
// a time: the two requests must not be equal.
func TestDeterminingFields(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "determining.txt"))
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{}
	for line := range strings.SplitSeq(string(data), "\n") {
		if names := strings.Fields(line); len(names) > 1 && names[0] != "#" {
			fields[names[0]] = names[1:]
		}
	}
	for _, f := range families() {
		names := fields[f.Name]
		if f.Method != "" {
			continue // it has no body
		}
		if len(names) == 0 {
			t.Errorf("determining.txt has no fields of %s", f.Name)
		}
		url := originOf(f) + strings.NewReplacer("{model}", "m", "{org}", "o", "{endpoint=", "", "{", "", "}", "").Replace(f.Paths[0])
		for _, name := range append(names, strings.Fields(strings.Join(f.Needs, " "))...) {
			if name == "jsonrpc" || strings.Contains(name, "=") || slices.Contains(f.Bookkeeping, name) || name == "model" && strings.Contains(f.Paths[0], "{model}") {
				continue
			}
			ask := func(value string) string {
				body := `{` + evidence(f, name) + `"` + name + `":` + value + `}`
				got := form(t, Options{}, url, body)
				if got.Known == f.NoModelAPI || got.Endpoint != f.Name && !strings.HasPrefix(got.Endpoint, f.Name+".") {
					t.Errorf("%s with %s is %s, want %s", url, body, got.Endpoint, f.Name)
				}
				return got.Text()
			}
			for _, pair := range [][2]string{{`"a"`, `"b"`}, {`["a"]`, `["b"]`}, {`["a"]`, `["a","a"]`}, {`{"x":1}`, `{"x":2}`}, {`true`, `false`}, {`[{"text":"a"}]`, `[{"text":"b"}]`}} {
				if ask(pair[0]) == ask(pair[1]) {
					t.Errorf("%s: %s as %s and as %s are the same", f.Name, name, pair[0], pair[1])
				}
			}
		}
	}
}

func TestMatchOnReportsTheRestAsDrift(t *testing.T) {
	t.Parallel()
	f := form(t, Options{Only: map[string][]string{"*": []string{"model"}}}, chatURL, `{"model":"m","messages":[],"seed":1}`)
	if len(f.Lines()) != 1 || len(f.Drift) != 4 {
		t.Errorf("Lines %v, Drift %v; want model alone to match, and messages, seed, host and prefix to drift", f.Lines(), f.Drift)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for lit, want := range map[string]string{
		"0": "0", "-0": "-0", "10": "10", "1.0": "1", "1e0": "1", "1E+2": "100", "1.50": "1.5", "12.5e1": "125",
		"0.10": "0.1", "1e-8": "0.00000001", "1e-08": "0.00000001", "0.000": "0", "-0.0": "-0", "100e-2": "1", "1.05e1": "10.5",
		"123456789012345678901234567890": "123456789012345678901234567890", "1e99999": "1e99999", "1E99999": "1e99999",
	} {
		if got := exactjson.PlainNumber(lit); got != want {
			t.Errorf("number(%s) = %s, want %s", lit, got, want)
		}
	}
}

// A urlCase is one line of testdata/urls.txt.
type urlCase struct {
	line                  int
	endpoint, model, wire string
	req                   *interaction.Request
}

func urlCases(t *testing.T) []urlCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "urls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []urlCase
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 6)
		method, url, body := "POST", f[3], `{"model":"m","messages":[],"input":"x","prompt":"x"}`
		if !strings.Contains(url, "://") {
			method, url = url, f[4]
			f = slices.Delete(f, 3, 4)
		}
		if method == "GET" || method == "DELETE" {
			body = ""
		}
		if len(f) > 4 {
			body = strings.Join(f[4:], " ")
		}
		cases = append(cases, urlCase{n + 1, f[0], f[1], f[2], &interaction.Request{Method: method, URL: url, Body: []byte(body)}})
	}
	if len(cases) < 120 {
		t.Fatalf("%d vectors, want all of them", len(cases))
	}
	return cases
}

// A URL is recognised as an endpoint, a model and a framing, on any host.
func TestFamiliesOfURLs(t *testing.T) {
	t.Parallel()
	for _, tt := range urlCases(t) {
		var rules Options
		got := rules.Form(tt.req)
		model := got.Model
		if model == "" {
			model = "-"
		}
		if endpoint := strings.ReplaceAll(got.Endpoint, " ", "_"); endpoint != tt.endpoint || model != tt.model || got.Wire != tt.wire {
			t.Errorf("urls.txt:%d: %s %s is %s %s %s, want %s %s %s", tt.line, tt.req.Method, tt.req.URL, endpoint, model, got.Wire, tt.endpoint, tt.model, tt.wire)
		}
	}
	// No family knows a request whose body is not a JSON object.
	if f := form(t, Options{}, chatURL, "hello"); f.Known || f.Endpoint != "POST /v1/chat/completions" {
		t.Errorf("text to %s: known %v, endpoint %s", chatURL, f.Known, f.Endpoint)
	}
}

func TestFormDoesNotChangeTheRequest(t *testing.T) {
	t.Parallel()
	body := `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],"model":"m","max_completion_tokens":3,"stop":"x"}`
	req := &interaction.Request{Method: "POST", URL: chatURL, Body: []byte(body)}
	var rules Options
	first := rules.Form(req).Text()
	if string(req.Body) != body {
		t.Errorf("the body is now %s", req.Body)
	}
	if second := rules.Form(req).Text(); first != second {
		t.Errorf("a second form differs:\n%s\n%s", first, second)
	}
}

func TestCompletes(t *testing.T) {
	t.Parallel()
	for url, last := range map[string]string{
		chatURL:      "data: [DONE]\n\n",
		messagesURL:  "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		responsesURL: "event: response.completed\ndata: {}\n\n",
	} {
		f := form(t, Options{}, url, `{"model":"m","stream":true,"messages":[],"input":"x"}`)
		if !f.Completes(last) {
			t.Errorf("%s: %q does not complete", url, last)
		}
		if f.Completes("data: {}\n\n") {
			t.Errorf("%s: any event completes", url)
		}
	}
}

// FuzzForm checks that the order of members and white space do not change a
// form, that another value does, and that Form does not panic.
func FuzzForm(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "x", "1", "2")
	f.Add(`{"input":[{"role":"user"},{"type":"function_call","call_id":"1","arguments":"{}"}]}`, "a/b", `"1"`, "1")
	f.Add(`{"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"any"},"system":"s"}`, "0", "[]", "{}")
	f.Fuzz(func(t *testing.T, body, name, v1, v2 string) {
		base, err := exactjson.Parse([]byte(body))
		if err != nil || base.Kind != exactjson.Object {
			t.Skip()
		}
		for _, url := range []string{chatURL, responsesURL, messagesURL, "https://api.openai.com/v1/embeddings", "https://example.com/x"} {
			form(t, Options{}, url, body)
		}
		a, aerr := exactjson.Parse([]byte(v1))
		b, berr := exactjson.Parse([]byte(v2))
		if aerr != nil || berr != nil || member(&base, name) != nil || !utf8.ValidString(name) {
			t.Skip()
		}
		withA, withB := reversed(base, name, a), reversed(base, name, b)
		fa, again, fb := form(t, Options{}, "https://example.com/x", string(withA)), form(t, Options{}, "https://example.com/x", string(reverse(t, withA))), form(t, Options{}, "https://example.com/x", string(withB))
		if !duplicated(base) && fa.Text() != again.Text() {
			t.Errorf("key order changed the form:\n%s\n%s", fa.Text(), again.Text())
		}
		if equal := valueText(a) == valueText(b); equal != (fa.Text() == fb.Text()) {
			t.Errorf("values equal: %v, forms:\n%s\n%s", equal, fa.Text(), fb.Text())
		}
	})
}

// valueText prints a value with sorted members and plain numbers. It shares no
// code with the tested one, except for numbers.
func valueText(v exactjson.Value) string {
	switch v.Kind {
	case exactjson.Number:
		return exactjson.PlainNumber(v.Text)
	case exactjson.Array, exactjson.Object:
		var order []int
		for i := range v.Elems {
			order = append(order, i)
		}
		if v.Kind == exactjson.Object {
			slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(v.Elems[i].Name, v.Elems[j].Name) })
		}
		var parts []string
		for _, i := range order {
			part := valueText(v.Elems[i])
			if v.Kind == exactjson.Object {
				part = quoted(v.Elems[i].Name) + ":" + part
			}
			parts = append(parts, part)
		}
		if v.Kind == exactjson.Object {
			return "{" + strings.Join(parts, ",") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	case exactjson.String:
		return quoted(v.Text)
	case exactjson.Null:
		return "null"
	}
	return v.Text
}

func reversed(base exactjson.Value, name string, v exactjson.Value) []byte {
	out := exactjson.Value{Kind: exactjson.Object}
	v.Name = name
	out.Elems = append(append(out.Elems, base.Elems...), v)
	return out.AppendJSON(nil, exactjson.Layout{})
}

// reverse prints a JSON object with its members in reverse order.
func reverse(t *testing.T, body []byte) []byte {
	t.Helper()
	v, err := exactjson.Parse(body)
	if err != nil {
		t.Fatalf("our own %s does not parse: %v", body, err)
	}
	slices.Reverse(v.Elems)
	return v.AppendJSON(nil, exactjson.Layout{})
}

func duplicated(v exactjson.Value) bool {
	seen := map[string]bool{}
	for i := range v.Elems {
		if v.Kind == exactjson.Object {
			if seen[v.Elems[i].Name] {
				return true
			}
			seen[v.Elems[i].Name] = true
		}
	}
	return false
}

func quoted(s string) string { return `"` + exactjson.EscapeText(s) + `"` }
