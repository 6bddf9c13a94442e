package page

import (
	"fmt"
	"strings"
)

// A Plot is a drawing of how the events of a stream arrived.
type Plot struct {
	Caption string // says the same in words
	First   string // when the first event came, in words
	Last    string // when the answer was complete
	Events  string // a line for each event

	Ticks string // an SVG path with one line for each event; empty if no time passed
	Curve string // an SVG path that rises with the bytes that have arrived
	At    string // the place of the first event, in percent
	Late  bool   // the first event is in the right half
}

// The size of the drawing, in units of its own: the page stretches it.
const (
	plotWidth  = 1000
	plotHeight = 100
)

// NewPlot returns the drawing of a stream: when each event arrived, the number of bytes that had
// arrived with it, and when the answer was complete. Times are in milliseconds from the request. A
// stream of one event has no drawing, nor has one in which no time passed.
func NewPlot(arrivedMS []int64, arrivedBytes []int, completeMS int64) *Plot {
	if len(arrivedMS) < 2 {
		return &Plot{}
	}
	lastEvent := arrivedMS[len(arrivedMS)-1]
	tookNoTime := completeMS == 0 && lastEvent == 0
	if tookNoTime {
		return &Plot{}
	}
	duration := max(completeMS, lastEvent)
	size := max(arrivedBytes[len(arrivedBytes)-1], 1)

	var ticks, curve strings.Builder
	fmt.Fprintf(&curve, "M0 %d", plotHeight)
	y := float64(plotHeight)
	for i, ms := range arrivedMS {
		x := plotWidth * float64(ms) / float64(duration)
		fmt.Fprintf(&ticks, "M%.1f 0v1", x)
		yAfter := plotHeight * (1 - float64(arrivedBytes[i])/float64(size))
		fmt.Fprintf(&curve, "L%.1f %.1fV%.1f", x, y, yAfter) // level up to the event, then a step
		y = yAfter
	}
	fmt.Fprintf(&curve, "H%dV%dZ", plotWidth, plotHeight)
	return &Plot{
		Ticks: ticks.String(),
		Curve: curve.String(),
		At:    percent(arrivedMS[0], duration),
		Late:  arrivedMS[0]*2 > duration,
	}
}
