package canon

import (
	"fmt"
	"strings"
	"testing"
)

// callsOf returns a request of the chat API in which the model has called a tool
// twice, with these arguments.
func callsOf(first, second string) string {
	call := func(id, args string) string {
		return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":%q}}`, id, args)
	}
	return `{"model":"m","messages":[{"role":"user","content":"q"},` +
		`{"role":"assistant","tool_calls":[` + call("a", first) + `,` + call("b", second) + `]},` +
		`{"role":"tool","tool_call_id":"a","content":"1"},` +
		`{"role":"tool","tool_call_id":"b","content":"1"}]}`
}

// The order in which parallel calls and their results were sent does not match,
// and a report shows it.
func TestOrderOfParallelCallsIsReported(t *testing.T) {
	t.Parallel()
	one := form(t, Options{}, chatURL, callsOf(`{"x":1}`, `{"x":2}`))
	other := form(t, Options{}, chatURL, callsOf(`{"x":2}`, `{"x":1}`))
	if one.Text() != other.Text() {
		t.Errorf("two orders of calls do not match:\n%s\n\n%s", one.Text(), other.Text())
	}
	orders := func(f *Form) string {
		var all []string
		for _, line := range f.Orders {
			all = append(all, line.Path+" "+line.Value)
		}
		return strings.Join(all, "\n")
	}
	const path = "body/messages/order "
	if got, want := orders(one), path+`"call f#1, call f#2, result #1, result #2"`; got != want {
		t.Errorf("sent in order: %s, want %s", got, want)
	}
	if got, want := orders(other), path+`"call f#2, call f#1, result #2, result #1"`; got != want {
		t.Errorf("sent in another order: %s, want %s", got, want)
	}
}

// A field that the user ignores does not decide the order of parallel calls, so
// it cannot decide which call gets which ID.
func TestIgnoredArgumentsDoNotSortCalls(t *testing.T) {
	t.Parallel()
	ask := func(first, second int) string {
		return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"q"},`+
			`{"role":"assistant","content":[`+
			`{"type":"tool_use","id":"a","name":"f","input":{"time":%d,"x":"first"}},`+
			`{"type":"tool_use","id":"b","name":"f","input":{"time":%d,"x":"second"}}]},`+
			`{"role":"user","content":[`+
			`{"type":"tool_result","tool_use_id":"a","content":"1"},`+
			`{"type":"tool_result","tool_use_id":"b","content":"2"}]}]}`, first, second)
	}
	for name, tt := range map[string]struct {
		options Options
		same    bool
	}{
		"without the option":  {Options{}, false},
		"the time is ignored": {Options{Ignore: []string{"messages/*/content/*/input/time"}}, true},
	} {
		a := form(t, tt.options, messagesURL, ask(1, 2))
		b := form(t, tt.options, messagesURL, ask(4, 3))
		if same := a.Text() == b.Text(); same != tt.same {
			t.Errorf("%s: same is %v\n%s\n\n%s", name, same, a.Text(), b.Text())
		}
	}
}

// A tool may have nothing to say: its result is an empty text.
func TestEmptyResultOfATool(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","messages":[{"role":"user","content":"q"},{"role":"tool","tool_call_id":"a","content":"RESULT"}]}`
	ask := func(result string) string {
		return form(t, Options{}, chatURL, strings.Replace(body, "RESULT", result, 1)).Text()
	}
	if ask("") == ask("{}") {
		t.Error("an empty result matches an empty object")
	}
}
