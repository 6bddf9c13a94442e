package tape

import (
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// again returns an exchange whose request an SDK sent again after a wait.
func again(it *interaction.Interaction) *interaction.Interaction {
	it.Again = true
	return it
}

// An SDK that waits before it retries gets the response of its last attempt at
// once, and all attempts count as played.
func TestRetriesAreSkipped(t *testing.T) {
	t.Parallel()
	hi := func(resp interaction.Response) *interaction.Interaction { return exchange(prompt("hi"), resp) }
	tests := []struct {
		name       string
		recordings []*interaction.Interaction
		want       int   // the recording that ends the call
		used       []int // the others that count as played
	}{
		{"one failure and a success", exchanges{hi(fails(429)), again(hi(says("one")))}, 1, []int{0, 1}},
		{
			"two failures and a success",
			exchanges{hi(fails(429)), again(hi(fails(503))), again(hi(says("one")))},
			2, []int{0, 1, 2},
		},
		{
			"a failure and a refusal",
			exchanges{hi(fails(429)), again(hi(fails(400))), again(hi(says("one")))},
			1, []int{0, 1},
		},
		{
			"another request between them",
			exchanges{
				hi(fails(429)),
				exchange(prompt("other"), says("x")), again(exchange(prompt("other"), says("y"))),
				again(hi(says("one"))),
			},
			3, []int{0, 3},
		},
		{"the program itself sends the request again", exchanges{hi(fails(429)), hi(says("one"))}, 0, []int{0}},
		{"no attempt succeeded", exchanges{hi(fails(429)), again(hi(fails(429)))}, 0, []int{0}},
		{
			"a call of the program follows",
			exchanges{hi(fails(429)), hi(says("program")), again(hi(says("one")))},
			2, []int{0, 2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, tt.recordings...)
			first := send(t, run, prompt("hi")).Recording
			last := run.SkipRetries(first)
			if last.Number() != tt.want {
				t.Errorf("recording %d ends the call, want %d", last.Number(), tt.want)
			}
			wantUsed(t, run, tt.used...)
		})
	}
}

// wantUsed compares the numbers of the recordings that were played.
func wantUsed(t *testing.T, run *Tape, want ...int) {
	t.Helper()
	isWanted := map[int]bool{}
	for _, number := range want {
		isWanted[number] = true
	}
	for _, rec := range run.Recordings() {
		number := rec.Number()
		if rec.Used() != isWanted[number] {
			t.Errorf("recording %d was played: %v", number, rec.Used())
		}
		if (rec.run.firstCall > 0) != isWanted[number] {
			t.Errorf("recording %d belongs to call %d", number, rec.run.firstCall)
		}
	}
}

// A recording that an earlier call played is no retry of a later one.
func TestPlayedRetryIsNotSkipped(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(prompt("hi"), fails(429)), again(exchange(prompt("hi"), says("one"))),
		exchange(prompt("hi"), fails(429)), again(exchange(prompt("hi"), says("two"))),
	)
	for _, want := range []int{1, 3} {
		last := run.SkipRetries(send(t, run, prompt("hi")).Recording)
		if last.Number() != want {
			t.Errorf("recording %d ends the call, want %d", last.Number(), want)
		}
	}
}

// Nothing waits for the attempts that were skipped.
func TestNothingWaitsForSkippedRetries(t *testing.T) {
	t.Parallel()
	run := replay(t,
		overlapping(exchange(prompt("hi"), fails(429)), 1, 3),
		overlapping(exchange(prompt("other"), says("x")), 2, 5),
		again(overlapping(exchange(prompt("hi"), says("one")), 4, 6)),
	)
	first := send(t, run, prompt("hi")).Recording
	run.SkipRetries(first)
	if !run.order.IsOver(first.Number()) {
		t.Error("the failure is not over")
	}
}

// A response says that its request is asked again if another recording of the
// same request is left, or AllowRepeats selects it.
func TestIsAskedAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		recordings []*interaction.Interaction
		repeats    bool
		want       bool
	}{
		{"a single recording", exchanges{sampled(`"seed":1`, "x")}, false, false},
		{"a single recording, with AllowRepeats", exchanges{sampled(`"seed":1`, "x")}, true, true},
		{"a second recording", exchanges{sampled(`"seed":1`, "x"), sampled(`"seed":1`, "y")}, false, true},
		{"a second recording with another seed", exchanges{sampled(`"seed":1`, "x"), sampled(`"seed":2`, "y")}, false, false},
		{
			"a second recording among other seeds",
			exchanges{sampled(`"seed":1`, "x"), sampled(`"seed":2`, "y"), sampled(`"seed":1`, "z")},
			false, true,
		},
		{
			"it was canceled, and sent again",
			exchanges{sampled(`"seed":1`, "x"), exchange(sample(`"seed":1`), isCanceled())},
			false, true,
		},
		{"another request", exchanges{sampled(`"seed":1`, "x"), exchange(prompt("other"), says("y"))}, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, tt.recordings...)
			if tt.repeats {
				run.Config.Repeats = canon.Selectors{"llm"}
			}
			rec := send(t, run, sample(`"seed":1`)).Recording
			if got := run.IsAskedAgain(rec); got != tt.want {
				t.Errorf("got %v", got)
			}
			for range tt.recordings {
				send(t, run, sample(`"seed":1`))
			}
			if run.IsAskedAgain(rec) != tt.repeats {
				t.Error("it is asked again although all recordings were played")
			}
		})
	}
}

// What this run records is not known to be asked again.
func TestFreshRecordingIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	run := update(t)
	rec := recordCall(t, run, prompt("hi"), says("one"))
	if run.IsAskedAgain(rec) {
		t.Error("it is asked again")
	}
}

// What this run records is not left to be played.
func TestHasUnusedAfterARecordedCall(t *testing.T) {
	t.Parallel()
	const url = "https://example.com/x"
	run := update(t)
	recordCall(t, run, get(url), says("one"))
	if run.HasUnused("GET", url) {
		t.Error("it is left")
	}
}

// A request to a URL is left if it is recorded and was not played.
func TestHasUnused(t *testing.T) {
	t.Parallel()
	const url = "https://example.com/x"
	run := replay(t, exchange(get(url), says("one")), exchange(get(url), says("two")))
	if run.HasUnused("POST", url) || run.HasUnused("GET", url+"/y") {
		t.Error("a request that is not recorded is left")
	}
	for i, want := range []bool{true, true, false} {
		if got := run.HasUnused("GET", url); got != want {
			t.Errorf("after %d requests: %v", i, got)
		}
		send(t, run, get(url))
	}
}
