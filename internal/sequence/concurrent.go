package sequence

// What the cassette says about calls that overlapped. It does not change.

// Overlapping returns the numbers of the recordings that were under way while
// one was.
func (s *Sequence) Overlapping(number int) []int {
	return s.overlapping(number, events.ended)
}

// WaitingWith returns the numbers of the recordings that waited for their
// responses while one did.
func (s *Sequence) WaitingWith(number int) []int {
	return s.overlapping(number, events.answered)
}

// overlapping returns the numbers of the recordings that overlapped one, from
// their requests until an event.
func (s *Sequence) overlapping(number int, until func(events) int) []int {
	own := s.recording(number)
	if own == nil {
		return nil
	}
	var numbers []int
	for i := own.group; i < len(s.recorded); i++ {
		other := s.recording(i)
		if other == nil || i == number {
			continue
		}
		if other.group != own.group {
			break
		}
		if other.asked() < until(own.events) && own.asked() < until(other.events) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// InOneGroup reports whether two recordings belong to one group of calls that
// overlapped, directly or through others of the group.
func (s *Sequence) InOneGroup(a, b int) bool {
	first, second := s.recording(a), s.recording(b)
	return first != nil && second != nil && first.group == second.group
}

// FirstOfGroup returns the number of the recording that was asked first in the
// group of a recording. ok is false if the recording overlapped no other.
func (s *Sequence) FirstOfGroup(number int) (first int, ok bool) {
	rec := s.recording(number)
	if rec == nil || rec.isAlone {
		return 0, false
	}
	return rec.group, true
}

// ConcurrentBefore returns the numbers of the recordings of a group that were
// asked before one of them ended: their order may have decided what the program
// sent next. The group is that of the recording; if it ran alone, the last one
// before it. The result is nil if there are not two.
func (s *Sequence) ConcurrentBefore(number int) []int {
	if s == nil {
		return nil
	}
	last := number // the last recording of a group
	for last >= 0 && !s.isConcurrent(last) {
		last--
	}
	if last < 0 {
		return nil
	}

	own := s.recording(last)
	var numbers []int
	for i := own.group; i < len(s.recorded); i++ {
		other := s.recording(i)
		if other == nil {
			continue
		}
		isAfterEnd := last == number && other.asked() > own.ended()
		if other.group != own.group || isAfterEnd {
			break
		}
		numbers = append(numbers, i)
	}
	if len(numbers) < 2 {
		return nil
	}
	return numbers
}

// isConcurrent reports whether a recording is one of a group.
func (s *Sequence) isConcurrent(number int) bool {
	rec := s.recording(number)
	return rec != nil && !rec.isAlone
}

// IsOver reports whether all events of a recording have happened in this replay.
// s is not nil.
func (s *Sequence) IsOver(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[number].isOver
}
