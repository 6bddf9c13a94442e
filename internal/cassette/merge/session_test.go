package merge

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// session returns a recorded WebSocket in which the client asks, and the server answers.
func session(question, answer string) *interaction.Interaction {
	it := &interaction.Interaction{
		Kind:    "http",
		Request: interaction.Request{Method: "GET", URL: "https://h.example/live"},
		Response: interaction.Response{Status: 101, Stream: interaction.WebSocket, Events: []interaction.Event{
			{{Name: "sent", Value: question}}, {{Name: "received", Value: answer}}, {{Name: "sent_close", Value: "1000"}},
		}},
	}
	var rules canon.Options
	it.MatchKey = rules.Form(&it.Request).Key()
	return it
}

// byHand returns a session as a person has edited it.
func byHand(question, answer string) *interaction.Interaction {
	it := session(question, answer)
	it.MatchKey = ""
	return it
}

// TestSessionsOfOneAddressMerge: sessions that two branches have recorded at one address are all
// kept, since the messages of their clients tell them apart. What both changed in one session is
// decided as for requests.
func TestSessionsOfOneAddressMerge(t *testing.T) {
	t.Parallel()
	base := session("a", "1")
	for _, tt := range []struct {
		name               string
		base, ours, theirs *cassette.File
		want               string
		conflicts          int
	}{
		{"each adds one", fileOf(base), fileOf(base, session("b", "2")), fileOf(base, session("c", "3")), "a1 c3 b2", 0},
		{"each adds one, without a base", nil, fileOf(session("b", "2")), fileOf(session("c", "3")), "c3 b2", 0},
		{"both add the same", fileOf(base), fileOf(base, session("b", "2")), fileOf(base, session("b", "2")), "a1 b2", 0},
		{"both add one, with another answer", fileOf(base), fileOf(base, session("b", "2")), fileOf(base, session("b", "3")), "a1 b2|a1 b3", 0},
		{"one records again and the other adds", fileOf(base), fileOf(session("a", "9")), fileOf(base, session("b", "2")), "a9 b2", 0},
		{"one adds in front", fileOf(base), fileOf(session("b", "2"), base), fileOf(session("a", "9")), "b2 a9", 0},
		{"one edits what the client sent", fileOf(base), fileOf(byHand("A", "1")), fileOf(base, session("b", "2")), "A1 b2", 0},
		{"both edit one", fileOf(base), fileOf(byHand("a", "2")), fileOf(byHand("a", "3")), "a2", 1},
		{"one deletes it", fileOf(base), fileOf(), fileOf(base), "", 0},
	} {
		r := merged(t, tt.base, tt.ours, tt.theirs)
		var all []string
		for _, it := range r.File.Interactions {
			events := it.Response.Events
			all = append(all, events[0][0].Value+events[1][0].Value)
		}
		got := strings.Join(all, " ")
		if !slices.Contains(strings.Split(tt.want, "|"), got) || len(r.Conflicts) != tt.conflicts {
			t.Errorf("%s: %s with %d conflicts, want %s with %d", tt.name, got, len(r.Conflicts), tt.want, tt.conflicts)
		}
	}
}
