package matching_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A batch of JSON-RPC calls matches with other IDs, and each answer has the ID of its call.
func TestAnswersOfABatchHaveTheIDsOfItsCalls(t *testing.T) {
	t.Parallel()
	// batch returns a batch of two calls: methods, then IDs.
	batch := func(first, second string, firstID, secondID any) must.Request {
		const call = `{"jsonrpc":"2.0","id":%v,"method":%q}`
		body := fmt.Sprintf("["+call+","+call+"]", firstID, first, secondID, second)
		return must.Request{URL: "https://s.example/mcp", Body: body}
	}
	file := must.RecordAnswers(t,
		[]string{`[{"jsonrpc":"2.0","id":2,"result":"b"},{"jsonrpc":"2.0","id":1,"result":"a"}]`},
		[]must.Request{batch("a", "b", 1, 2)})

	r := replay(t, file)
	if got := batch("b", "a", 1, 2).Ask(t, r); !isMiss(got) {
		t.Errorf("the calls in another order: %s", got)
	}
	r.Close()

	r = replay(t, file)
	want := `[{"jsonrpc":"2.0","id":"x","result":"b"},{"jsonrpc":"2.0","id":2,"result":"a"}]`
	if got := batch("a", "b", 2, `"x"`).Ask(t, r); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	must.Close(t, r)
}

// Polls of a JSON-RPC client play in order when further calls have shifted all their IDs.
func TestPollsWithShiftedIDsStayInOrder(t *testing.T) {
	t.Parallel()
	list := func(id int) must.Request {
		return must.RPC("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tools/list"`, id))
	}
	poll := func(id int) must.Request {
		return must.RPC("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tasks/get"`, id))
	}
	answers := []string{`{"result":"tools"}`, `{"result":"pending"}`, `{"result":"pending"}`, `{"result":"done"}`}
	file := must.RecordAnswers(t, answers, []must.Request{list(1), poll(2), poll(3), poll(4)})
	tests := []struct {
		name  string
		lists []must.Request
		polls []must.Request
	}{{
		name:  "as recorded",
		lists: []must.Request{list(1)},
		polls: []must.Request{poll(2), poll(3), poll(4)},
	}, {
		name:  "one call more",
		lists: []must.Request{list(1), list(2)},
		polls: []must.Request{poll(3), poll(4), poll(5)},
	}, {
		name:  "two calls more",
		lists: []must.Request{list(1), list(2), list(3)},
		polls: []must.Request{poll(4), poll(5), poll(6)},
	}, {
		name:  "one call less",
		polls: []must.Request{poll(1), poll(2), poll(3)},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := replay(t, file, promptecho.AllowRepeats(), promptecho.AllowUnused())
			for _, req := range tt.lists {
				req.Ask(t, r)
			}
			var got []string
			for _, req := range tt.polls {
				got = append(got, req.Ask(t, r))
			}
			if !slices.Equal(got, answers[1:]) {
				t.Errorf("got %q", got)
			}
			must.Close(t, r)
		})
	}
	t.Run("recorded IDs in another order", func(t *testing.T) {
		r := replay(t, file, promptecho.AllowUnused())
		if got := poll(4).Ask(t, r); got != answers[3] {
			t.Errorf("the last poll got %s", got)
		}
		if got := poll(2).Ask(t, r); got != answers[1] {
			t.Errorf("the first poll got %s", got)
		}
		must.Close(t, r)
	})
}
