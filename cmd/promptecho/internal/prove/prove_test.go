package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// Rounds run each test n times, whatever the number of processors.
func TestRounds(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 50; n++ {
		for _, processors := range []int{1, 2, 3, 8} {
			total := 0
			for _, round := range Rounds(n, processors) {
				total += len(round.Procs)
				if len(round.Procs) == 0 {
					t.Errorf("%d times on %d processors: %+v runs nothing", n, processors, round)
				}
			}
			if total != n {
				t.Errorf("%d times on %d processors: %d runs", n, processors, total)
			}
		}
	}
}

// add adds runs of a test. Each fails with an edit, or passes if the edit has no path.
func add(r *Results, test, caller, option string, edits ...attr.Edit) {
	var options []advice.Option
	if option != "" {
		options = append(options, advice.New(advice.Name(option)))
	}
	r.Begin()
	round := Rounds(20, 2)[0]
	for _, e := range edits {
		one := &suite.Test{Package: "p", Name: test, Status: suite.Pass, Linked: true}
		if e.Path != "" {
			one.Status = suite.Fail
			one.Causes = []attr.Cause{{Reason: "the nearest recording differs in " + e.Path, Caller: caller, Options: options, Edits: []attr.Edit{e}}}
		}
		r.Add(one, &round)
	}
}

// There is one finding for each cause, over all tests, with a remedy that is derived from the
// values of all runs.
func TestFindings(t *testing.T) {
	t.Parallel()
	drawn := func(path, format string) (edits []attr.Edit) {
		for i := range 4 {
			edits = append(edits, attr.Edit{Path: path, Recorded: fmt.Sprintf(format, "k1z"), Incoming: fmt.Sprintf(format, fmt.Sprint("x", i*7, "y"))})
		}
		return edits
	}
	fixed := attr.Edit{Path: "messages/0/content", Recorded: "first", Incoming: "again"}
	for _, tt := range []struct {
		name   string
		add    func(r *Results)
		remedy string
		tests  int
	}{
		{"a value in a text", func(r *Results) {
			add(r, "TestA", "a.go:1", "", drawn("messages/0/content", "Say nonce: %s and go")...)
		}, "promptecho.Mask(`Say nonce: [\\w-]+`, \"Say nonce:\")", 1},
		{"a field of its own", func(r *Results) { add(r, "TestA", "a.go:1", "", drawn("trace", "%s")...) }, `promptecho.Ignore("trace")`, 1},
		{"a parameter", func(r *Results) { add(r, "TestA", "a.go:1", "", drawn("query/state", "a %s")...) }, `promptecho.Ignore("query/state")`, 1},
		{"two tests that one option ends", func(r *Results) {
			add(r, "TestA", "a.go:1", "MaskUUIDs", drawn("system", "%s")...)
			add(r, "TestB", "b.go:1", "MaskUUIDs", drawn("system", "%s")...)
		}, `promptecho.MaskUUIDs(); or have the program make its random ids with rec.Rand("ids")`, 2},
		{"what all runs ask", func(r *Results) { add(r, "TestA", "a.go:1", "", fixed, fixed, fixed) }, "every run sends this request, and none sends the recorded one", 1},
		{"what some runs ask", func(r *Results) { add(r, "TestA", "a.go:1", "", fixed, attr.Edit{}, fixed) }, "only some runs send this, and it is not recorded", 1},
	} {
		var r Results
		tt.add(&r)
		found := r.Findings(func(Tested) bool { return false })
		if len(found) != 1 || !strings.HasPrefix(found[0].Remedy, tt.remedy) || len(found[0].Tests) != tt.tests {
			t.Errorf("%s: %+v", tt.name, found)
			for _, f := range found {
				t.Errorf("%s: %s", tt.name, f.Remedy)
			}
		}
	}
}

// A test that fails on its own is a finding with its line. The parent of a failed subtest is
// none. A failure that follows from a miss is not listed next to the miss.
func TestOwnFailures(t *testing.T) {
	t.Parallel()
	var r Results
	round := Rounds(1, 2)[0]
	r.Begin()
	r.Add(&suite.Test{Package: "p", Name: "TestA/x", Status: suite.Fail, Linked: true, Output: "--- FAIL: TestA/x\n    a_test.go:7: 2, want 3\n"}, &round)
	r.Add(&suite.Test{Package: "p", Name: "TestA", Status: suite.Fail, Output: "--- FAIL: TestA\n"}, &round)
	r.Add(&suite.Test{Package: "p", Name: "TestB", Status: suite.Fail, Linked: true, Done: attr.Done{Causes: []attr.Cause{{Code: finding.NotRecorded, Reason: "not recorded"}, {Code: finding.FollowsMiss, Reason: "follows"}}}}, &round)
	var got []string
	for _, f := range r.Findings(func(Tested) bool { return true }) {
		got = append(got, f.Reason+" "+strings.Join(f.Callers, " "))
		if f.Tests[0].Test == "TestA/x" && !strings.Contains(f.Remedy, "promptecho.WithName") {
			t.Errorf("the remedy is %s", f.Remedy)
		}
	}
	slices.Sort(got)
	if want := []string{"not recorded ", "the test fails, though its requests fit the cassette a_test.go:7"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
