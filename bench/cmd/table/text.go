package main

import (
	"fmt"
	"strings"
	"time"
)

// labels are the names of workloads as the tables print them.
var labels = map[string]string{
	"1KB":          "1 KB",
	"8KB":          "8 KB",
	"100KB":        "100 KB",
	"SSE":          "streams of 200 events",
	"events":       "a long stream",
	"short events": "a long stream of short events",
	"JSON":         "a JSON list",
	"vectors":      "vectors",
}

// A table is printed as Markdown. Its columns are aligned to the right, except
// for the first and the last one.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	b.WriteString("|---|" + strings.Repeat("--:|", len(t.head)-2) + "---|\n")
	for _, cells := range t.rows {
		line(cells)
	}
	return b.String()
}

// cell prints a figure: the median, and the minimum in parentheses.
func (f figure) cell(format func(float64) string) string {
	return fmt.Sprintf("%s (%s)", format(f.median), format(f.min))
}

// duration prints a time in nanoseconds with three digits.
func duration(ns float64) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if ns >= float64(unit.of) {
			return significant(ns/float64(unit.of)) + " " + unit.name
		}
	}
	return significant(ns) + " ns"
}

// moreMilliseconds prints by how many milliseconds a time in nanoseconds is
// longer than another one.
func moreMilliseconds(ns float64) string { return fmt.Sprintf("%+.2f ms", ns/1e6) }

// megabytes prints a number of bytes, and moreMegabytes one that is added.
func megabytes(bytes float64) string     { return fmt.Sprintf("%.1f MB", bytes/1e6) }
func moreMegabytes(bytes float64) string { return fmt.Sprintf("%+.1f MB", bytes/1e6) }

// times prints a factor with two digits, or more before the point.
func times(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f×", v)
	}
	if v >= 1 {
		return fmt.Sprintf("%.1f×", v)
	}
	return fmt.Sprintf("%.2f×", v)
}

// closeTimes prints a factor near 1.
func closeTimes(v float64) string { return fmt.Sprintf("%.2f×", v) }

// significant prints three digits, or more before the point.
func significant(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// atMost says whether a value reaches a goal that is an upper limit.
func atMost(limit, value float64, format func(float64) string) string {
	return "≤ " + format(limit) + verdict(value <= limit)
}

// atLeast says whether a value reaches a goal that is a lower limit.
func atLeast(limit, value float64, format func(float64) string) string {
	return "≥ " + format(limit) + verdict(value >= limit)
}

func verdict(met bool) string {
	if met {
		return ": met"
	}
	return ": **missed**"
}
