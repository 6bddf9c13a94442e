package sequence

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The events of a recording are numbered: it is asked, its headers come, each of its pieces,
// its end.
const (
	asked = iota
	answered
	firstPiece
)

// events are the moments of the events of a recording.
type events []int

func eventsOf(m *interaction.Moments, base int) events {
	e := slices.Concat([]int{m.Asked, m.Answered}, m.Pieces, []int{m.Ended})
	for i := range e {
		e[i] += base
	}
	return e
}

func (e events) asked() int    { return e[asked] }
func (e events) answered() int { return e[answered] }
func (e events) ended() int    { return e[len(e)-1] }
