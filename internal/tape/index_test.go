package tape

import (
	"maps"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// imported returns an exchange of another tool, which may not list all headers
// of its request.
func imported(req interaction.Request, resp interaction.Response) *interaction.Interaction {
	it := exchange(req, resp)
	it.Request.UnknownHeaders = true
	return it
}

// A recording of another tool answers a request whatever headers the tool has
// left out, and only if the headers agree that it lists.
func TestUnknownHeadersOfAnotherTool(t *testing.T) {
	t.Parallel()
	const beta = "anthropic-beta"
	plain := prompt("hi")
	withBeta := withHeader(plain, beta, "b1")
	otherBeta := withHeader(plain, beta, "b2")
	tests := []struct {
		name       string
		recordings []*interaction.Interaction
		req        interaction.Request
		want       int
	}{{
		"the tool has left the header out",
		exchanges{imported(plain, says("one"))},
		withBeta, 0,
	}, {
		"the tool has written the header",
		exchanges{imported(withBeta, says("one"))},
		withBeta, 0,
	}, {
		"the tool has written another value",
		exchanges{imported(withBeta, says("one"))},
		otherBeta, missing,
	}, {
		"a recording that lists more headers comes first",
		exchanges{imported(plain, says("one")), imported(withBeta, says("two"))},
		withBeta, 1,
	}, {
		"a recording that lists all headers comes before all others",
		exchanges{imported(withBeta, says("one")), exchange(withBeta, says("two"))},
		withBeta, 1,
	}, {
		"promptecho has recorded all headers",
		exchanges{exchange(plain, says("one"))},
		withBeta, missing,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantPlayed(t, replay(t, tt.recordings...), []int{tt.want}, tt.req)
		})
	}
}

// The headers of a tool are compared once, however many of its recordings list
// the same ones.
func TestHeaderSetsAreComparedOnce(t *testing.T) {
	t.Parallel()
	withBeta := withHeader(prompt("hi"), "anthropic-beta", "b1")
	run := replay(t,
		imported(withBeta, says("one")), imported(prompt("other"), says("two")),
		imported(withBeta, says("three")), imported(prompt("more"), says("four")),
	)
	if n := len(run.index.headerSets); n != 2 {
		t.Errorf("%d sets of headers, want 2", n)
	}
}

// A request is counted once if two sets of headers lead to one recording.
func TestRecordingFoundByTwoHeaderSetsCountsOnce(t *testing.T) {
	t.Parallel()
	const beta, version = "anthropic-beta", "anthropic-version"
	withBeta := withHeader(prompt("hi"), beta, "b1")
	run := replay(t,
		imported(withBeta, says("one")),
		imported(withHeader(withHeader(prompt("other"), beta, "b1"), version, "v1"), says("two")),
	)
	var m Match
	for range 2 {
		m = send(t, run, withBeta)
	}
	if asked := run.AskedFor(&m); asked.Times != 2 || asked.Recorded != 1 {
		t.Errorf("got %+v", asked)
	}
}

// A replay keeps the order of what was recorded between a failure, or a poll,
// and the next attempt of the same request, since it does not repeat the wait
// of the client.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	const url = "https://api.example.com/jobs/1"
	poll := func() *interaction.Interaction { return exchange(get(url), says("running")) }
	busy := func() *interaction.Interaction { return exchange(prompt("hi"), fails(429)) }
	other := func() *interaction.Interaction { return exchange(prompt("other"), says("x")) }
	answer := func() *interaction.Interaction { return exchange(prompt("hi"), says("one")) }
	tests := []struct {
		name       string
		recordings []*interaction.Interaction
		want       map[int]int
	}{
		{"a failure, another request, the retry", exchanges{busy(), other(), answer()}, map[int]int{0: 2}},
		{"a failure and its retry, with nothing between them", exchanges{busy(), answer()}, nil},
		{
			"a failure and its retry next to concurrent requests",
			exchanges{overlapping(busy(), 1, 4), answer(), overlapping(other(), 2, 3)},
			map[int]int{0: 1},
		},
		{"a poll, another request, the next poll", exchanges{poll(), other(), poll()}, map[int]int{0: 2}},
		{"a prompt that is sent again after a success", exchanges{answer(), other(), answer()}, nil},
		{
			"two failures with other requests between them",
			exchanges{busy(), other(), busy(), other(), answer()},
			map[int]int{0: 2, 2: 4},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := replay(t, tt.recordings...).index.askedAgain(); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
