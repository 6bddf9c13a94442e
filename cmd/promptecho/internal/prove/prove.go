// Package prove collects the results of tests that are replayed many times, and finds out why they
// differ from run to run: one finding for each cause, over all tests, with the line of code
// that sends the request and a remedy. Only the command needs it.
package prove

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A Round is one run of go test, in which each test runs several times.
type Round struct {
	How   string   // for people
	Flags []string // of go test
	Procs []int    // GOMAXPROCS of each run of a test, in their order; 0 for the default
}

// Rounds returns rounds in which each test runs n times in all. About three quarters of the runs
// are in parallel with other tests, with GOMAXPROCS 1, 2 and the number of processors. The others
// are alone. All are in random order.
func Rounds(n, processors int) []Round {
	if n < 2 {
		return []Round{{How: "as ever", Procs: []int{0}}}
	}
	procs := []int{1, 2, processors}
	slices.Sort(procs)
	procs = slices.Compact(procs)
	runsOfEach := max(1, n*3/4/len(procs))
	mostProcs := n - 1 // one run is alone
	procs = procs[max(0, len(procs)-mostProcs):]

	var names []string
	parallel := Round{How: "in parallel"}
	for _, p := range procs {
		names = append(names, fmt.Sprint(p))
		parallel.Procs = append(parallel.Procs, slices.Repeat([]int{p}, runsOfEach)...)
	}
	parallel.Flags = []string{
		"-cpu=" + strings.Join(names, ","),
		fmt.Sprintf("-count=%d", runsOfEach),
		"-shuffle=on",
	}

	runsAlone := n - len(parallel.Procs)
	alone := Round{
		How:   "alone",
		Flags: []string{"-parallel=1", fmt.Sprintf("-count=%d", runsAlone), "-shuffle=on"},
		Procs: slices.Repeat([]int{0}, runsAlone),
	}
	return []Round{parallel, alone}
}

// A Waiting is a test that takes time although replayed answers take none.
type Waiting struct {
	Package string  `json:"package"`
	Test    string  `json:"test"`
	Seconds float64 `json:"seconds"` // the median of all runs
}

// Results are the results of all rounds.
type Results struct {
	Runs     int // the number of runs of all tests
	findings []*Finding
	runs     map[testKey]*runs
}

// runs are the runs of one test.
type runs struct {
	count       int
	inRound     int            // the number of runs in the present round
	byCondition map[string]int // the number of runs under a condition, such as "in parallel"
	seconds     []float64      // how long each run took
	hasRecorder bool
	cassettes   []string
}

// Begin begins a round.
func (r *Results) Begin() {
	for _, t := range r.runs {
		t.inRound = 0
	}
}

// Add adds a run of a test in a round.
func (r *Results) Add(t *suite.Test, round *Round) {
	key := testKey{t.Package, t.Name}
	conditions := r.addRun(key, t, round)
	hasPassed := t.Status == suite.Pass || t.Status == suite.Skip
	causes := t.Causes
	if !hasPassed {
		causes = failureCauses(t)
	}

	counted := map[*Finding]bool{} // the findings that this run is counted for
	for _, c := range causes {
		f := r.addCause(key, c)
		f.Note = f.Note && hasPassed
		if counted[f] {
			continue
		}
		counted[f] = true
		f.Tests[0].Failed++
		for _, condition := range conditions {
			f.byCondition[condition]++
		}
	}
}

// addRun counts a run of a test. It returns the conditions of the run: how the round runs tests,
// and GOMAXPROCS.
func (r *Results) addRun(key testKey, t *suite.Test, round *Round) (conditions []string) {
	if r.runs == nil {
		r.runs = map[testKey]*runs{}
	}
	ofTest := r.runs[key]
	if ofTest == nil {
		ofTest = &runs{byCondition: map[string]int{}}
		r.runs[key] = ofTest
	}

	conditions = []string{round.How}
	if i := ofTest.inRound; i < len(round.Procs) && round.Procs[i] > 0 {
		conditions = append(conditions, fmt.Sprintf("GOMAXPROCS=%d", round.Procs[i]))
	}
	for _, condition := range conditions {
		ofTest.byCondition[condition]++
	}
	r.Runs++
	ofTest.count++
	ofTest.inRound++
	ofTest.hasRecorder = ofTest.hasRecorder || t.Linked
	ofTest.seconds = append(ofTest.seconds, t.Seconds)
	for _, file := range t.Cassettes {
		ofTest.cassettes = addNew(ofTest.cassettes, file)
	}
	return conditions
}

// failureCauses returns the causes for which a test failed. What follows from a miss is left out
// if there is another cause.
func failureCauses(t *suite.Test) []attr.Cause {
	follows := func(c attr.Cause) bool { return c.Code == finding.FollowsMiss }
	causes := slices.DeleteFunc(slices.Clone(t.Causes), follows)
	if len(causes) > 0 {
		return causes
	}
	if len(t.Causes) > 0 {
		return t.Causes
	}
	// A test that fails only because of a subtest prints one line, its verdict. The subtest has
	// the cause.
	hasOwnOutput := strings.Count(t.Output, "\n") > 1
	if t.Status == suite.Stopped || hasOwnOutput {
		return []attr.Cause{ownCause(t)}
	}
	return nil
}

// ownCause returns the cause of a test that failed although its requests fit its cassette.
func ownCause(t *suite.Test) attr.Cause {
	output := t.Output
	code := finding.TestFails
	if t.Status == suite.Fail {
		_, output, _ = strings.Cut(output, "\n") // the first line is the verdict
	}
	switch {
	case strings.Contains(output, "DATA RACE"):
		code = finding.DataRace
	case strings.Contains(output, "panic: "):
		code = finding.ProgramPanics
	}
	c := attr.Cause{Code: code, Detail: strings.TrimRight(output, "\n")}
	for _, m := range lineOfCode.FindAllStringSubmatch(output, -1) {
		place := m[1]
		isInStdlib := strings.Contains(place, "/src/testing/") || strings.Contains(place, "/src/runtime/")
		if !isInStdlib {
			c.Caller = place
			break
		}
	}
	return c
}

// lineOfCode finds the file and line at the beginning of a line of output.
var lineOfCode = regexp.MustCompile(`(?m)^\s+([\w./-]+\.go:\d+)`)

// addCause adds a cause of a test to the finding that it belongs to, and returns the finding.
func (r *Results) addCause(test testKey, c attr.Cause) *Finding {
	// A recording that was not used has no line that sent its request, but one in the cassette.
	c.Caller = cmp.Or(c.Caller, c.At)
	f := r.findingOf(test, c)
	f.Callers = addNew(f.Callers, c.Caller)
	for _, option := range c.Options {
		f.options = withOption(f.options, option)
	}
	for _, e := range c.Edits {
		if f.values[e.Path] == nil {
			f.values[e.Path] = []string{e.Recorded}
		}
		f.values[e.Path] = addNew(f.values[e.Path], e.Incoming)
	}
	return f
}

// findingOf returns the finding of a test that a cause belongs to: one with the same line of code
// and the same first field, or one with the same code and reason. If there is none, it adds one.
func (r *Results) findingOf(test testKey, c attr.Cause) *Finding {
	reason := cmp.Or(c.Reason, ownReasons[c.Code])
	for _, f := range r.findings {
		hasSameField := len(f.Edits) > 0 && len(c.Edits) > 0 && f.Edits[0].Path == c.Edits[0].Path
		isSamePlace := hasSameField && slices.Contains(f.Callers, c.Caller)
		isSameReason := f.Code == c.Code && f.Reason == reason
		if f.Tests[0].key() == test && (isSamePlace || isSameReason) {
			return f
		}
	}
	f := &Finding{
		Code:        c.Code,
		Reason:      reason,
		Detail:      c.Detail,
		Edits:       c.Edits,
		Note:        true,
		Tests:       []Tested{{Package: test.pkg, Test: test.name}},
		hints:       c.Hints,
		values:      map[string][]string{},
		byCondition: map[string]int{},
	}
	r.findings = append(r.findings, f)
	return f
}

// Findings returns the findings, those of the most tests first. Findings of several tests become
// one if they have the same remedy. hasAmbiguousRequests reports whether a test has recordings of
// one request, sent in parallel, with different answers.
func (r *Results) Findings(hasAmbiguousRequests func(test Tested) bool) (list []*Finding) {
	for _, ofTest := range r.findings {
		// A copy, since merge changes it and Findings may be called again.
		f := *ofTest
		f.Tests = slices.Clone(ofTest.Tests)
		f.byCondition = maps.Clone(ofTest.byCondition)
		t := &f.Tests[0] // the only one before merge
		t.Runs = r.runs[t.key()].count
		f.Remedy = f.remedy(hasAmbiguousRequests(*t))

		i := slices.IndexFunc(list, f.hasSameRemedy)
		if i < 0 {
			list = append(list, &f)
		} else {
			list[i].merge(&f)
		}
	}
	for _, f := range list {
		f.Where = r.exactConditions(f)
	}
	slices.SortStableFunc(list, func(a, b *Finding) int { return cmp.Compare(len(b.Tests), len(a.Tests)) })
	return list
}

// exactConditions returns the conditions under which a finding occurs in every run of its tests,
// and without which it never occurs, such as "GOMAXPROCS=1" or "alone". Two or more runs under the
// condition and two or more other runs are needed: with fewer, it may be chance.
//
//	with the finding:   runs with GOMAXPROCS=1   other runs   result
//	                    3 of 3                   0 of 6       GOMAXPROCS=1
//	                    2 of 3                   0 of 6       none
//	                    3 of 3                   1 of 6       none
//	                    1 of 1                   0 of 6       none
func (r *Results) exactConditions(f *Finding) (conditions []string) {
	runsWithFinding := 0
	for _, t := range f.Tests {
		runsWithFinding += t.Failed
	}
	for condition, runsWithBoth := range f.byCondition {
		runsWithCondition := 0
		otherRuns := 0
		for _, t := range f.Tests {
			ofTest := r.runs[t.key()]
			runsWithCondition += ofTest.byCondition[condition]
			otherRuns += ofTest.count - ofTest.byCondition[condition]
		}
		inEveryRunWithCondition := runsWithBoth == runsWithCondition
		inNoOtherRun := runsWithBoth == runsWithFinding
		hasEnoughRuns := runsWithCondition >= 2 && otherRuns >= 2
		if inEveryRunWithCondition && inNoOtherRun && hasEnoughRuns {
			conditions = append(conditions, condition)
		}
	}
	slices.Sort(conditions)
	return conditions
}

// Cassettes returns the cassettes of a test.
func (r *Results) Cassettes(pkg, test string) []string { return r.runs[testKey{pkg, test}].cassettes }

// Waits returns the tests with recorders that take minSeconds or more, the slowest first.
func (r *Results) Waits(minSeconds float64) (list []Waiting) {
	for key, ofTest := range r.runs {
		slices.Sort(ofTest.seconds)
		median := ofTest.seconds[len(ofTest.seconds)/2]
		if ofTest.hasRecorder && median >= minSeconds {
			list = append(list, Waiting{key.pkg, key.name, median})
		}
	}
	slices.SortFunc(list, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Package+a.Test, b.Package+b.Test))
	})
	return list
}
