package page

import (
	"fmt"
	"strings"
)

// A Plot draws how the events of a stream arrived.
type Plot struct {
	Caption string // says the same in words
	First   string // when the first event came, in words
	Last    string // when the answer was complete
	Events  string // a line for each event

	Ticks string // an SVG path with one line for each event; empty if no time passed
	Curve string // one that rises with the bytes that were there
	At    string // the place of the first event, in percent
	Late  bool   // it is in the right half
}

// The drawing's own units; it is stretched to the width of the page.
const (
	plotWidth  = 1000
	plotHeight = 100
)

// NewPlot returns the drawing of a stream that has events: when each came, how many bytes of
// the answer were there then, and when it was complete. Times are in milliseconds.
func NewPlot(came []int64, bytes []int, total int64) *Plot {
	if len(came) < 2 || total == 0 && came[len(came)-1] == 0 {
		return &Plot{} // one event, or all at once: there is nothing to draw
	}
	var ticks, curve strings.Builder
	last, all := max(total, came[len(came)-1]), max(bytes[len(bytes)-1], 1)
	before := float64(plotHeight)
	for i, ms := range came {
		x := plotWidth * float64(ms) / float64(last)
		y := plotHeight * (1 - float64(bytes[i])/float64(all))
		fmt.Fprintf(&ticks, "M%.1f 0v1", x)
		if i == 0 {
			fmt.Fprintf(&curve, "M0 %d", plotHeight)
		}
		fmt.Fprintf(&curve, "L%.1f %.1fV%.1f", x, before, y)
		before = y
	}
	fmt.Fprintf(&curve, "H%dV%dZ", plotWidth, plotHeight)
	return &Plot{Ticks: ticks.String(), Curve: curve.String(), At: percent(came[0], last), Late: came[0]*2 > last}
}
