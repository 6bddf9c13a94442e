package fakeprovider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A reply that a model could not give to the request is found, and the words say why.
func TestImplausible(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object",` +
		`"properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}}]`
	const schema = `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object",` +
		`"properties":{"n":{"enum":[1,2]}},"required":["n"]}}}`
	add := func(args string) Reply { return Reply{Calls: []Call{{Name: "add", Args: args}}} }
	twice := Reply{Calls: append(add(`{"a":1}`).Calls, add(`{"a":2}`).Calls...)}
	for _, tt := range []struct {
		name, settings string
		reply          Reply
		want           string
	}{
		{"a call", tools, add(`{"a":1}`), ""},
		{"two calls", tools, twice, ""},
		{"an unknown tool", tools, Reply{Calls: []Call{{Name: "sub"}}}, `does not offer the tool "sub"`},
		{"a member that is missing", tools, add(`{}`), "a is missing"},
		{"a member too many", tools, add(`{"a":1,"b":2}`), "b is not in the schema"},
		{"a member of another type", tools, add(`{"a":1.5}`), "a: 1.5 is no integer"},
		{"arguments that are not JSON", tools, add(`{"a":`), "are not JSON"},
		{"parallel calls", tools + `,"parallel_tool_calls":false`, twice, "forbids parallel"},
		{"no calls allowed", tools + `,"tool_choice":"none"`, add(`{"a":1}`), "forbids tool calls"},
		{"a call demanded", tools + `,"tool_choice":"required"`, Reply{Text: "hi"}, "demands a tool call"},
		{"a call demanded, and a refusal", tools + `,"tool_choice":"required"`, Reply{Refusal: "no"}, ""},
		{"JSON", schema, Reply{Text: `{"n":2}`}, ""},
		{"other JSON", schema, Reply{Text: `{"n":3}`}, "n: 3 is none of [1,2]"},
		{"no JSON", schema, Reply{Text: "three"}, "the text is not JSON"},
		{"JSON that broke off", schema, Reply{Text: `{"n`, Broken: &Problem{Status: 500}}, ""},
		{"an integer with a fraction of zero", tools, add(`{"a":1.0}`), ""},
		{"JSON that was cut", schema, Reply{Text: `{"n`, Finish: FinishLength}, ""},
	} {
		body := `{"model":"m","messages":[{"role":"user","content":"hi"}],` + tt.settings + `}`
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
		req := Read(r, []byte(body), &State{NeedsNoKey: true})
		if req.Problem != nil {
			t.Fatalf("%s: %+v", tt.name, req.Problem)
		}
		got := req.Implausible(&tt.reply)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
