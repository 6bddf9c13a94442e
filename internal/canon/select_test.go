package canon

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

func TestSelectorsSelectByKindAndName(t *testing.T) {
	t.Parallel()
	chat := interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/chat/completions", Body: []byte(`{"model":"m","messages":[]}`)}
	other := interaction.Request{Method: "GET", URL: "https://API.example.com:443/v1/things"}
	local := interaction.Request{Method: "GET", URL: "http://127.0.0.1:8080/"}
	for _, c := range []struct {
		req  *interaction.Request
		name string
		yes  []string
		no   []string
	}{
		{&chat, "llm/openai.chat", []string{"llm", "llm/openai.chat", "llm/*", "*/openai.chat", "*", "**", "openai.chat"}, []string{"http", "openai.chatt", "openai", "llm/openai", "llm/openai.chat/more", ""}},
		{&other, "http/api.example.com", []string{"http", "http/api.example.com", "http/API.example.com"}, []string{"llm", "http/example.com", "http/API.example.org"}},
		{&local, "http/127.0.0.1:8080", []string{"http/127.0.0.1:8080"}, []string{"http/127.0.0.1"}},
	} {
		name := new(Options).Form(c.req).Name()
		if name != c.name {
			t.Errorf("%s: the name is %q, want %q", c.req.URL, name, c.name)
		}
		for _, selector := range c.yes {
			if !Selects(selector, name) {
				t.Errorf("%q does not select %s", selector, name)
			}
		}
		for _, selector := range c.no {
			if Selects(selector, name) {
				t.Errorf("%q selects %s", selector, name)
			}
		}
	}
}

// A poll is a request to a model. Its query and the ID in its path match.
func TestPollsMatchByIDAndQuery(t *testing.T) {
	t.Parallel()
	get := func(url string) *Form {
		return (&Options{}).Form(&interaction.Request{Method: "GET", URL: url})
	}
	const api = "https://api.openai.com/v1/responses/"
	f := get(api + "resp_1")
	if kind, boundary := f.Kind(); kind != "llm" || boundary != "openai.responses.retrieve" || f.Repeatable() {
		t.Errorf("a poll is %s %s, repeatable %v", kind, boundary, f.Repeatable())
	}
	if get("https://gateway.example/v1/responses/resp_1").Key() != f.Key() {
		t.Error("a poll at a gateway is another one")
	}
	for _, other := range []string{api + "resp_2", api + "resp_1?starting_after=4", api + "resp_1/input_items"} {
		if get(other).Key() == f.Key() {
			t.Errorf("%s is the same poll", other)
		}
	}
}

// Ollama's client sends the time in the query. It does not match at the paths of
// Ollama's API, and any other parameter does.
func TestOllamaTimeDoesNotMatch(t *testing.T) {
	t.Parallel()
	for url, same := range map[string]bool{
		"https://ollama.com/api/show?ts=": true, "https://ollama.com/api/chat?ts=": true, "https://ollama.com/api/tags?ts=": true,
		"https://slack.example/api/reactions.get?ts=": false,
	} {
		keys := map[string]bool{}
		for _, ts := range []string{"1760000000", "1760000001"} {
			keys[(&Options{}).Form(&interaction.Request{Method: "POST", URL: url + ts, Body: []byte(`{"model":"m","messages":[]}`)}).Key()] = true
		}
		if (len(keys) == 1) != same {
			t.Errorf("%s: the same whatever the time is: %v, want %v", url, len(keys) == 1, same)
		}
	}
}

func TestSelectorsOfServers(t *testing.T) {
	t.Parallel()
	for selector, names := range map[string][2]string{
		"api.example.com":           {"http/api.example.com http/api.example.com:8443", "http/x.api.example.com llm/openai.chat tool/api.example.com"},
		"api.example.com:8443":      {"http/api.example.com:8443", "http/api.example.com"},
		"https://api.example.com":   {"http/api.example.com http/api.example.com:443", "http/api.example.com:8443"},
		"https://API.example.com./": {"http/api.example.com", "http/api.example.com:8443"},
		"http://127.0.0.1:6333":     {"http/127.0.0.1:6333", "http/127.0.0.1:6334 http/localhost:6333"},
		"127.0.0.1:6333":            {"http/127.0.0.1:6333", "http/127.0.0.1"},
		"localhost":                 {"http/localhost http/localhost:6333", "http/localhost.example.com"},
		"http/API.example.com":      {"http/api.example.com", "http/api.example.com:8443"},
		"*.example.com":             {"http/api.example.com http/a.b.example.com:8443", "http/example.com http/xexample.com"},
		"http/*.example.com":        {"http/api.example.com", "http/api.example.com:8443 http/example.com"},
		"[::1]:99":                  {"http/[::1]:99", "http/[::1]"},
		"openai.chat":               {"llm/openai.chat", "llm/openai.chatt http/api.openai.com"},
		"tool":                      {"tool/search", "http/tool:1 http/tool"},
	} {
		if err := CheckSelector(selector); err != nil {
			t.Errorf("%q is refused: %v", selector, err)
		}
		for i, list := range names {
			for _, name := range strings.Fields(list) {
				if got := Selects(selector, name); got != (i == 0) {
					t.Errorf("%q selects %s: %v", selector, name, got)
				}
			}
		}
	}
	for _, selector := range []string{"", "charge_card", "tools/charge_card", "http/https://api.example.com", "tool/charge_*", "ftp://x.example.com", "https://api.example.com/v1", "http/api.example.com/v1", "http/", "https://u@api.example.com", "a b.example.com", "api.*.com"} {
		if CheckSelector(selector) == nil {
			t.Errorf("%q is not refused", selector)
		}
	}
}
