package interaction

import (
	"testing"
	"time"
)

// TestGivenOr: the first one's values come first, and neither of the two is changed.
func TestGivenOr(t *testing.T) {
	t.Parallel()
	early, late := time.Unix(1, 0).UTC(), time.Unix(2, 0).UTC()
	full := Given{Time: early, Seed: "a", Env: map[string]string{"A": "1", "B": ""}}
	other := Given{Time: late, Seed: "b", Env: map[string]string{"B": "2", "C": "3"}}
	for _, tt := range []struct{ g, o, want Given }{
		{Given{}, Given{}, Given{}},
		{full, Given{}, full},
		{Given{}, full, full},
		{full, other, Given{Time: early, Seed: "a", Env: map[string]string{"A": "1", "B": "", "C": "3"}}},
		{Given{Seed: "c"}, other, Given{Time: late, Seed: "c", Env: other.Env}},
	} {
		got := tt.g.Or(tt.o)
		if !got.Equal(&tt.want) {
			t.Errorf("%v or %v: %v, want %v", tt.g, tt.o, got, tt.want)
		}
		if got.Env != nil {
			got.Env["D"] = "4"
		}
	}
	if len(full.Env) != 2 || len(other.Env) != 2 {
		t.Errorf("changed: %v and %v", full, other)
	}
	if full.Equal(&other) || full.Equal(&Given{Time: early, Seed: "a", Env: map[string]string{"A": "1", "C": ""}}) {
		t.Error("different ones are equal")
	}
}
