package tape

import (
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A conflictTest is requests of a replay that are sent one after the other, and
// the conflicts that the user is told.
type conflictTest struct {
	name       string
	recordings []*interaction.Interaction
	requests   []interaction.Request
	want       []conflictNumbers
}

// conflictNumbers are the numbers of the recordings of a conflict.
type conflictNumbers struct {
	recording, instead int
	isOutOfOrder       bool
}

// The body of one prompt as two clients escape it.
const (
	plainSlash   = `"user":"a/b"`
	escapedSlash = `"user":"a\/b"`
)

func sample(member string) interaction.Request { return prompt("hi", member) }

func sampled(member, answer string) *interaction.Interaction {
	return exchange(sample(member), says(answer))
}

// elsewhere returns a request to another provider.
func elsewhere(req interaction.Request) interaction.Request {
	req.URL = "https://gateway.example.com/v1/chat/completions"
	return req
}

var conflictTests = []conflictTest{{
	name: "a recording was played for another seed, and its own request came later",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":2`, "two"),
	},
	requests: []interaction.Request{sample(`"seed":3`), sample(`"seed":1`)},
	want:     []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "the own request comes twice, which is one conflict",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":2`, "two"), sampled(`"seed":4`, "three"),
	},
	requests: []interaction.Request{sample(`"seed":3`), sample(`"seed":1`), sample(`"seed":1`)},
	want:     []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "the two responses are the same, so nobody got a wrong one",
	recordings: exchanges{
		sampled(`"seed":1`, "yes"), sampled(`"seed":2`, "yes"),
	},
	requests: []interaction.Request{sample(`"seed":3`), sample(`"seed":1`)},
}, {
	name: "nothing was left for the own request: the miss says so",
	recordings: exchanges{
		sampled(`"seed":1`, "one"),
	},
	requests: []interaction.Request{sample(`"seed":3`), sample(`"seed":1`)},
}, {
	name: "the own request is sent twice, and the second one has its response",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":1`, "two"), sampled(`"seed":2`, "three"),
	},
	requests: []interaction.Request{sample(`"seed":3`), sample(`"seed":1`)},
	want:     []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "all recordings are of one request, and the first one was played for another seed",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":1`, "two"),
	},
	requests: []interaction.Request{sample(`"seed":3`), sample(`"seed":1`)},
	want:     []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "the program was changed, and its requests still differ in the seed",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":2`, "two"),
	},
	requests: []interaction.Request{
		sample(`"seed":3`), prompt("hi", `"seed":1`, `"max_tokens":9`),
	},
	want: []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "another limit in all requests is no conflict",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":1`, "two"), sampled(`"seed":2`, "three"),
	},
	requests: []interaction.Request{
		prompt("hi", `"seed":1`, `"max_tokens":9`), prompt("hi", `"seed":1`, `"max_tokens":9`),
	},
}, {
	name: "a request that is sent more often than recorded takes another seed's recording",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":2`, "two"),
	},
	requests: []interaction.Request{sample(`"seed":2`), sample(`"seed":2`)},
}, {
	name: "two clients that escape differently send in another order",
	recordings: exchanges{
		sampled(plainSlash, "one"), sampled(escapedSlash, "two"),
	},
	requests: []interaction.Request{sample(escapedSlash), sample(escapedSlash)},
	want:     []conflictNumbers{{recording: 0, instead: 0, isOutOfOrder: true}},
}, {
	name: "two clients that escape differently have the same response",
	recordings: exchanges{
		sampled(plainSlash, "yes"), sampled(escapedSlash, "yes"),
	},
	requests: []interaction.Request{sample(escapedSlash), sample(escapedSlash)},
}, {
	name: "the client that escapes differently comes later",
	recordings: exchanges{
		sampled(plainSlash, "one"), sampled(escapedSlash, "two"), sampled(plainSlash, "three"),
	},
	requests: []interaction.Request{
		sample(escapedSlash), sample(escapedSlash), sample(plainSlash),
	},
	want: []conflictNumbers{
		{recording: 0, instead: 0, isOutOfOrder: true},
		{recording: 0, instead: 2},
	},
}, {
	name: "a local server has another port in each run",
	recordings: exchanges{
		exchange(get("http://127.0.0.1:1/x"), says("one")),
		exchange(get("http://127.0.0.1:1/x"), says("two")),
	},
	requests: []interaction.Request{get("http://127.0.0.1:2/x"), get("http://127.0.0.1:1/x")},
}, {
	name: "two local servers are recorded, and a third one is asked first",
	recordings: exchanges{
		exchange(get(serverA+"/x"), says("one")), exchange(get(serverB+"/x"), says("two")),
	},
	requests: []interaction.Request{get("http://127.0.0.1:8003/x"), get(serverA + "/x")},
	want:     []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "another provider is asked first",
	recordings: exchanges{
		sampled(`"seed":1`, "one"), sampled(`"seed":1`, "two"),
	},
	requests: []interaction.Request{elsewhere(sample(`"seed":1`)), sample(`"seed":1`)},
	want:     []conflictNumbers{{recording: 0, instead: 1}},
}, {
	name: "a request that was canceled and sent again, and cannot be canceled now",
	recordings: exchanges{
		exchange(sample(`"seed":1`), isCanceled()), sampled(`"seed":1`, "one"),
	},
	requests: []interaction.Request{sample(`"seed":1`), sample(`"seed":1`)},
}}

// A conflict is reported if a recording answered another request than its own,
// and its own request then got another response.
func TestConflictIsReported(t *testing.T) {
	t.Parallel()
	for _, tt := range conflictTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, tt.recordings...)
			for _, req := range tt.requests {
				send(t, run, req)
			}
			conflicts := run.Conflicts()
			if len(conflicts) != len(tt.want) {
				t.Fatalf("%d conflicts, want %d", len(conflicts), len(tt.want))
			}
			for i, c := range conflicts {
				got := conflictNumbers{c.Recording.Number(), c.Instead.Number(), c.IsOutOfOrder()}
				if got != tt.want[i] {
					t.Errorf("conflict %d: got %+v, want %+v", i, got, tt.want[i])
				}
			}
		})
	}
}

// A conflict names the most important field in which the two requests differ:
// one in which the recordings differ, too, and a host before a seed.
func TestConflictNamesTheField(t *testing.T) {
	t.Parallel()
	to := func(host, member string) interaction.Request {
		req := sample(member)
		req.URL = "https://" + host + "/v1/chat/completions"
		return req
	}
	tests := []struct {
		name          string
		first, second interaction.Request // recorded
		other         interaction.Request // gets the first one
		want          string
	}{
		{"the seed", to("a", `"seed":1`), to("a", `"seed":2`), to("a", `"seed":3`), "body/seed"},
		{"the host before the seed", to("a", `"seed":1`), to("b", `"seed":2`), to("c", `"seed":3`), "host"},
		{"the seed, since all recordings have one host", to("a", `"seed":1`), to("a", `"seed":2`), to("c", `"seed":3`), "body/seed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, exchange(tt.first, says("one")), exchange(tt.second, says("two")))
			wantPlayed(t, run, []int{0, 1}, tt.other, tt.first)
			conflicts := run.Conflicts()
			if len(conflicts) != 1 || conflicts[0].Field.Path != tt.want {
				t.Errorf("got %+v", conflicts)
			}
		})
	}
}

// A request that the program cancels, as it did when recorded, is in no
// conflict, since it needs no response.
func TestCanceledRequestIsInNoConflict(t *testing.T) {
	t.Parallel()
	run := replay(t,
		sampled(`"seed":1`, "one"),
		exchange(sample(`"seed":1`), isCanceled()),
	)
	send(t, run, sample(`"seed":3`))
	m := take(t, run, Call{Request: sample(`"seed":1`), Cancelable: true})
	if numberOf(m) != 1 || m.conflict != nil {
		t.Errorf("got recording %d and conflict %+v", numberOf(m), m.conflict)
	}
}

// A canceled recording that is played for another request leads to no conflict,
// since it has no response that could be wrong.
func TestCanceledRecordingIsInNoConflict(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(sample(`"seed":1`), isCanceled()))
	if m := send(t, run, sample(`"seed":2`)); numberOf(m) != 0 {
		t.Fatalf("got recording %d", numberOf(m))
	}
	m := send(t, run, sample(`"seed":1`))
	if m.conflict != nil || run.AskedFor(&m).Conflict != nil {
		t.Errorf("got conflict %+v", m.conflict)
	}
}

// A poll that AllowRepeats plays again, for a request with another seed, is in
// no conflict: its own request has got it.
func TestRepeatedPollIsInNoConflict(t *testing.T) {
	t.Parallel()
	run := replay(t, sampled(`"seed":1`, "one"))
	run.Config.Repeats = canon.Selectors{"llm"}
	for i, member := range []string{`"seed":1`, `"seed":3`, `"seed":1`} {
		m := send(t, run, sample(member))
		if numberOf(m) != 0 || m.conflict != nil {
			t.Errorf("request %d: recording %d, conflict %+v", i, numberOf(m), m.conflict)
		}
	}
}

// The miss of a request names the request that got its recording.
func TestMissNamesTheConflict(t *testing.T) {
	t.Parallel()
	t.Run("nothing is left", func(t *testing.T) {
		t.Parallel()
		run := replay(t, sampled(`"seed":1`, "one"))
		other := send(t, run, sample(`"seed":3`))
		m := send(t, run, sample(`"seed":1`))
		asked := run.AskedFor(&m)
		if asked.Conflict == nil || asked.Conflict.Recording != other.Recording {
			t.Errorf("got %+v", asked.Conflict)
		}
	})
	t.Run("only a canceled recording is left", func(t *testing.T) {
		t.Parallel()
		run := replay(t, sampled(`"seed":1`, "one"), exchange(sample(`"seed":1`), isCanceled()))
		other := send(t, run, sample(`"seed":3`))
		m := send(t, run, sample(`"seed":1`))
		asked := run.AskedFor(&m)
		if numberOf(m) != 1 || asked.Conflict == nil || asked.Conflict.Recording != other.Recording {
			t.Errorf("recording %d, conflict %+v", numberOf(m), asked.Conflict)
		}
	})
	t.Run("another request has no conflict", func(t *testing.T) {
		t.Parallel()
		run := replay(t, sampled(`"seed":1`, "one"), exchange(prompt("other"), says("x")))
		send(t, run, sample(`"seed":3`))
		send(t, run, sample(`"seed":1`))
		m := send(t, run, prompt("other"))
		m.Form = run.Config.Options.Form(&m.Request)
		if asked := run.AskedFor(&m); asked.Conflict != nil || asked.Last != m.Recording {
			t.Errorf("got %+v", asked)
		}
	})
}

// The request that gets no response of its own, and is recorded, is named in
// the conflict.
func TestConflictNamesWhatIsRecordedInstead(t *testing.T) {
	t.Parallel()
	run := update(t, sampled(`"seed":1`, "one"))
	send(t, run, sample(`"seed":3`))
	own := recordCall(t, run, sample(`"seed":1`), says("two"))
	conflicts := run.Conflicts()
	if len(conflicts) != 1 || conflicts[0].Instead != own {
		t.Errorf("got %+v", conflicts)
	}
}

// The number of requests in a miss counts those of this run and those of the
// cassette, the canceled ones included.
func TestMissCountsRequests(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(prompt("hi"), says("one")),
		exchange(prompt("hi"), isCanceled()),
		exchange(prompt("other"), says("x")),
	)
	var m Match
	for range 3 {
		m = send(t, run, prompt("hi"))
	}
	asked := run.AskedFor(&m)
	if asked.Times != 3 || asked.Recorded != 2 || asked.Last.Number() != 0 {
		t.Errorf("got %+v", asked)
	}
	unknown := send(t, run, prompt("unknown"))
	if asked := run.AskedFor(&unknown); asked.Last != nil || asked.Times != 0 {
		t.Errorf("of an unknown request: %+v", asked)
	}
}
