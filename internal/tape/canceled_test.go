package tape

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A canceled recording whose request was answered this time is not saved again:
// a replay that plays it would wait for a cancellation that does not come.
func TestOutdatedCanceledRecordings(t *testing.T) {
	t.Parallel()
	canceledHi := exchange(prompt("hi"), isCanceled())
	tests := []struct {
		name       string
		recordings []*interaction.Interaction
		act        func(t *testing.T, run *Tape)
		want       []string // what is kept
	}{{
		"it is canceled again",
		exchanges{canceledHi},
		func(t *testing.T, run *Tape) { take(t, run, Call{Request: prompt("hi"), Cancelable: true}) },
		[]string{"hi"},
	}, {
		"it is not asked for",
		exchanges{canceledHi},
		func(*testing.T, *Tape) {},
		[]string{"hi"},
	}, {
		"it is asked for, not canceled, and answered by a later recording",
		exchanges{canceledHi, exchange(prompt("hi"), says("one"))},
		func(t *testing.T, run *Tape) {
			m := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
			if _, err := run.TakeInstead(m); err != nil {
				t.Fatal(err)
			}
		},
		[]string{"hi"},
	}, {
		"it is recorded again with a response",
		exchanges{canceledHi},
		func(t *testing.T, run *Tape) { recordCall(t, run, prompt("hi"), says("one")) },
		[]string{"hi"},
	}, {
		"another request is recorded",
		exchanges{canceledHi},
		func(t *testing.T, run *Tape) { recordCall(t, run, prompt("other"), says("one")) },
		[]string{"hi", "other"},
	}, {
		"a response that is not used stays",
		exchanges{exchange(prompt("hi"), says("one"))},
		func(t *testing.T, run *Tape) { recordCall(t, run, prompt("other"), says("one")) },
		[]string{"hi", "other"},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t, tt.recordings...)
			tt.act(t, run)
			kept := run.WithoutOutdated(run.Recordings())
			if !slices.Equal(texts(kept), tt.want) {
				t.Errorf("kept %v, want %v", texts(kept), tt.want)
			}
		})
	}
}

// A request that was canceled in this run is saved, also if it was sent again.
func TestFreshCanceledRecordingIsKept(t *testing.T) {
	t.Parallel()
	run := update(t)
	recordCall(t, run, prompt("hi"), isCanceled())
	recordCall(t, run, prompt("hi"), says("one"))
	if kept := run.WithoutOutdated(run.Recordings()); len(kept) != 2 {
		t.Errorf("kept %d recordings", len(kept))
	}
}
