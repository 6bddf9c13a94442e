package interaction

import (
	"testing"
	"time"
)

// TestGivenOr: the first one's values come first, and neither of the two is changed.
func TestRecordedValuesOr(t *testing.T) {
	t.Parallel()
	early, late := time.Unix(1, 0).UTC(), time.Unix(2, 0).UTC()
	full := RecordedValues{Time: early, Seed: "a", Env: map[string]string{"A": "1", "B": ""}}
	other := RecordedValues{Time: late, Seed: "b", Env: map[string]string{"B": "2", "C": "3"}}
	for _, tt := range []struct{ g, o, want RecordedValues }{
		{RecordedValues{}, RecordedValues{}, RecordedValues{}},
		{full, RecordedValues{}, full},
		{RecordedValues{}, full, full},
		{full, other, RecordedValues{Time: early, Seed: "a", Env: map[string]string{"A": "1", "B": "", "C": "3"}}},
		{RecordedValues{Seed: "c"}, other, RecordedValues{Time: late, Seed: "c", Env: other.Env}},
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
	if full.Equal(&other) || full.Equal(&RecordedValues{Time: early, Seed: "a", Env: map[string]string{"A": "1", "C": ""}}) {
		t.Error("different ones are equal")
	}
}
