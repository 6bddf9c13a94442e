package echotest

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// TestTotal: the line at the end of a package says what was recorded, and how many changes matching has ignored.
func TestTotal(t *testing.T) {
	t.Parallel()
	for want, total := range map[string]attr.Done{
		"": {Counts: attr.Counts{Replayed: 3}},
		"promptecho: total: 1 change in ignored fields (go test -v shows them); no cassette written\n":             {Counts: attr.Counts{Replayed: 3, Changed: 1}},
		"promptecho: total: 3 recorded, 2 changes in ignored fields (go test -v shows them); 1 cassette written\n": {Counts: attr.Counts{Recorded: 3, Changed: 2}},
	} {
		s := newSuite()
		s.total = total
		s.changed = int(min(total.Recorded, 1))
		var b strings.Builder
		if s.writeTotal(&b); b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}
