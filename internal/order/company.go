package order

import (
	"context"
	"slices"
	"time"
)

// Company returns the numbers of the recordings that were under way while one was, or if
// waiting is set, of those that waited for their answers while it did.
func (o *Order) Company(number int, waiting bool) (numbers []int) {
	if o == nil || o.groups[number] == nil {
		return nil
	}
	g := o.groups[number]
	end := events.ended
	if waiting {
		end = events.answered
	}
	own := g.members[number-g.first]
	for i, other := range g.members {
		if other != nil && g.first+i != number && other.asked() < end(own) && own.asked() < end(other) {
			numbers = append(numbers, g.first+i)
		}
	}
	return numbers
}

// Before returns the numbers of the recordings that ran side by side, and of which something
// happened before one ended, which may be one of them: the order may have decided what
// was asked. It returns nil if there are not two.
func (o *Order) Before(number int) (numbers []int) {
	if o == nil {
		return nil
	}
	g, at := o.groups[number], 0
	if g != nil {
		at = min(g.members[number-g.first].ended(), len(g.steps))
	}
	for n := number - 1; g == nil && n >= 0; n-- {
		if g = o.groups[n]; g != nil {
			at = len(g.steps)
		}
	}
	for ; at > 0; at-- {
		if turn := g.steps[at-1].turn; turn >= 0 {
			numbers = append(numbers, g.first+turn)
		}
	}
	slices.Sort(numbers)
	if numbers = slices.Compact(numbers); len(numbers) < 2 {
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
	longest := min(o.patience, Longest)
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
