//go:build unix

package sequence

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// A turn that waits until its timeout. Reports how much processor time of a
// second of waiting is used.
func BenchmarkTimeout(b *testing.B) {
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before, start := used(), time.Now()
	for b.Loop() {
		s := sequenceOf(b, "asked 1, answered 3", "asked 2, answered 4")
		turn := s.Ask(0, nil, false)
		if err := turn.Answered(context.Background()); err != nil {
			b.Fatal(err)
		}
		turn.Leave()
	}
	b.ReportMetric((used()-before).Seconds()*1000/time.Since(start).Seconds(), "cpu-ms/s")
}
