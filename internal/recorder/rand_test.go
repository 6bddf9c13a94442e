package recorder

import (
	"encoding/hex"
	"testing"
)

// TestDrawnSeeds are all different, and a cassette can hold them.
func TestDrawnSeeds(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		seed := drawSeed()
		if b, err := hex.DecodeString(seed); err != nil || len(b) != 16 || seen[seed] {
			t.Fatalf("%q: %v, seen %v", seed, err, seen[seed])
		}
		seen[seed] = true
	}
}
