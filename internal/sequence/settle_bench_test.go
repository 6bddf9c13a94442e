package sequence

import "testing"

func BenchmarkSettle(b *testing.B) {
	for b.Loop() {
		program.settle(replayed, false)
	}
}
