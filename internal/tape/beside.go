package tape

import (
	"context"
	"slices"

	"github.com/promptecho/promptecho/internal/order"
)

// What ran side by side in the recording.

// Turn says that a recording is played for a request, and returns what keeps it in order with
// those that ran beside it when it was recorded; nil if none did.
func (t *Tape) Turn(rec *Recording) *order.Turn {
	if rec.fresh || rec.number < 0 {
		return nil
	}
	return t.order.Ask(rec.number)
}

// Mark counts what happens to a recording that this run makes.
func (t *Tape) Mark(rec *Recording) *order.Mark { return rec.mark }

// Concurrent reports whether another request waited for its answer while this one did, when
// it was recorded.
func (rec *Recording) Concurrent() bool {
	m := rec.Interaction().Concurrent
	return m != nil && (m.Asked == 0 || rec.of.order.Raced(rec.number))
}

// WithCanceled reports whether one of those that ran beside a recording was canceled.
func (t *Tape) WithCanceled(rec *Recording) bool {
	company := t.order.Company(rec.number)
	return slices.ContainsFunc(t.recordings, func(other *Recording) bool {
		return other.givenUp == canceled && !other.fresh && slices.Contains(company, other.number)
	})
}

// Before returns the two recordings that ran side by side and of which it may have been
// decided by the order in which they ended what was asked with a third one; nil if there are none.
func (t *Tape) Before(rec *Recording) (one, other *Recording) {
	a, b, ok := t.order.Before(rec.number)
	if !ok {
		return nil, nil
	}
	return t.numbered(a), t.numbered(b)
}

// Late returns the pairs of recordings of which the first waited in vain for the second.
func (t *Tape) Late() (pairs [][2]*Recording) {
	for _, late := range t.order.Late() {
		pairs = append(pairs, [2]*Recording{t.numbered(late.Waits), t.numbered(late.For)})
	}
	return pairs
}

// numbered returns the recording that has a number in the cassette.
func (t *Tape) numbered(number int) *Recording {
	i := slices.IndexFunc(t.recordings, func(rec *Recording) bool { return !rec.fresh && rec.number == number })
	return t.recordings[i]
}

// IsCanceled waits for a call to be canceled that is not recorded, as [order.Order.IsCanceled] does.
func (t *Tape) IsCanceled(ctx context.Context) bool { return t.order.IsCanceled(ctx) }
