package idle

import "testing"

func BenchmarkWait(b *testing.B) {
	for b.Loop() {
		Wait(Replay, false)
	}
}
