package order

import (
	"context"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Raced reports whether a recording waited for its answer while another one did.
func (o *Order) Raced(number int) bool {
	if o == nil || o.groups[number] == nil {
		return false
	}
	g := o.groups[number]
	m := g.moments[number-g.first]
	return slices.ContainsFunc(g.moments, func(other *interaction.Moments) bool {
		return other != nil && other != m && other.Asked < m.Answered && m.Asked < other.Answered
	})
}

// Company returns the numbers of the recordings that ran side by side with one, and its own;
// none if it ran alone.
func (o *Order) Company(number int) (numbers []int) {
	if o == nil || o.groups[number] == nil {
		return nil
	}
	g := o.groups[number]
	for i, m := range g.moments {
		if m != nil {
			numbers = append(numbers, g.first+i)
		}
	}
	return numbers
}

// Before returns the two recordings that ran side by side and were the last to end before one
// was asked, so that which of them was first may have decided what was asked; ok is false if
// there are none. If none ended before it, they are the first two to end of its company.
func (o *Order) Before(number int) (one, other int, ok bool) {
	if o == nil {
		return 0, 0, false
	}
	g := o.groups[number]
	for at := number - 1; g == nil && at >= 0; at-- {
		g = o.groups[at]
	}
	if g == nil {
		return 0, 0, false
	}
	var ended []int
	for i, m := range g.moments {
		if m != nil && g.first+i != number {
			ended = append(ended, i)
		}
	}
	asked := 1 << 62
	if own := o.groups[number]; own != nil {
		asked = own.moments[number-own.first].Asked
	}
	slices.SortStableFunc(ended, func(a, b int) int { return g.moments[a].Ended - g.moments[b].Ended })
	last := len(ended)
	for last > 0 && g.moments[ended[last-1]].Ended > asked {
		last--
	}
	switch {
	case last >= 2:
		return g.first + ended[last-2], g.first + ended[last-1], true
	case len(ended) > 0 && o.groups[number] != nil:
		return g.first + ended[0], number, true
	}
	return 0, 0, false
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
