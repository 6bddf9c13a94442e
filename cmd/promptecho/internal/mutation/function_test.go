package mutation

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// called returns a call of a function with this result.
func called(result string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Function: "tool/weather", Body: []byte(`{"city":"Oslo"}`)},
		Response: interaction.Response{Body: []byte(result)},
	}
}

// changes returns the changes of a kind in a few words.
func changes(it *interaction.Interaction, kind Kind) string {
	var list []string
	for _, m := range Of(it, Options{}) {
		if m.Kind == kind {
			list = append(list, m.What)
		}
	}
	return strings.Join(list, "; ")
}

// Each part of a function's result is changed to another value of its type.
func TestResultOfFunctionIsChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		result string
		kind   Kind
		want   string
	}{
		{`"sunny"`, OtherText, `weather: "sunny" -> "It depends."`},
		{`7`, FieldValue, `weather: 7 -> 8`},
		{`true`, FieldValue, `weather: true -> false`},
		{`["a"]`, FieldValue, `weather: ["a"] -> []`},
		{`[{"a":1},{"a":2}]`, FieldValue, `weather: [{"a":1},{"a":2}] -> []; weather: 0/a: 1 -> 2`},
		{`{"sky":"sunny","temp":7.5,"nothing":null,"days":[]}`, FieldValue,
			`weather: sky: "sunny" -> "It depends."; weather: temp: 7.5 -> 8.5`},
		{`{"at":"2026-11-30T08:00:00Z","day":"2026-11-30","n":"41","id":"0c1f-4fbe"}`, FieldValue,
			`weather: at: "2026-11-30T08:00:00Z" -> "2026-12-01T08:00:00Z"; weather: day: "2026-11-30" -> "2026-12-01"; ` +
				`weather: n: "41" -> "42"; weather: id: "0c1f-4fbe" -> "0c1f-4fb0"`},
		{`null`, FieldValue, ``},
	} {
		it := called(tt.result)
		if got := changes(it, tt.kind); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.result, got, tt.want)
		}
		if got := payloadsOf(made(t, it, Control)); got != tt.result {
			t.Errorf("%s: the control is %s", tt.result, got)
		}
	}
	resp := made(t, called(`{"a":{"b":1},"c":2}`), FieldValue)
	if string(resp.Body) != `{"a":{},"c":2}` {
		t.Errorf("got %s", resp.Body)
	}
}

// A function that has returned a result returns an error instead.
func TestFunctionFails(t *testing.T) {
	t.Parallel()
	resp := made(t, called(`"sunny"`), ToolError)
	if resp.Error == "" || len(resp.Body) > 0 {
		t.Errorf("got %q and %s", resp.Error, resp.Body)
	}
}

// The error of a function has another text, and wraps the same errors.
func TestErrorOfFunctionIsChanged(t *testing.T) {
	t.Parallel()
	it := called("")
	it.Response.Error = "reading: EOF"
	it.Response.ErrorIs = []string{"EOF"}
	resp := made(t, it, OtherText)
	if resp.Error == "reading: EOF" || len(resp.ErrorIs) != 1 {
		t.Errorf("got %q, %q", resp.Error, resp.ErrorIs)
	}
	if hasKind(it, ToolError) {
		t.Error("an error is replaced by an error")
	}
}

// No result of a function stops the command.
func FuzzFunction(f *testing.F) {
	f.Add(`[[1],{"a":{}}]`)
	f.Add(`{"a":"2026-11-30","a":"-"}`)
	f.Fuzz(func(_ *testing.T, result string) { makeAll(called(result)) })
}
