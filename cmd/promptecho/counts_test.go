package main

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// TestCountsLine: changes that matching ignores are counted as changes, since a request may have several.
func TestCountsLine(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]attr.Counts{
		"3 replayed, 1 change that matching ignores":                                    {Replayed: 3, Changed: 1},
		"1,000 recorded, 2,000 changes that matching ignores; tokens: 1,200 in, 34 out": {Recorded: 1000, Changed: 2000, InputTokens: 1200, OutputTokens: 34},
	} {
		if got := countsLine(c, cost{isUnknown: true}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
