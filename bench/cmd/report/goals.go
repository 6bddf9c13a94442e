package main

import (
	"fmt"
	"slices"
)

// A goal is what promptecho is to reach in a cell of a table.
type goal struct {
	row, unit string
	text      string // what is asked for
	limit     float64
	atLeast   bool // or else at most
	format    func(float64) string

	// measure returns the value that the limit is for, and whether it is known.
	measure func(r *results) (float64, bool)
}

// goals are those of the project. They are here and not in a test: a timing that
// can fail a build on a busy machine is worth nothing.
var goals = slices.Concat(
	each([]string{"1KB", "8KB", "100KB", "SSE"}, func(size string) []goal {
		return []goal{
			faster("Typical/size="+size, "ns/op", "go-vcr", 20),
			faster("Typical/size="+size, "ns/op", "jsonhash", 1),
		}
	}),
	[]goal{
		atMost("Typical/size=1KB", "allocs/op", 135, "135", count),
		atMost("Typical/size=1KB", "file/raw", 1.5, "1.5", hundredths),
		atMost("Typical/size=8KB", "file/raw", 1.2, "1.2", hundredths),
		atMost("Typical/size=100KB", "file/raw", 1.15, "1.15", hundredths),
		faster("Open/n=1000", "ns/op", "go-vcr", 100),
		atMost("Open/n=1000", "allocs/op", 30, "30", count),
		faster("Replay/n=1000/which=last", "ns/op", "go-vcr", 1000),
	},
	each([]string{"first", "last", "random"}, func(which string) []goal { return []goal{flat(which)} }),
	[]goal{
		faster("Record/n=1000", "ns/call", "go-vcr", 12),
		slower("Stream", "ns/op", "copy", 2),
		atMost("Resident/cache=warm", "ns/op", 50e6, "50 ms", duration),
		atMost("Resident/cache=warm", "MB-peak", 20, "20 MB", significant),
	},
)

// faster asks for a value that is at least limit times smaller than a peer's.
func faster(row, unit, peer string, limit float64) goal {
	text := fmt.Sprintf("≥ %.0fx faster than %s", limit, peer)
	if limit == 1 {
		text = "not slower than " + peer
	}
	return goal{row, unit, text, limit, true, ratio, func(r *results) (float64, bool) {
		return r.ratio(row, unit, peer, ours)
	}}
}

// slower asks for a value that is at most limit times a peer's.
func slower(row, unit, peer string, limit float64) goal {
	return goal{row, unit, fmt.Sprintf("≤ %.0fx of %s", limit, peer), limit, false, ratio, func(r *results) (float64, bool) {
		return r.ratio(row, unit, ours, peer)
	}}
}

func atMost(row, unit string, limit float64, text string, format func(float64) string) goal {
	return goal{row, unit, "≤ " + text, limit, false, format, func(r *results) (float64, bool) {
		return r.median(row, ours, unit)
	}}
}

// flat asks that a replay takes as long in a large cassette as in a small one.
func flat(which string) goal {
	const unit = "ns/op"
	row := func(n int) string { return fmt.Sprintf("Replay/n=%d/which=%s", n, which) }
	return goal{row(10_000), unit, "slowest n ≤ 1.3x the fastest, from n=10", 1.3, false, ratio, func(r *results) (float64, bool) {
		var low, high float64
		for i, n := range []int{10, 100, 1_000, 10_000} {
			v, ok := r.median(row(n), ours, unit)
			if !ok {
				return 0, false
			}
			if i == 0 {
				low, high = v, v
			}
			low, high = min(low, v), max(high, v)
		}
		return high / low, low > 0
	}}
}

// ratio returns a's value over b's.
func (r *results) ratio(row, unit, a, b string) (float64, bool) {
	x, okX := r.median(row, a, unit)
	y, okY := r.median(row, b, unit)
	return x / y, okX && okY && y > 0
}

// verdict says what a goal asks for and whether it was met.
func (r *results) verdict(g goal) string {
	v, ok := g.measure(r)
	switch {
	case !ok:
		return g.text + ": not measured"
	case g.met(v):
		return fmt.Sprintf("%s: met (%s)", g.text, g.format(v))
	}
	return fmt.Sprintf("%s: **missed** (%s)", g.text, g.format(v))
}

func (g goal) met(v float64) bool {
	if g.atLeast {
		return v >= g.limit
	}
	return v <= g.limit
}

// judge counts the goals that were measured.
func (r *results) judge() (met, missed int) {
	for _, g := range goals {
		switch v, ok := g.measure(r); {
		case !ok:
		case g.met(v):
			met++
		default:
			missed++
		}
	}
	return met, missed
}

func each(names []string, f func(string) []goal) (all []goal) {
	for _, name := range names {
		all = append(all, f(name)...)
	}
	return all
}
