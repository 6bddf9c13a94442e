package sequence

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The indexes of the events of a recording. After the pieces comes the end.
const (
	asked      = iota // the request is sent
	answered          // the headers come
	firstPiece        // the first piece of the body comes
)

// events has the moment of each event of a recording.
type events []int

// eventsOf returns the events of a recording. Its moments count from the moment
// before.
func eventsOf(m *interaction.Moments, before int) events {
	e := slices.Concat([]int{m.Asked, m.Answered}, m.Pieces, []int{m.Ended})
	for i := range e {
		e[i] += before
	}
	return e
}

func (e events) asked() int    { return e[asked] }
func (e events) answered() int { return e[answered] }
func (e events) ended() int    { return e[e.end()] }

// end returns the index of the last event.
func (e events) end() int { return len(e) - 1 }
