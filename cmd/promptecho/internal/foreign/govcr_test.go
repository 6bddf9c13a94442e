package foreign

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// readOne reads a cassette with one interaction.
func readOne(t *testing.T, text string) (*interaction.Interaction, *Cassette) {
	t.Helper()
	c, err := Read("c", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if c == nil || len(c.Interactions) != 1 {
		t.Fatalf("read as %+v, want one interaction\n%s", c, text)
	}
	return c.Interactions[0], c
}

// go-vcr writes what http.Request.ParseForm has read, and since v4.0.2 that is the query, too.
// Only the values that came from the body are the body.
func TestGoVCRFormWithoutTheQuery(t *testing.T) {
	t.Parallel()
	const formType = "{Content-Type: [application/x-www-form-urlencoded]}"
	for _, tt := range []struct{ name, method, query, form, headers, want string }{
		{"GET with a query", "GET", "?limit=10", "{limit: ['10']}", "{}", ""},
		{"DELETE with a query", "DELETE", "?force=1", "{force: ['1']}", "{}", ""},
		{"POST with a query and no body", "POST", "?v=2", "{v: ['2']}", "{}", ""},
		{"POST of JSON that a hook emptied", "POST", "?v=2", "{v: ['2']}", "{Content-Type: [application/json]}", ""},
		{"POST with a form", "POST", "", "{b: ['2 3'], a: ['1']}", formType, "a=1&b=2+3"},
		{"POST with a form and a query", "POST", "?v=2", "{a: ['1'], v: ['9', '2']}", formType, "a=1&v=9"},
		{"a query of which form has nothing: before v4.0.2", "POST", "?v=2", "{a: ['1']}", formType, "a=1"},
		{"a query of which form has a part only", "POST", "?v=2&w=3", "{w: ['3']}", formType, "w=3"},
		{"PATCH with a form, whose type a hook removed", "PATCH", "?v=2", "{a: ['1'], v: ['2']}", "{}", "a=1"},
	} {
		it, _ := readOne(t, "---\nversion: 2\ninteractions:\n    - id: 0\n      request:\n        body: \"\"\n        form: "+tt.form+
			"\n        headers: "+tt.headers+"\n        url: https://h.example/x"+tt.query+"\n        method: "+tt.method+
			"\n      response:\n        body: ok\n        headers: {}\n        code: 200\n")
		if got := string(it.Request.Body); got != tt.want {
			t.Errorf("%s: the body is %q, want %q", tt.name, got, tt.want)
		}
		if strings.HasPrefix(tt.headers, "{}") && tt.want == "" && it.Request.Headers.Get("content-type") != "" {
			t.Errorf("%s: a type was added for no body: %v", tt.name, it.Request.Headers)
		}
	}
}
