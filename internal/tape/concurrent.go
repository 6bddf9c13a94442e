package tape

import (
	"context"
	"slices"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/sequence"
)

// What ran concurrently when it was recorded.

// Turn says that a recording is played for a request. It returns what keeps the
// recording in sequence with those that overlapped it when they were recorded;
// nil if none did and this run does not record. far says that the client reads
// the response through a socket.
func (t *Tape) Turn(rec *Recording, far bool) *sequence.Turn {
	if rec.Fresh() || !t.Config.InOrder {
		return nil
	}
	mark := rec.run.mark
	if mark != nil {
		mark.Far(far)
	}
	return t.order.Ask(rec.Number(), mark, far)
}

// Mark counts the events of a recording that this run makes.
func (t *Tape) Mark(rec *Recording) *sequence.Mark { return rec.run.mark }

// Concurrent reports whether another request waited for its response while this
// one did, when it was recorded.
func (rec *Recording) Concurrent() bool {
	moments := rec.Head().Concurrent
	if moments == nil {
		return false
	}
	isUnknown := moments.Asked == 0 // the cassette says that there were others, not when
	return isUnknown || rec.of.order.WaitingWith(rec.Number()) != nil
}

// AreConcurrent reports whether two recordings of the cassette belong to one
// group of calls that overlapped when they were recorded, directly or through
// others of the group.
func (t *Tape) AreConcurrent(a, b *Recording) bool {
	return t.order.InOneGroup(a.Number(), b.Number())
}

// LikelyCaller returns the function that most likely made the request of a
// recording, but with another context than its own, so that the cassette does
// not say so: the only call that overlapped the request. It returns nil if
// there is none.
func (t *Tape) LikelyCaller(rec *Recording) *Recording {
	overlapping := t.overlapping(rec)
	if len(overlapping) != 1 || rec.Form().Function {
		return nil
	}
	other := overlapping[0]
	if !other.Form().Function {
		return nil
	}
	return other
}

// OverlapsCanceled reports whether a recording overlapped one that was
// canceled.
func (t *Tape) OverlapsCanceled(rec *Recording) bool {
	return slices.ContainsFunc(t.overlapping(rec), func(other *Recording) bool {
		return other.outcome == canceled
	})
}

// overlapping returns the recordings that were under way while one was.
func (t *Tape) overlapping(rec *Recording) []*Recording {
	return group.Each(t.order.Overlapping(rec.Number()), t.byNumber)
}

// ConcurrentBefore returns the recordings that ran concurrently and whose
// sequence may have decided what was asked with another one.
func (t *Tape) ConcurrentBefore(rec *Recording) []*Recording {
	return group.Each(t.order.ConcurrentBefore(rec.Number()), t.byNumber)
}

// A TimedOutWait is a recording that was played out of the recorded sequence:
// it waited for another one, which did not come in time.
type TimedOutWait struct{ Waits, For *Recording }

// TimedOutWaits returns the recordings that were played out of the recorded
// sequence.
func (t *Tape) TimedOutWaits() []TimedOutWait {
	return group.Each(t.order.TimedOutWaits(), func(wait sequence.TimedOutWait) TimedOutWait {
		return TimedOutWait{Waits: t.byNumber(wait.Waits), For: t.byNumber(wait.For)}
	})
}

// byNumber returns a recording of the cassette. The tape was loaded with
// PlayAll.
func (t *Tape) byNumber(number int) *Recording { return &t.loaded[number] }

// IsCanceled waits for a call to be canceled that is not recorded, see
// [sequence.Sequence.WaitForCancel].
func (t *Tape) IsCanceled(ctx context.Context) bool { return t.order.WaitForCancel(ctx) }
