package main

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/lint"
)

// Lint takes each kind of change that mutate prints for a right one in testdata/unnoticed.txt, and no other.
func TestLintKnowsKindsOfChanges(t *testing.T) {
	t.Parallel()
	want := []string{"*"}
	for _, kind := range strongest {
		want = append(want, string(kind))
	}
	got := slices.Clone(lint.KindsOfChanges)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("lint knows\n%q, and mutate\n%q", got, want)
	}
}
