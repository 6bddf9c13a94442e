package exchange

import (
	"testing"
	"time"
)

// A replay waits to be canceled for five seconds, or one if there is an answer, plus twice the recorded time.
func TestWaitForACancellation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		latencyMS      int64
		hasAlternative bool
		pace           float64
		want           time.Duration
	}{
		{"canceled at once", 0, false, 0, 5 * time.Second},
		{"canceled after a while", 300, false, 0, 5600 * time.Millisecond},
		{"with another answer", 300, true, 0, 1600 * time.Millisecond},
		{"replayed in half the time", 300, false, 0.5, 5600 * time.Millisecond},
		{"replayed in twice the time", 300, false, 2, 6200 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &Player{Pace: tt.pace}
			rec := &Playable{LatencyMS: tt.latencyMS, HasAlternative: tt.hasAlternative}
			if got := p.cancelLimit(rec); got != tt.want {
				t.Errorf("it waits for %v, want %v", got, tt.want)
			}
		})
	}
}
