package tape

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// answerWith returns a response that calls a tool under an ID.
func answerWith(id string) interaction.Response {
	const text = `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":` +
		`[{"id":%q,"type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`
	return interaction.Response{Status: 200, Body: fmt.Appendf(nil, text, id)}
}

// followUp returns a request that sends back the ID of a tool call.
func followUp(id string, members ...string) interaction.Request {
	req := prompt("hi", members...)
	req.Body = fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":"hi"},`+
		`{"role":"assistant","content":null,"tool_calls":[{"id":%[1]q,"type":"function",`+
		`"function":{"name":"f","arguments":"{}"}}]},`+
		`{"role":"tool","tool_call_id":%[1]q,"content":"ok"}]%[2]s}`, id, memberText(members))
	return req
}

func memberText(members []string) (text string) {
	for _, member := range members {
		text += "," + member
	}
	return text
}

// The IDs of two agents that send the same requests.
const (
	firstID  = "call_a1b2c3d4e5"
	secondID = "call_f6g7h8i9j0"
)

// Two concurrent agents that send the same requests are told apart by the IDs
// that their first responses gave them.
func TestConversationsAreToldApartByIssuedIDs(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(prompt("hi"), answerWith(firstID)),
		exchange(prompt("hi"), answerWith(secondID)),
		exchange(followUp(firstID), says("first")),
		exchange(followUp(secondID), says("second")),
	)
	const limit = `"max_tokens":9` // other bytes than recorded
	wantPlayed(t, run, []int{0, 1, 3, 2},
		prompt("hi"), prompt("hi"), followUp(secondID, limit), followUp(firstID, limit))
}

// One conversation is told apart from a request with an ID that the client has
// made itself.
func TestSingleIssuedID(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(prompt("hi"), answerWith(firstID)),
		exchange(followUp(firstID), says("first")),
		exchange(followUp(secondID), says("second")),
	)
	const limit = `"max_tokens":9`
	wantPlayed(t, run, []int{0, 2, 1},
		prompt("hi"), followUp(secondID, limit), followUp(firstID, limit))
}

// An ID counts as issued if a response had it before any request, and if it
// tells requests with one match key apart.
func TestIssuedIDs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		exchanges []*interaction.Interaction
		want      int
	}{{
		"the responses gave out the IDs of two conversations",
		exchanges{
			exchange(prompt("hi"), answerWith(firstID)),
			exchange(prompt("hi"), answerWith(secondID)),
			exchange(followUp(firstID), says("first")),
			exchange(followUp(secondID), says("second")),
		},
		2,
	}, {
		"the client drew the first ID, and the server repeated it",
		exchanges{
			exchange(followUp(firstID), answerWith(firstID)),
			exchange(followUp(secondID), answerWith("call_z9z9z9z9z9")),
		},
		0,
	}, {
		"one conversation goes on: its ID tells nothing apart",
		exchanges{
			exchange(prompt("hi"), answerWith(firstID)),
			exchange(followUp(firstID, `"seed":1`), says("first")),
			exchange(followUp(firstID, `"seed":2`), says("second")),
		},
		0,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, tt.exchanges...)
			if issued := run.issued(); len(issued) != tt.want {
				t.Errorf("%d IDs: %v", len(issued), slices.Collect(maps.Keys(issued)))
			}
		})
	}
}

// What this run records gives out no IDs of the cassette.
func TestFreshRecordingsIssueNothing(t *testing.T) {
	t.Parallel()
	run := update(t,
		exchange(followUp(firstID), says("first")),
		exchange(followUp(secondID), says("second")),
	)
	recordCall(t, run, prompt("hi"), answerWith(firstID))
	if issued := run.issued(); len(issued) != 0 {
		t.Errorf("%d IDs", len(issued))
	}
}

// A request that was canceled and sent again is canceled first, although it has
// an ID that tells apart other requests of the cassette.
func TestCanceledRequestWithAnIssuedID(t *testing.T) {
	t.Parallel()
	canceledRequest := followUp(firstID)
	canceledRequest.URL = "https://api.openai.com/v1/completions"
	run := replay(t,
		exchange(prompt("hi"), answerWith(firstID)),
		exchange(prompt("hi"), answerWith(secondID)),
		exchange(followUp(firstID), says("first")),
		exchange(followUp(secondID), says("second")),
		exchange(canceledRequest, isCanceled()),
		exchange(canceledRequest, says("again")),
	)
	if len(run.issued()) != 2 {
		t.Fatal("the IDs are issued")
	}
	for i, want := range []int{4, 5} {
		m := take(t, run, Call{Request: canceledRequest, Cancelable: true})
		if numberOf(m) != want {
			t.Errorf("request %d: recording %d, want %d", i, numberOf(m), want)
		}
	}
}
