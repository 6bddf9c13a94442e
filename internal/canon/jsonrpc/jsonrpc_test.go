package jsonrpc

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// TestRelink: an answer gets the id of the call that it answers now, in its place and its
// layout; what is no answer keeps its own.
func TestRelink(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, recorded, asked, answer, want string }{
		{"a call", `{"id":1,"method":"m"}`, `{"method":"m","id":7}`, `{ "id": 1, "result": {"id":1} }`, `{ "id": 7, "result": {"id":1} }`},
		{"a text for a number", `{"id":1,"method":"m"}`, `{"id":"a","method":"m"}`, `{"result":1,"id":1}`, `{"result":1,"id":"a"}`},
		{"a batch", `[{"id":1,"method":"a"},{"id":2,"method":"b"}]`, `[{"id":5,"method":"a"},{"id":6,"method":"b"}]`, `[{"id":2,"result":0},{"id":1,"result":0}]`, `[{"id":6,"result":0},{"id":5,"result":0}]`},
		{"the same id", `{"id":1,"method":"m"}`, `{"id":1,"method":"m"}`, `{"id":1,"result":0}`, `{"id":1,"result":0}`},
		{"a request of the server", `{"id":1,"method":"m"}`, `{"id":7,"method":"m"}`, `{"id":1,"method":"sampling"}`, `{"id":1,"method":"sampling"}`},
		{"a number and a text", `{"id":1,"method":"m"}`, `{"id":7,"method":"m"}`, `{"id":"1","result":0}`, `{"id":"1","result":0}`},
		{"no JSON", `{"id":1,"method":"m"}`, `{"id":7,"method":"m"}`, `{"id":1`, `{"id":1`},
	} {
		got := IDsOf(&interaction.Request{Body: []byte(tt.recorded)}, &interaction.Request{Body: []byte(tt.asked)}).Relink([]byte(tt.answer))
		if string(got) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestCallIDs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"id":1,"method":"m"}`:              {"1"},
		`[{"id":"a"},{"id":2},{"method":1}]`: {`"a"`, "2"},
		`{"params":{"id":1}}`:                nil,
		`no JSON`:                            nil,
	} {
		if got := CallIDs([]byte(body)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}
