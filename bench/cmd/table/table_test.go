package main

import (
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/bench"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 3}, 4},
	} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.values, got, tt.want)
		}
	}
}

// Contenders are compared in each round, so one round in which the machine was
// slow for both does not change the median.
func TestComparisonsArePaired(t *testing.T) {
	s := samples{"a": {2, 20, 4}, "b": {1, 10, 1}}
	if got := s.ratio("a", "b"); got != (figure{median: 2, min: 2}) {
		t.Errorf("ratio %+v", got)
	}
	if got := s.difference("a", "b"); got != (figure{median: 3, min: 1}) {
		t.Errorf("difference %+v", got)
	}
	if got := s.of("a"); got != (figure{median: 4, min: 2}) {
		t.Errorf("a is %+v", got)
	}
}

// The first round does not count, and every second round goes backwards.
func TestRounds(t *testing.T) {
	var order strings.Builder
	s, err := rounds(2, []string{"a", "b"}, func(name string) (float64, error) {
		order.WriteString(name)
		return float64(order.Len()), nil
	})
	if err != nil || order.String() != "abbaab" {
		t.Errorf("order %s, %v", &order, err)
	}
	if len(s["a"]) != 2 || s["a"][0] != 4 || s["a"][1] != 5 {
		t.Errorf("a is %v", s["a"])
	}
}

func TestLoopTable(t *testing.T) {
	got := loopTable([]string{none, "go-vcr", ours}, loopSamples{
		edits:  samples{none: {1e9}, "go-vcr": {1.02e9}, ours: {1.05e9}},
		firsts: samples{none: {1e9}, "go-vcr": {2e9}, ours: {5e9}},
		starts: samples{none: {3.6e6}, "go-vcr": {3.8e6}, ours: {4.1e6}},
		sizes:  samples{none: {10e6}, "go-vcr": {11.1e6}, ours: {14e6}},
	}).String()
	const want = `| what | none | go-vcr | promptecho | goal |
|---|--:|--:|--:|---|
| edit, compile, link, start | 1.00 s (1.00 s) | 1.02× (1.02×) | 1.05× (1.05×) | ≤ 1.06×: met |
| start of the test binary | 3.60 ms (3.60 ms) | +0.20 ms (+0.20 ms) | +0.50 ms (+0.50 ms) | ≤ +0.35 ms: **missed** |
| size of the test binary | 10.0 MB | +1.1 MB | +4.0 MB | ≤ +4.3 MB: met |
| the first build | 1.00 s (1.00 s) | 2.0× (2.0×) | 5.0× (5.0×) |  |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReplayRow(t *testing.T) {
	all := samples{ours: {100e3, 200e3}, "go-vcr": {1400e3, 2800e3}, "httprr": {80e3, 240e3}}
	got := strings.Join(replayRow("8KB", []string{"go-vcr", "httprr"}, all), " | ")
	const want = "8 KB | 150 µs (100 µs) | 14× (14×) | 1.0× (0.80×) | " +
		"go-vcr ≥ 15×: **missed**<br>httprr ≥ 1.0×: met"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRecordingRow(t *testing.T) {
	for _, r := range bench.Recordings(0.05) {
		all := samples{ours: {4e6}, "go-vcr": {2e6}, "httprr": {1e6}}
		cells := recordingRow(r, []string{"go-vcr", "httprr"}, all)
		want := "go-vcr ≤ 1.5×: **missed**"
		if r.LongStream {
			want = "go-vcr ≤ 3.0×: met"
		}
		if got := cells[len(cells)-1]; got != want {
			t.Errorf("%s: %s, want %s", cells[0], got, want)
		}
	}
}

// The line above a table has the command that prints the same table.
func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		s    settings
		want string
	}{
		{settings{peers: strings.Split(defaultPeers, ",")}, "go -C bench run ./cmd/table -run loop"},
		{settings{peers: []string{"seborama"}, quick: true}, "go -C bench run ./cmd/table -run loop -quick -peers seborama"},
	} {
		if got := tt.s.command("loop"); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// Each workload has a label, and each goal is one of a workload.
func TestLabels(t *testing.T) {
	known := map[string]bool{}
	for _, w := range bench.Tests() {
		known[w.Name] = true
	}
	for _, g := range replayGoals {
		if !known[g.workload] {
			t.Errorf("a goal for %s, which is not measured", g.workload)
		}
	}
	for _, r := range bench.Recordings(0.05) {
		known[r.Workload.Name] = true
	}
	for name := range known {
		if labels[name] == "" {
			t.Errorf("no label for %s", name)
		}
	}
}

// The page has a place for each part, and for the table of growth.
func TestPageHasAPlaceForEachPart(t *testing.T) {
	page, err := os.ReadFile("../../../docs/PERFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(parts, part{name: "growth"}) {
		if !strings.Contains(string(page), "<!-- "+p.name+":begin -->\n") {
			t.Errorf("no place for %s", p.name)
		}
	}
}

// An edit gives the test a name that it did not have.
func TestEdit(t *testing.T) {
	b := &build{source: "/src/build_test.go", text: []byte("func TestAsk("), dir: t.TempDir()}
	seen := map[string]bool{}
	for range 3 {
		if _, err := b.edit(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(b.dir + "/build_test.go")
		if err != nil || seen[string(text)] || !strings.HasPrefix(string(text), "func TestAsk") {
			t.Errorf("%s, %v", text, err)
		}
		seen[string(text)] = true
	}
}
