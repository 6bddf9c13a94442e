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
	const ms = time.Millisecond
	for _, tt := range []struct {
		all  []time.Duration
		want string
	}{
		{[]time.Duration{ms, 10 * ms, 100 * ms, 1000 * ms}, "1.00"},
		{[]time.Duration{ms, 100 * ms, 10_000 * ms, 1_000_000 * ms}, "2.00"},
		{[]time.Duration{7 * ms, 7 * ms, 7 * ms, 7 * ms}, "0.00"},
		{[]time.Duration{0, ms / 2, 3 * ms, 30 * ms}, "1.00"},
		{[]time.Duration{0, 0, 0, ms}, ""},
	} {
		if got := r.exponent(tt.all); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.all, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	r := &row{name: "replay of calls", unit: "calls", sizes: []int{20, 200, 2000, 20_000}}
	const ms = time.Millisecond
	ours := []time.Duration{ms, 10 * ms, 100 * ms, 1234 * ms}
	theirs := []time.Duration{ms, 100 * ms}
	const want = "| replay of calls | 20k calls | 1.2s | 1.03 | 2.00 |\n"
	if got := r.line(ours, theirs); got != want {
		t.Errorf("got %s, want %s", got, want)
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
