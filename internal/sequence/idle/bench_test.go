package idle

import "testing"

func BenchmarkSettle(b *testing.B) {
	for b.Loop() {
		program.settle(Replay, false)
	}
}
