package tape

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence"
)

// A timedRecording is a recording of a request with a seed, and when it was
// under way. One without a seed is of a request with another match key.
type timedRecording struct {
	seed         string
	outcome      outcome
	asked, ended int
}

// A turn is a request that can be canceled, and what is over before it comes.
type turn struct {
	over    []int // the numbers of recordings
	seed    string
	repeats bool
	rule    rule
	number  int
}

// A request gets a canceled recording if the program is going to cancel it.
func TestCanceledRequestIsCanceledAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		recordings []timedRecording
		turns      []turn
	}{{
		"the slower of two hedged requests is canceled",
		[]timedRecording{{"1", answered, 1, 4}, {"1", canceled, 2, 3}},
		[]turn{
			{seed: "1", rule: sameTraits, number: 0},
			{seed: "1", rule: canceledInTurn, number: 1},
		},
	}, {
		"the second request comes when the first one has its response",
		[]timedRecording{{"1", answered, 1, 4}, {"1", canceled, 2, 3}},
		[]turn{
			{seed: "1", rule: sameTraits, number: 0},
			{seed: "1", over: []int{0}, rule: canceledAnyTime, number: 1},
		},
	}, {
		"two of three hedged requests are answered",
		[]timedRecording{{"1", answered, 1, 6}, {"1", canceled, 2, 5}, {"1", answered, 3, 4}},
		[]turn{
			{seed: "1", rule: sameTraits, number: 0},
			{seed: "1", rule: sameTraits, number: 2},
			{seed: "1", rule: canceledInTurn, number: 1},
		},
	}, {
		"another request that overlaps is about to make the program cancel",
		[]timedRecording{{"", answered, 1, 4}, {"1", canceled, 2, 3}, {"1", answered, 5, 6}},
		[]turn{
			{seed: "1", rule: canceledInTurn, number: 1},
			{seed: "1", rule: sameTraits, number: 2},
		},
	}, {
		"the other request that overlapped is over",
		[]timedRecording{{"", answered, 1, 4}, {"1", canceled, 2, 3}, {"1", answered, 5, 6}},
		[]turn{{seed: "1", over: []int{0}, rule: sameTraits, number: 2}},
	}, {
		"a response that was recorded first comes first",
		[]timedRecording{{"1", answered, 1, 2}, {"1", canceled, 3, 4}},
		[]turn{
			{seed: "1", rule: sameTraits, number: 0},
			{seed: "1", rule: canceledInTurn, number: 1},
		},
	}, {
		"AllowRepeats plays the last response again instead of a canceled one",
		[]timedRecording{{"1", answered, 1, 2}, {"1", canceled, 3, 4}},
		[]turn{
			{seed: "1", repeats: true, rule: sameTraits, number: 0},
			{seed: "1", repeats: true, rule: repeated, number: 0},
		},
	}, {
		"a canceled request with another seed is not meant",
		[]timedRecording{{"1", canceled, 1, 2}, {"2", answered, 3, 4}},
		[]turn{{seed: "2", rule: sameTraits, number: 1}},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, sequence := timedCandidates(tt.recordings)
			for i, turn := range tt.turns {
				for _, number := range turn.over {
					sequence.Ask(number, nil, false).Leave()
				}
				req := requestOf(askedMembers{members: `"seed":` + turn.seed})
				req.digest = 0 // so that traits decide
				req.cancelable = true
				req.repeats = turn.repeats
				req.sequence = sequence

				chosen := c.choose(req)
				c.markPlayed(chosen, req)
				if chosen.rule != turn.rule {
					t.Errorf("request %d: rule %q, want %q", i, chosen.rule, turn.rule)
				}
				if chosen.recording == nil {
					t.Fatalf("request %d: nothing is left", i)
				}
				if played := chosen.recording.number; played != turn.number {
					t.Errorf("request %d: played %d, want %d", i, played, turn.number)
				}
			}
		})
	}
}

// timedCandidates returns the candidates among recordings, and the recorded
// sequence of all of them.
func timedCandidates(recordings []timedRecording) (*candidates, *sequence.Sequence) {
	c := &candidates{allEqual: true}
	for i, r := range recordings {
		if r.seed == "" {
			continue
		}
		rec := &Recording{entry: entry{of: testSource, number: i, outcome: r.outcome}}
		sent := interaction.Interaction{Request: chat(`"seed":` + r.seed)}
		rec.content.interaction.Store(&sent)
		c.add(rec)
	}
	c.readRequests(func() map[uint64]bool { return nil })
	c.sortByTraits()

	calls := make([]sequence.Call, len(recordings))
	for i, r := range recordings {
		calls[i].Moments = &interaction.Moments{Asked: r.asked, Answered: r.ended, Ended: r.ended}
	}
	return c, sequence.New(calls)
}

// A request gets a canceled recording in its turn only if that is a recording
// of the very same request.
func TestCanceledRecordingOfAnotherRequest(t *testing.T) {
	t.Parallel()
	const (
		host      = "https://a.example.com/v1/chat/completions"
		otherHost = "https://b.example.com/v1/chat/completions"
		user      = "x-amzn-bedrock-agentcore-runtime-user-id"
	)
	to := func(url string, members ...string) interaction.Request {
		req := prompt("hi", members...)
		req.URL = url
		return req
	}
	tests := []struct {
		name       string
		recordings []*interaction.Interaction
		req        interaction.Request
		want       int
	}{{
		"the first provider was canceled, and the second one is asked",
		exchanges{exchange(to(host), isCanceled()), exchange(to(otherHost), says("one"))},
		to(otherHost), 1,
	}, {
		"the first provider is asked",
		exchanges{exchange(to(host), isCanceled()), exchange(to(host), says("one"))},
		to(host), 0,
	}, {
		"the canceled request had a seed, and this one has none",
		exchanges{exchange(prompt("hi", `"seed":1`), isCanceled()), exchange(prompt("hi"), says("one"))},
		prompt("hi"), 1,
	}, {
		"the canceled request had a header, and this one has none",
		exchanges{
			exchange(withHeader(prompt("hi"), user, "red"), isCanceled()),
			exchange(prompt("hi"), says("one")),
		},
		prompt("hi"), 1,
	}, {
		"a local server has another port in this run",
		exchanges{exchange(get(serverA+"/x"), isCanceled()), exchange(get(serverA+"/x"), says("one"))},
		get("http://127.0.0.1:9000/x"), 0,
	}, {
		"two local servers are told apart by their ports",
		exchanges{exchange(get(serverA+"/x"), isCanceled()), exchange(get(serverB+"/x"), says("one"))},
		get(serverB + "/x"), 1,
	}, {
		"another sample that ran at the same time is no hedge of this one",
		exchanges{
			overlapping(sampled(`"seed":2`, "failed"), 1, 4),
			overlapping(exchange(sample(`"seed":1`), isCanceled()), 2, 3),
			overlapping(sampled(`"seed":1`, "one"), 5, 6),
		},
		sample(`"seed":1`), 1,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, tt.recordings...)
			m := take(t, run, Call{Request: tt.req, Cancelable: true})
			if numberOf(m) != tt.want {
				t.Errorf("recording %d, want %d", numberOf(m), tt.want)
			}
		})
	}
}
