package canon

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// TestSelects: a selector names requests by their kind and by what they ask.
func TestSelects(t *testing.T) {
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
		{&chat, "llm/openai.chat", []string{"llm", "llm/openai.chat", "llm/*", "*/openai.chat", "*", "**"}, []string{"http", "openai.chat", "llm/openai", "llm/openai.chat/more", ""}},
		{&other, "http/api.example.com", []string{"http", "http/api.example.com"}, []string{"llm", "http/example.com", "http/API.example.com"}},
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
