package main

import (
	"testing"
	"time"
)

// TestExponent: work that takes ten times as long for ten times the size has exponent 1, a
// hundred times 2, and what is too short to be measured does not count.
func TestExponent(t *testing.T) {
	t.Parallel()
	r := &row{sizes: []int{1, 10, 100, 1000}}
	of := func(times ...time.Duration) (all []spent) {
		for _, d := range times {
			all = append(all, spent{cpu: d})
		}
		return all
	}
	const ms = time.Millisecond
	for _, tt := range []struct {
		all  []spent
		want string
	}{
		{of(ms, 10*ms, 100*ms, 1000*ms), "1.00"},
		{of(ms, 100*ms, 10_000*ms, 1_000_000*ms), "2.00"},
		{of(7*ms, 7*ms, 7*ms, 7*ms), "0.00"},
		{of(0, ms/2, 3*ms, 30*ms), "1.00"},
		{of(0, 0, 0, ms), ""},
	} {
		if got := r.exponent(tt.all); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.all, got, tt.want)
		}
	}
}

// TestRows: every row has a name, sizes that can be compared, and something to do.
func TestRows(t *testing.T) {
	t.Parallel()
	for i := range rows {
		if rows[i].name == "" || len(rows[i].sizes) < 2 || rows[i].do == nil {
			t.Errorf("row %d is not whole: %+v", i, rows[i])
		}
	}
}
