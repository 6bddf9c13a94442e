package sequence

import (
	"testing"

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
