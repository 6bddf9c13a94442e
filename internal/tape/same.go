package tape

import (
	"bytes"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// sameAnswer reports whether two recordings say the same, as far as both were read: a client that closes an answer before
// its end does not say what the rest was, and a [json.Decoder] leaves white space.
func sameAnswer(a, b *Recording) bool {
	x, y := a.responseTo(&b.Interaction().Request), &b.Interaction().Response
	bodies, events := [2][]byte{bytes.TrimSpace(x.Body), bytes.TrimSpace(y.Body)}, [2][]interaction.Event{x.Events, y.Events}
	sameEnd := x.Error == y.Error
	if x.End == interaction.EndClosed || y.End == interaction.EndClosed {
		size, count := min(len(x.Body), len(y.Body)), min(len(x.Events), len(y.Events))
		bodies, events = [2][]byte{x.Body[:size], y.Body[:size]}, [2][]interaction.Event{x.Events[:count], y.Events[:count]}
		sameEnd = true
	}
	return x.Status == y.Status && sameEnd && bytes.Equal(bodies[0], bodies[1]) &&
		slices.EqualFunc(events[0], events[1], slices.Equal[interaction.Event])
}
