package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ours is the contender that the others are compared with.
const ours = "promptecho"

// results are the values of all repetitions.
type results struct {
	cpu        string
	rows       []string // benchmarks without their contender, in the order they ran
	contenders []string // likewise
	values     map[cell][]float64
}

// A cell is one value of a benchmark.
type cell struct{ row, contender, unit string }

func newResults() *results { return &results{values: map[cell][]float64{}} }

// A benchmark's name ends in its contender and, behind that, GOMAXPROCS.
var benchmark = regexp.MustCompile(`^Benchmark(\S+)/contender=(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// parse adds the output of a run.
func (r *results) parse(output string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			r.cpu = cpu
		}
		m := benchmark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if !slices.Contains(r.rows, m[1]) {
			r.rows = append(r.rows, m[1])
		}
		if !slices.Contains(r.contenders, m[2]) {
			r.contenders = append(r.contenders, m[2])
		}
		fields := strings.Fields(m[3])
		for i := 0; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				break
			}
			c := cell{m[1], m[2], fields[i+1]}
			r.values[c] = append(r.values[c], v)
		}
	}
}

// median returns the median of a cell, and whether it has one.
func (r *results) median(row, contender, unit string) (float64, bool) {
	return quantile(r.values[cell{row, contender, unit}], 0.5)
}

func quantile(values []float64, q float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i], true
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i]), true
}

// spread returns how far the middle half of our times lies apart, as a part of
// the median, in the median row.
func (r *results) spread() float64 {
	var all []float64
	for _, row := range r.rows {
		values := r.values[cell{row, ours, "ns/op"}]
		if m, ok := quantile(values, 0.5); ok && m > 0 {
			low, _ := quantile(values, 0.25)
			high, _ := quantile(values, 0.75)
			all = append(all, (high-low)/m)
		}
	}
	s, _ := quantile(all, 0.5)
	return s
}

// A section is a table of the report: one unit of one benchmark.
type section struct {
	title, benchmark, unit string
	format                 func(float64) string
	compared               bool // with how many times ours the others are
}

var sections = []section{
	{"A typical test: open, 5 calls, close", "Typical", "ns/op", duration, true},
	{"A typical test, allocations", "Typical", "allocs/op", count, false},
	{"File: bytes on disk for each byte of the bodies of requests and answers", "Typical", "file/raw", hundredths, false},
	{"Opening a cassette of n calls", "Open", "ns/op", duration, true},
	{"Opening a cassette of n calls, allocations", "Open", "allocs/op", count, false},
	{"Replaying one call of n", "Replay", "ns/op", duration, true},
	{"Recording n calls and saving them, for each call", "Record", "ns/call", duration, true},
	{"A stream of 200 events", "Stream", "ns/op", duration, true},
	{"A stream of 200 events, reading alone", "Stream", "ns/reading", duration, true},
	{"A stream of 200 events: Reads that the client sees", "Stream", "reads/op", count, false},
	{"A cassette of 100 MB: opening it", "Resident", "ns/op", duration, true},
	{"A cassette of 100 MB of which 10 of 1,000 calls are used: peak of resident memory, MB", "Resident", "MB-peak", count, false},
	{"Building the binary of a small test, all of it", "BuildTime", "ns/op", duration, false},
	{"The binary of a small test, MB", "BuildSize", "MB-binary", hundredths, false},
}

// render writes a table for each section that has values.
func (r *results) render(w io.Writer) {
	for _, s := range sections {
		r.table(w, s)
	}
}

func (r *results) table(w io.Writer, s section) {
	var rows, columns []string
	for _, row := range r.rows {
		if row == s.benchmark || strings.HasPrefix(row, s.benchmark+"/") {
			rows = append(rows, row)
		}
	}
	for _, c := range r.contenders {
		if slices.ContainsFunc(rows, func(row string) bool { return r.values[cell{row, c, s.unit}] != nil }) {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### %s\n\n| | %s | goal |\n|---|%s---|\n", s.title, strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)))
	for _, row := range rows {
		label := strings.TrimPrefix(strings.TrimPrefix(row, s.benchmark), "/")
		fmt.Fprintf(w, "| %s |", strings.ReplaceAll(label, "/", ", "))
		us, _ := r.median(row, ours, s.unit)
		for _, c := range columns {
			switch v, ok := r.median(row, c, s.unit); {
			case !ok:
				fmt.Fprint(w, " |")
			case s.compared && c != ours && us > 0:
				fmt.Fprintf(w, " %s (%s) |", s.format(v), times(v/us))
			default:
				fmt.Fprintf(w, " %s |", s.format(v))
			}
		}
		var verdicts []string
		for _, g := range goals {
			if g.row == row && g.unit == s.unit {
				verdicts = append(verdicts, r.verdict(g))
			}
		}
		fmt.Fprintf(w, " %s |\n", strings.Join(verdicts, "<br>"))
	}
}

func duration(ns float64) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if ns >= float64(u.of) {
			return significant(ns/float64(u.of)) + " " + u.name
		}
	}
	return significant(ns) + " ns"
}

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

// times is a rough factor: how much longer a contender takes is told by its first
// digits.
func times(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0fx", v)
	case v < 0.001:
		return "<0.001x"
	}
	return fmt.Sprintf("%.2gx", v)
}

// ratio is a factor that is held to a limit.
func ratio(v float64) string { return significant(v) + "x" }

func count(v float64) string      { return fmt.Sprintf("%.0f", v) }
func hundredths(v float64) string { return fmt.Sprintf("%.2f", v) }
