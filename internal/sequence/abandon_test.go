package sequence

import "testing"

// A timeout abandons recordings that no wait will ask for: those that have not
// been asked for and come before the first moment that is waited for.
func TestLostAndPending(t *testing.T) {
	t.Parallel()
	s := sequenceOf(t, "asked 1, answered 5", "asked 2, answered 6",
		"asked 3, answered 7", "asked 4, answered 8")
	s.states[1].isAsked = true
	for number, want := range []bool{true, false, true, false} {
		if got := s.isLost(number, 4); got != want {
			t.Errorf("%d is lost: %v", number, got)
		}
	}

	s.states[1].isAbandoned = true
	s.states[2].isAbandoned = true
	for step := range s.steps {
		isRequestOfThird := step == 2
		if got := s.isPending(step); got != isRequestOfThird {
			t.Errorf("step %d is pending: %v", step, got)
		}
	}
}
