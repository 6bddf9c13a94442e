package canon

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
)

func TestLinesAreThoseOfAForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Line{
		`{"b":[1.0,{"c":"\u0061\"\n"}],"a":null,"e":{}}`: {{"a", "null"}, {"b/0", "1"}, {"b/1/c", `"a\"\n"`}, {"e", "{}"}},
		`[true,[]]`: {{"0", "true"}, {"1", "[]"}},
		`"x"`:       {{"", `"x"`}},
		`{}`:        nil,
		`[]`:        nil,
	} {
		v, err := exactjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := Lines(&v); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRequestsWithSideEffectsAreNotRepeatable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url, body string
		want      bool
	}{
		{chatURL, `{"model":"m","messages":[]}`, true},
		{responsesURL, `{"model":"m","input":"x"}`, true},
		{responsesURL, `{"model":"m","input":"x","conversation":null}`, true},
		{responsesURL, `{"model":"m","input":"x","conversation":"conv_1"}`, false},
		{"https://h/v1/messages/batches", `{"requests":[]}`, false},
		{"https://h/v1/conversations", `{"inputs":"x"}`, true},
		{"https://h/v1/conversations/c", `{"inputs":"x"}`, false},
		{"https://h/models/veo:predictLongRunning", `{"instances":[]}`, false},
		{"https://h/v1beta/interactions", `{"agent":"deep-research","input":"x"}`, false},
		{"https://h/models/o/m/predictions", `{"input":{},"webhook":"https://me"}`, false},
		{"https://h/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, false},
		{"https://h/mcp", `[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]`, false},
		{"https://h/oauth2/token", `{"grant_type":"refresh_token"}`, false},
		{"https://h/pay", `{"model":"m"}`, false},
	} {
		if f := form(t, Options{}, tt.url, tt.body); f.Repeatable() != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.url, tt.body, f.Repeatable(), tt.want)
		}
	}
	if (&Form{}).Repeatable() {
		t.Error("a form of nothing is repeatable")
	}
}
