package group

import (
	"slices"
	"testing"
)

// TestSlab: values are zero and apart from each other, also those that were taken before, and
// nothing is allocated for as many as there were.
func TestSlab(t *testing.T) { // not parallel: it counts allocations
	var s Slab[int]
	take := func(sizes ...int) {
		var taken [][]int
		for i, n := range sizes {
			values := s.Take(n)
			if len(values) != n || slices.ContainsFunc(values, func(v int) bool { return v != 0 }) {
				t.Fatalf("Take(%d) = %v", n, values)
			}
			for j := range values {
				values[j] = i + 1
			}
			taken = append(taken, values, append(values, -1))
		}
		for i, values := range taken {
			for _, v := range values[:sizes[i/2]] {
				if v != i/2+1 {
					t.Fatalf("the values of Take number %d are %v", i/2+1, values)
				}
			}
		}
		s.Reset()
	}
	take(1, 1, 20, 3, 0, 100, 1, 22)
	take(100, 1, 30, 0, 22)
	take(0)
	take(1, 2, 200, 3)

	allocs := testing.AllocsPerRun(10, func() {
		s.Take(1)
		s.Take(150)
		s.Reset()
	})
	if allocs > 0 || s.Len() < 151 {
		t.Errorf("%v allocations, and memory for %d values", allocs, s.Len())
	}
}
