package sequence

import "slices"

// TimedOutWaits returns the waits that timed out, in the order of their
// timeouts.
func (s *Sequence) TimedOutWaits() []TimedOutWait {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.timedOut)
}

// abandon stops all waits for a recording, after a wait for it has timed out, and
// for recordings that will not be asked for either, see isLost. Recordings that
// the program may still ask for are kept.
//
// step is the first step of the recording that has not happened, waiting the
// number of the recording that has waited. The caller holds the lock.
func (s *Sequence) abandon(step, waiting int) {
	timedOut := s.steps[step].number
	series := s.recorded[timedOut].series
	firstWaited := series.waits[0].moment

	for number := series.first; number <= series.last; number++ {
		if number != timedOut && !s.isLost(number, firstWaited) || s.states[number].isAbandoned {
			continue
		}
		s.states[number].isAbandoned = true
		if !s.recorded[number].isAlone {
			s.timedOut = append(s.timedOut, TimedOutWait{Waits: waiting, For: number})
		}
	}

	for i := step; i < series.end; i++ {
		number := s.steps[i].number
		if number >= 0 && s.states[number].isAbandoned {
			s.steps[i].left = 0
		}
	}
}

// isLost reports whether the program will not ask for a recording: it has not
// done so, and the recording comes before the first moment that is waited for.
// What the program asks for after a wait comes after the moment of the wait.
func (s *Sequence) isLost(number, firstWaited int) bool {
	rec := s.recording(number)
	return rec != nil && !s.states[number].isAsked && rec.asked() < firstWaited
}

// isPending reports whether a step is the request of an abandoned recording that
// may still be sent.
func (s *Sequence) isPending(step int) bool {
	number := s.steps[step].number
	if number < 0 {
		return false
	}
	state := s.states[number]
	isRequest := s.recorded[number].asked() == step+1
	return isRequest && state.isAbandoned && !state.isAsked
}
