package sequence

import (
	"context"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// Company returns the numbers of the recordings that were under way while one was, or if
// waiting is set, of those that waited for their answers while it did.
func (o *Order) Company(number int, waiting bool) (numbers []int) {
	if o == nil || number < 0 || number >= len(o.members) || o.members[number].series == nil {
		return nil
	}
	end := events.ended
	if waiting {
		end = events.answered
	}
	own := &o.members[number] // whether it was asked may change now, the rest does not
	for i := own.company; i < len(o.members); i++ {
		switch other := &o.members[i]; {
		case other.series == nil || i == number:
		case other.company != own.company:
			return numbers
		case other.asked() < end(own.events) && own.asked() < end(other.events):
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// InOneGroup reports whether two recordings belong to one group of calls that overlapped, directly
// or through others of the group.
func (o *Order) InOneGroup(a, b int) bool {
	if o == nil || min(a, b) < 0 || max(a, b) >= len(o.members) {
		return false
	}
	first, second := &o.members[a], &o.members[b]
	return first.series != nil && second.series != nil && first.company == second.company
}

// IsOver reports whether all of a recording has happened in this run.
func (o *Order) IsOver(number int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.members[number].isOver
}

// First returns the number of the one that was asked first of those that ran side by side with a
// recording; -1 if it ran alone.
func (o *Order) First(number int) int {
	if o == nil || number < 0 || number >= len(o.members) || o.members[number].series == nil || o.members[number].isAlone {
		return -1
	}
	return o.members[number].company
}

// Before returns the numbers of the recordings that ran side by side, and of which something
// happened before one ended, which may be one of them: the order may have decided what
// was asked. It returns nil if there are not two.
func (o *Order) Before(number int) (numbers []int) {
	if o == nil {
		return nil
	}
	last := number // that had company
	for last >= 0 && (o.members[last].series == nil || o.members[last].isAlone) {
		last--
	}
	if last < 0 {
		return nil
	}
	own := &o.members[last]
	for i := range o.members[own.company:] {
		rec := &o.members[own.company+i]
		if rec.series == nil {
			continue
		}
		if rec.company != own.company || last == number && rec.asked() > own.ended() {
			break
		}
		numbers = append(numbers, own.company+i)
	}
	if len(numbers) < 2 {
		return nil
	}
	return numbers
}

// Late returns what was waited for in vain, in the order in which that was given up.
func (o *Order) Late() []Late {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.late)
}

// IsCanceled waits for the context of a call that is not recorded to end, which the recording
// may not have seen because it ended before. It reports whether it does within the longest
// time; all calls of a run wait ten times as long at most.
func (o *Order) IsCanceled(ctx context.Context) bool {
	if o == nil || ctx.Done() == nil {
		return false
	}
	o.mu.Lock()
	longest := min(o.patience, idle.Longest)
	o.patience -= longest
	o.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(longest):
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.patience += longest
	return true
}
