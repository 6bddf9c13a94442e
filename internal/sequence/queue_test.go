package sequence

import "testing"

// queueOf returns the waits for moments. neverTimesOut and answersOthers have the
// moments whose waits are of that kind.
func queueOf(neverTimesOut, answersOthers map[int]bool, moments ...int) *queue {
	var q queue
	for _, moment := range moments {
		q.insert(&wait{
			moment:        moment,
			neverTimesOut: neverTimesOut[moment],
			answersOthers: neverTimesOut[moment] || answersOthers[moment],
			full:          make(chan struct{}, 1),
			over:          make(chan struct{}),
		})
	}
	return &q
}

func TestFirstWait(t *testing.T) {
	t.Parallel()
	q := queueOf(map[int]bool{2: true}, nil, 5, 2, 4)
	for moment, want := range map[int]bool{2: false, 3: false, 4: true, 5: false} {
		if got := q.isFirst(moment); got != want {
			t.Errorf("%d is first: %v", moment, got)
		}
	}
	q.signalFull()
	for _, w := range *q {
		if got := len(w.full) > 0; got != (w.moment == 4) {
			t.Errorf("the wait for %d is told that all workers wait: %v", w.moment, got)
		}
	}
	if queueOf(nil, nil).isFirst(1) {
		t.Error("the first of no waits")
	}
}

// An event wakes the waits for moments that have come, and the first wait that
// has a limit, with all before it.
func TestWake(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answersOthers map[int]bool
		reached       int
		left          int // waits that go on, of those for 2, 4 and 6
	}{
		"none has come":                  {nil, 1, 2},
		"two have come":                  {nil, 4, 1},
		"all have come":                  {nil, 7, 0},
		"the first one answers others":   {map[int]bool{2: true}, 1, 1},
		"the first two answer others":    {map[int]bool{2: true, 4: true}, 1, 0},
		"only the second answers others": {map[int]bool{4: true}, 1, 2},
	} {
		q := queueOf(nil, tt.answersOthers, 2, 4, 6)
		all := append(queue(nil), *q...)
		q.wake(tt.reached)
		if len(*q) != tt.left {
			t.Errorf("%s: %d waits go on, want %d", name, len(*q), tt.left)
		}
		for i, w := range all {
			if isOver := i < len(all)-tt.left; w.isOver != isOver {
				t.Errorf("%s: the wait for %d is over: %v", name, w.moment, w.isOver)
			}
		}
	}
}
