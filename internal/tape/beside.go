package tape

import (
	"context"
	"slices"

	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/order"
)

// What ran side by side in the recording.

// Turn says that a recording is played for a request, and returns what keeps it in order with
// those that ran beside it when it was recorded; nil if none did, and this run does not record. Who is
// far reads it behind a socket.
func (t *Tape) Turn(rec *Recording, far bool) *order.Turn {
	if rec.fresh || !t.Config.InOrder {
		return nil
	}
	if rec.mark != nil {
		rec.mark.Far(far)
	}
	return t.order.Ask(rec.number, rec.mark, far)
}

// Mark counts what happens to a recording that this run makes.
func (t *Tape) Mark(rec *Recording) *order.Mark { return rec.mark }

// Concurrent reports whether another request waited for its answer while this one did, when
// it was recorded.
func (rec *Recording) Concurrent() bool {
	m := rec.Head().Concurrent
	return m != nil && (m.Asked == 0 || rec.of.order.Company(rec.number, true) != nil)
}

// AreConcurrent reports whether two recordings of the cassette belong to one group of calls that
// overlapped when they were recorded, directly or through others of the group.
func (t *Tape) AreConcurrent(a, b *Recording) bool { return t.order.InOneGroup(a.number, b.number) }

// RunBy returns the function that alone ran while a recording was under way: most likely it made the request, and with
// another context than its own. It returns nil if there is none.
func (t *Tape) RunBy(rec *Recording) *Recording {
	beside := t.order.Company(rec.number, false)
	if len(beside) != 1 || rec.Form().Function || !t.loaded[beside[0]].Form().Function {
		return nil
	}
	return &t.loaded[beside[0]]
}

// WithCanceled reports whether one of those that ran beside a recording was canceled.
func (t *Tape) WithCanceled(rec *Recording) bool {
	return slices.ContainsFunc(t.order.Company(rec.number, false), func(number int) bool { return t.loaded[number].outcome == canceled })
}

// Before returns the recordings that ran side by side and whose order may have decided what
// was asked with another one; none if there are none.
func (t *Tape) Before(rec *Recording) []*Recording {
	return group.Each(t.order.Before(rec.number), func(number int) *Recording { return &t.loaded[number] })
}

// Says returns the text of the recorded answer.
func (rec *Recording) Says() string { return said.Read(rec.Form(), &rec.Interaction().Response).Text }

// Late returns the pairs of recordings of which the first waited in vain for the second.
func (t *Tape) Late() [][2]*Recording {
	return group.Each(t.order.Late(), func(l order.Late) [2]*Recording { return [2]*Recording{&t.loaded[l.Waits], &t.loaded[l.For]} })
}

// IsCanceled waits for a call to be canceled that is not recorded, as [order.Order.IsCanceled] does.
func (t *Tape) IsCanceled(ctx context.Context) bool { return t.order.IsCanceled(ctx) }
