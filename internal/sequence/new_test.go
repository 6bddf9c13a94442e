package sequence

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Which recordings are kept in sequence, and with which others.
func TestSeriesAndGroups(t *testing.T) {
	t.Parallel()
	at := func(asked, ended int) *interaction.Moments {
		return &interaction.Moments{Asked: asked, Answered: ended, Ended: ended}
	}
	const none = -1
	for name, tt := range map[string]struct {
		calls  []Call
		series []int // the first recording of the series of each; none if it is not kept
		groups []int // the first recording of the group of each
	}{
		"no call overlapped": {
			[]Call{{}, {}}, []int{none, none}, nil,
		},
		"two overlapped, others ran alone": {
			[]Call{{}, {Moments: at(1, 3)}, {Moments: at(2, 4)}, {}},
			[]int{0, 0, 0, 0}, []int{0, 1, 1, 3},
		},
		"moments that count from 1 again are another group": {
			[]Call{{Moments: at(1, 3)}, {Moments: at(2, 4)}, {Moments: at(1, 4)}, {Moments: at(2, 3)}},
			[]int{0, 0, 0, 0}, []int{0, 0, 2, 2},
		},
		"a nested call that ran alone waits for nothing": {
			[]Call{{Moments: at(1, 3)}, {IsNested: true}, {Moments: at(2, 4)}},
			[]int{0, none, 0}, []int{0, none, 0},
		},
		"at unknown moments": {
			[]Call{{Moments: at(1, 3)}, {Moments: at(0, 0)}, {Moments: at(2, 4)}},
			[]int{0, none, 0}, []int{0, none, 0},
		},
		"from a call to the one that asks again": {
			[]Call{{}, {AskedAgain: 3}, {}, {}, {}},
			[]int{none, 1, 1, 1, none}, []int{none, 1, 2, 3, none},
		},
		"two series": {
			[]Call{{AskedAgain: 1}, {}, {AskedAgain: 3}, {}},
			[]int{0, 0, 2, 2}, []int{0, 1, 2, 3},
		},
	} {
		s := New(tt.calls)
		for number := range tt.calls {
			series, group := none, none
			if rec := s.recording(number); rec != nil {
				series, group = rec.series.first, rec.group
			}
			if series != tt.series[number] || tt.groups != nil && group != tt.groups[number] {
				t.Errorf("%s: %d is in series %d and group %d", name, number, series, group)
			}
		}
	}
}

// A cassette that was edited may claim more moments than there is memory for.
func TestMomentsBeyondMemory(t *testing.T) {
	t.Parallel()
	last := math.MaxInt
	s := New([]Call{
		{Moments: &interaction.Moments{Asked: 1, Answered: last, Ended: last}},
		{Moments: &interaction.Moments{Asked: 2, Answered: 3, Ended: 3}},
	})
	if len(s.steps) > maxSteps {
		t.Errorf("%d steps", len(s.steps))
	}
}

// Nothing waits for a call of a recorded function: a replay that plays the
// function does not make the call.
func TestNothingWaitsForNestedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New([]Call{
			{Moments: &interaction.Moments{Asked: 1, Answered: 2, Ended: 3}, IsNested: true},
			{Moments: &interaction.Moments{Asked: 2, Answered: 4, Ended: 4}},
		})
		start := time.Now()
		play(t, s, 1)
		if took := time.Since(start); took > time.Millisecond {
			t.Errorf("the call beside a nested one took %v", took)
		}
	})
}
