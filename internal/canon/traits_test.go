package canon

import "testing"

// A request may have several traits with the same path, such as issued IDs.
func TestVarying(t *testing.T) {
	t.Parallel()
	id := func(value uint64) Trait { return Trait{"id", value, levelIssuedID} }
	seed := func(value uint64) Trait { return Trait{"seed", value, levelSampling} }
	v := VaryingOf([][]Trait{{id(1), id(2), seed(7)}, {seed(7)}})
	if len(v) != 1 || !v["id"][1] || !v["id"][2] || !v["id"][0] {
		t.Fatalf("%v", v)
	}
	for _, tt := range []struct {
		traits []Trait
		want   int
	}{
		{nil, 1},                   // like the second request
		{[]Trait{id(1), id(9)}, 1}, // the first request has one of the IDs
		{[]Trait{id(9), id(2)}, 1},
		{[]Trait{id(9)}, 0},
		{[]Trait{seed(7)}, 1},
	} {
		if known := v.Known(tt.traits); len(known) != tt.want {
			t.Errorf("of %v, %v is known", tt.traits, known)
		}
	}
}
