package tape

import (
	"context"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A request that only one function overlapped was most likely made by that
// function, with another context than its own.
func TestLikelyCaller(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		recordings []*interaction.Interaction // the first one is the request
		want       int
	}{{
		"one function was running",
		exchanges{
			overlapping(exchange(prompt("hi"), says("one")), 2, 3),
			overlapping(exchange(function("tool/agent"), returns("1")), 1, 4),
		},
		1,
	}, {
		"two functions were running",
		exchanges{
			overlapping(exchange(prompt("hi"), says("one")), 3, 4),
			overlapping(exchange(function("tool/agent"), returns("1")), 1, 5),
			overlapping(exchange(function("tool/other"), returns("1")), 2, 6),
		},
		missing,
	}, {
		"another request was under way",
		exchanges{
			overlapping(exchange(prompt("hi"), says("one")), 2, 3),
			overlapping(exchange(prompt("other"), says("x")), 1, 4),
		},
		missing,
	}, {
		"the call itself is a function",
		exchanges{
			overlapping(exchange(function("tool/search"), returns("1")), 2, 3),
			overlapping(exchange(function("tool/agent"), returns("1")), 1, 4),
		},
		missing,
	}, {
		"nothing overlapped it",
		exchanges{
			exchange(prompt("hi"), says("one")),
			exchange(function("tool/agent"), returns("1")),
		},
		missing,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, inOrderAsked(tt.recordings)...)
			var rec *Recording
			for _, other := range run.Recordings() {
				if other.Interaction().Request.String() == tt.recordings[0].Request.String() &&
					string(other.Interaction().Request.Body) == string(tt.recordings[0].Request.Body) {
					rec = other
				}
			}
			got := missing
			if caller := run.LikelyCaller(rec); caller != nil {
				got = indexOf(tt.recordings, caller)
			}
			if got != tt.want {
				t.Errorf("the caller is %d, want %d", got, tt.want)
			}
		})
	}
}

// A recording that overlapped a canceled one may be missing in the next run.
func TestOverlapsCanceled(t *testing.T) {
	t.Parallel()
	run := replay(t,
		overlapping(exchange(prompt("hi"), says("one")), 1, 4),
		overlapping(exchange(prompt("canceled"), isCanceled()), 2, 3),
		exchange(prompt("alone"), says("x")),
		overlapping(exchange(prompt("a"), says("x")), 1, 3),
		overlapping(exchange(prompt("b"), timesOut()), 2, 4),
	)
	for i, want := range []bool{true, false, false, false, false} {
		if got := run.OverlapsCanceled(run.Recordings()[i]); got != want {
			t.Errorf("recording %d: %v", i, got)
		}
	}
}

// A recording is concurrent if another request waited for its response while
// this one did, or if the cassette says so without the moments.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	unknown := exchange(prompt("unknown"), says("x"))
	unknown.Concurrent = new(interaction.Moments)
	stream := exchange(prompt("stream"), streamOf("", "a", "b"))
	stream.Concurrent = &interaction.Moments{Asked: 1, Answered: 1, Pieces: []int{1, 3}, Ended: 3}
	run := replay(t,
		overlapping(exchange(prompt("hi"), says("one")), 1, 3),
		overlapping(exchange(prompt("other"), says("x")), 2, 4),
		exchange(prompt("alone"), says("x")),
		unknown,
		stream,
		overlapping(exchange(prompt("during the stream"), says("x")), 2, 4),
	)
	for i, want := range []bool{true, true, false, true, false, false} {
		if got := run.Recordings()[i].Concurrent(); got != want {
			t.Errorf("recording %d: %v, want %v", i, got, want)
		}
	}
	list := run.Recordings()
	if !run.AreConcurrent(list[0], list[1]) || run.AreConcurrent(list[0], list[4]) {
		t.Error("AreConcurrent does not tell the groups apart")
	}
}

// The order of two responses may have decided what the program asks next, so a
// miss names the two.
func TestConcurrentBefore(t *testing.T) {
	t.Parallel()
	run := replay(t,
		overlapping(exchange(prompt("a"), says("x")), 1, 3),
		overlapping(exchange(prompt("b"), says("x")), 2, 5),
		overlapping(exchange(prompt("next"), says("x")), 4, 6),
	)
	list := run.Recordings()
	if before := texts(run.ConcurrentBefore(list[2])); !slices.Equal(before, []string{"a", "b", "next"}) {
		t.Errorf("got %v", before)
	}
	alone := replay(t, exchange(prompt("a"), says("x")), exchange(prompt("b"), says("x")))
	if before := alone.ConcurrentBefore(alone.Recordings()[1]); len(before) != 0 {
		t.Errorf("%d recordings overlapped one that ran alone", len(before))
	}
}

// A call has a place in the sequence only in a replay that keeps the order, and
// only if it is recorded.
func TestTurn(t *testing.T) {
	t.Parallel()
	recordings := func() []*interaction.Interaction {
		return exchanges{
			overlapping(exchange(prompt("hi"), says("one")), 1, 3),
			overlapping(exchange(prompt("other"), says("x")), 2, 4),
		}
	}
	run := replay(t, recordings()...)
	m := send(t, run, prompt("hi"))
	if !run.Turn(m.Recording, false).InSequence() {
		t.Error("a recording that overlapped another one is in no sequence")
	}
	if run.sequence() == nil {
		t.Error("the run keeps no sequence")
	}

	config := configOf(cassetteOf(t, recordings()...))
	config.InOrder = false
	run = open(t, config, new(redact.Policy), PlayAll, false)
	m = send(t, run, prompt("hi"))
	if run.Turn(m.Recording, false) != nil || run.sequence() != nil {
		t.Error("a run without order keeps one")
	}

	live := update(t)
	m = send(t, live, prompt("hi"))
	rec, err := live.Reserve(m)
	if err != nil {
		t.Fatal(err)
	}
	if live.Turn(rec, false) != nil || live.Mark(rec) == nil {
		t.Error("a call that is recorded has a turn, or its events are not counted")
	}
}

// A call without a recording waits for its context to end if calls overlapped
// when they were recorded: the program may be about to cancel it.
func TestCallWithoutARecordingIsCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	run := replay(t,
		overlapping(exchange(prompt("a"), says("x")), 1, 3),
		overlapping(exchange(prompt("b"), says("x")), 2, 4),
	)
	cancel()
	if !run.IsCanceled(ctx) {
		t.Error("a call whose context has ended is a miss")
	}
	if replay(t, exchange(prompt("a"), says("x"))).IsCanceled(context.Background()) {
		t.Error("a call that nobody can cancel counts as canceled")
	}
}

// A wait that timed out names the recording that did not come.
func TestTimedOutWaits(t *testing.T) {
	t.Parallel()
	run := replay(t,
		overlapping(exchange(prompt("a"), says("x")), 1, 3),
		overlapping(exchange(prompt("b"), says("x")), 2, 4),
	)
	first := send(t, run, prompt("a")).Recording
	if err := run.Turn(first, false).Answered(context.Background()); err != nil {
		t.Fatal(err)
	}
	waits := run.TimedOutWaits()
	if len(waits) != 1 || waits[0].Waits != first || waits[0].For.Number() != 1 {
		t.Errorf("got %+v", waits)
	}
}
