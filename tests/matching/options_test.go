package matching_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Options that select fields compose: Ignore wins over Match, then MatchSampling, then MatchOnly.
func TestFieldOptionsCompose(t *testing.T) {
	t.Parallel()
	recorded := must.Request{
		URL: "https://api.openai.com/v1/chat/completions?v=1",
		Body: `{"model":"m","messages":[{"role":"user","content":"at 12:00"}],` +
			`"temperature":0,"metadata":{"tenant":"red"}}`,
		Headers: []string{"Anthropic-Version", "1"},
	}
	inURL := func(old, with string) must.Request {
		req := recorded
		req.URL = strings.Replace(req.URL, old, with, 1)
		return req
	}
	inBody := func(old, with string) must.Request {
		req := recorded
		req.Body = strings.Replace(req.Body, old, with, 1)
		return req
	}
	otherHeader := recorded
	otherHeader.Headers = []string{"Anthropic-Version", "2"}
	// Each request differs from the recorded one in the field of its name.
	requests := []struct {
		field string
		must.Request
	}{
		{"header", otherHeader},
		{"host", inURL("api.openai", "api.other")},
		{"message", inBody("at 12:00", "at 13:00")},
		{"model", inBody(`"m"`, `"n"`)},
		{"query", inURL("v=1", "v=2")},
		{"temperature", inBody(`"temperature":0`, `"temperature":1`)},
		{"tenant", inBody("red", "blue")},
	}
	tests := []struct {
		name     string
		opts     []promptecho.Option
		compared string // the fields whose requests miss
	}{{
		name:     "no option",
		compared: "message model",
	}, {
		name:     "MatchOnly",
		opts:     []promptecho.Option{promptecho.MatchOnly("*", "model")},
		compared: "model",
	}, {
		name:     "MatchOnly and MatchSampling",
		opts:     []promptecho.Option{promptecho.MatchOnly("*", "model"), promptecho.MatchSampling()},
		compared: "model temperature",
	}, {
		name: "MatchOnly and Match",
		opts: []promptecho.Option{
			promptecho.MatchOnly("*", "model"),
			promptecho.Match("host", "metadata/tenant", "header/Anthropic-Version", "query/v"),
		},
		compared: "header host model query tenant",
	}, {
		name:     "MatchOnly and Ignore",
		opts:     []promptecho.Option{promptecho.MatchOnly("*", "model", "messages"), promptecho.Ignore("model")},
		compared: "message",
	}, {
		name:     "Match and Ignore",
		opts:     []promptecho.Option{promptecho.Match("temperature", "host"), promptecho.Ignore("temperature")},
		compared: "host message model",
	}, {
		name:     "MatchSampling and Ignore",
		opts:     []promptecho.Option{promptecho.MatchSampling(), promptecho.Ignore("temperature")},
		compared: "message model",
	}, {
		name:     "MatchSampling and Match",
		opts:     []promptecho.Option{promptecho.MatchSampling(), promptecho.Match("query/v")},
		compared: "message model query temperature",
	}, {
		name:     "Mask",
		opts:     []promptecho.Option{promptecho.Mask(`\d\d:\d\d`, "TIME")},
		compared: "model",
	}, {
		name:     "Mask and Match",
		opts:     []promptecho.Option{promptecho.Mask(`api\.\w+`, "API"), promptecho.Match("host")},
		compared: "message model",
	}, {
		name:     "Mask and MatchOnly",
		opts:     []promptecho.Option{promptecho.MatchOnly("*", "messages"), promptecho.Mask(`\d\d:\d\d`, "TIME")},
		compared: "",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{recorded}, tt.opts...)
			var missed []string
			for _, req := range requests {
				r := replay(t, file, tt.opts...)
				if got := req.Ask(t, r); isMiss(got) {
					missed = append(missed, req.field)
				}
				r.Close()
			}
			if got := strings.Join(missed, " "); got != tt.compared {
				t.Errorf("compared: %q, want %q", got, tt.compared)
			}
		})
	}
}

// Match compares a field that matching would ignore, wherever it is in the request.
func TestMatchComparesWhatIsIgnored(t *testing.T) {
	t.Parallel()
	const uuid1, uuid2 = "9022bbce-7872-4001-991b-d872b93f257d", "886e8f9c-3938-4bc9-97ab-1dc34af93226"
	const callA, callB = `{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}`,
		`{"id":"2","type":"function","function":{"name":"b","arguments":"{}"}}`
	toolCalls := func(first, second string) must.Request {
		return must.Request{URL: must.ChatURL, Body: `{"model":"m","messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","tool_calls":[` + first + `,` + second + `]},` +
			`{"role":"tool","tool_call_id":"1","content":"x"},{"role":"tool","tool_call_id":"2","content":"y"}]}`}
	}
	withToken := func(token string) must.Request {
		return must.Request{URL: "https://api.example/async", Body: `{"clientToken":"` + token + `"}`}
	}
	tests := []struct {
		path            string
		recorded, asked must.Request
	}{
		{"host", must.Chat(""), chatAt("https://gateway.example/v1/chat/completions")},
		{"path", must.Chat(""), chatAt("https://api.openai.com/proxy/v1/chat/completions")},
		{"query/api-version", chatAt(must.ChatURL + "?api-version=1"), chatAt(must.ChatURL + "?api-version=2")},
		{"header/anthropic-version", chatWith("Anthropic-Version", "1"), chatWith("Anthropic-Version", "2")},
		{"metadata", must.Chat(`,"metadata":{"a":"red"}`), must.Chat(`,"metadata":{"a":"blue"}`)},
		{"temperature", must.Chat(`,"temperature":0`), must.Chat(`,"temperature":1`)},
		{"tools/order", chatTools("a", "b"), chatTools("b", "a")},
		{"messages/order", toolCalls(callA, callB), toolCalls(callB, callA)},
		{"clientToken", withToken(uuid1), withToken(uuid2)},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			ask := func(opts ...promptecho.Option) string {
				file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{tt.recorded}, opts...)
				r := replay(t, file, opts...)
				defer r.Close()
				return tt.asked.Ask(t, r)
			}
			if got := ask(); got != `"one"` {
				t.Errorf("without the option: %s", got)
			}
			if got := ask(promptecho.Match(tt.path)); !isMiss(got) {
				t.Errorf("with the option: %s", got)
			}
		})
	}
}

// A wrong option is an error of Open that says what to write instead.
func TestWrongOptionIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		option promptecho.Option
		want   string
	}{{
		name:   "MatchOnly of a path outside the body",
		option: promptecho.MatchOnly("*", "host"),
		want: `promptecho: MatchOnly("*", "host"): this path is outside the body: ` +
			`use Match("host") for it, or "body/host" for a body field of that name`,
	}, {
		name:   "Alias of an address with another scheme",
		option: promptecho.Alias("ftp://127.0.0.1:80", "jira"),
		want:   `promptecho: Alias: "ftp://127.0.0.1:80" is not an origin such as http://127.0.0.1:8080`,
	}, {
		name:   "Alias with a blank in the name",
		option: promptecho.Alias("http://127.0.0.1:80", "a b"),
		want:   `promptecho: Alias: "a b" is not a name of letters, digits, "-" and "."`,
	}, {
		name:   "Upstream that is a recorder",
		option: promptecho.Upstream(&promptecho.Recorder{}),
		want: "promptecho: Upstream: this transport is a recorder: " +
			"pass one that sends to the network, such as new(http.Transport)",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), tt.option)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// A cassette whose options are for promptecho serve is refused by a test in Go, which says so.
func TestOptionsInACassetteAreRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "version: 1\noptions: {mask_times: true}\ninteractions: []\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	want := file + ": the options at its top ({mask_times: true}) are for programs under promptecho serve: " +
		"pass them to the recorder in Go, and remove the line"
	for _, mode := range []promptecho.Mode{
		promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeUpdate, promptecho.ModeAll,
	} {
		_, err := promptecho.Open(file, promptecho.InMode(mode))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}

	// The file is free for another recorder.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	must.Close(t, replay(t, file, promptecho.AllowUnused()))
}
