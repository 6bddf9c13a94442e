package redact

import (
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestPrefixesTakeNoTime: a text of nothing but beginnings of tokens takes not much longer than
// any other: looking on from each of them to the end of the text would take hundreds of times as long.
func TestPrefixesTakeNoTime(t *testing.T) {
	full.Only(t, "TestCostlyTextsAreSearched")
	const size = 1 << 18
	timeOf := func(text string) time.Duration {
		start := time.Now()
		findPatterns(text)
		return time.Since(start)
	}
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", size/45)
	plain := max(timeOf(words), timeOf(words), timeOf(words))
	for _, f := range formats {
		for prefix := range strings.SplitSeq(f.prefixes, "|") {
			for _, sep := range []string{"", ".", "/", "a9."} {
				text := strings.Repeat(prefix+sep, size/len(prefix+sep))
				took := timeOf(text)
				for range 20 { // other programs run, too
					if took > 20*plain {
						took = min(took, timeOf(text))
					}
				}
				if took > 20*plain {
					t.Errorf("%q takes %v, plain text %v", prefix+sep, took, plain)
				}
			}
		}
	}
}
