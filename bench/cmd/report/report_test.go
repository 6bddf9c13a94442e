package main

import (
	"bytes"
	"strings"
	"testing"
)

const sample = `goos: linux
cpu: Some CPU
BenchmarkTypical/size=1KB/contender=promptecho-2   18   3000 ns/op   1.60 file/raw   900 B/op   130 allocs/op
BenchmarkTypical/size=1KB/contender=go-vcr-2       43   90000 ns/op   1.56 file/raw   37 B/op   4116 allocs/op
BenchmarkTypical/size=1KB/contender=promptecho-2   18   5000 ns/op   1.60 file/raw   900 B/op   132 allocs/op
BenchmarkTypical/size=1KB/contender=jsonhash       18   2000 ns/op   900 B/op   132 allocs/op
BenchmarkTypical/size=1KB/contender=promptecho-2   18   4000 ns/op   1.60 file/raw   900 B/op   131 allocs/op
BenchmarkStream/contender=copy-2                   18   2000 ns/op
BenchmarkStream/contender=promptecho-2             18   3000 ns/op
PASS
`

func TestReport(t *testing.T) {
	r := newResults()
	r.parse(sample)
	if r.cpu != "Some CPU" {
		t.Errorf("cpu %q", r.cpu)
	}
	var b bytes.Buffer
	r.render(&b)
	got := b.String()
	for _, want := range []string{
		"| | promptecho | go-vcr | jsonhash | goal |\n|---|--:|--:|--:|---|\n",
		"| size=1KB | 4.00 µs | 90.0 µs (22x) | 2.00 µs (0.5x) | ≥ 20x faster than go-vcr: met (22.5x)<br>not slower than jsonhash: **missed** (0.50x) |",
		"| size=1KB | 131 | 4116 | 132 | ≤ 135: met (131) |",
		"| size=1KB | 1.60 | 1.56 | ≤ 1.5: **missed** (1.60) |",
		"| | promptecho | copy | goal |\n",
		"|  | 3.00 µs | 2.00 µs (0.67x) | ≤ 2x of copy: met (1.50x) |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks\n%s\nin\n%s", want, got)
		}
	}
	if met, missed := r.judge(); met != 3 || missed != 2 {
		t.Errorf("%d goals met, %d missed", met, missed)
	}
}

func TestFlat(t *testing.T) {
	for last, want := range map[string]string{"130": "met (1.30x)", "131": "**missed** (1.31x)"} {
		r := newResults()
		for n, ns := range map[string]string{"10": "100", "100": "110", "1000": "120", "10000": last} {
			r.parse("BenchmarkReplay/n=" + n + "/which=last/contender=promptecho-2 1 " + ns + " ns/op\n")
		}
		if got := r.verdict(flat("last")); !strings.HasSuffix(got, want) {
			t.Errorf("%s ns: %s, want %s", last, got, want)
		}
	}
}

func TestInsert(t *testing.T) {
	page := []byte("before\n" + begin + "old\n" + end + "after\n")
	got, err := insert(page, []byte("new\n"))
	if want := "before\n" + begin + "new\n" + end + "after\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := insert([]byte("no marks\n"), nil); err == nil {
		t.Error("a page without marks was taken")
	}
}

// A goal is shown only if a section shows its cell.
func TestGoalsAreShown(t *testing.T) {
	for _, g := range goals {
		shown := false
		for _, s := range sections {
			shown = shown || strings.HasPrefix(g.row+"/", s.benchmark+"/") && g.unit == s.unit
		}
		if !shown {
			t.Errorf("no section shows %s of %s", g.text, g.row)
		}
	}
}
