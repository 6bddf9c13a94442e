// Package prove replays tests many times and tells by what they differ from run to run: one
// finding for each cause, over all tests, with the line that asks and what ends it. Only the
// command needs it.
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

// A Round is one go test, in which each test runs several times.
type Round struct {
	How   string   // for people
	Flags []string // of go test
	Procs []int    // GOMAXPROCS of each run of a test, in their order; 0 is as it is
}

// Rounds returns what runs each test n times: most of them in parallel where tests are, under
// one, two and all processors of the machine, and some alone; all of them in another order.
func Rounds(n, processors int) (rounds []Round) {
	if n < 2 {
		return []Round{{"as ever", nil, []int{0}}}
	}
	procs := []int{1, 2, processors}
	slices.Sort(procs)
	procs = slices.Compact(procs)
	each := max(1, n*3/4/len(procs))
	procs = procs[max(0, len(procs)-(n-1)):]
	var names []string
	parallel := Round{How: "in parallel"}
	for _, p := range procs {
		names = append(names, fmt.Sprint(p))
		parallel.Procs = append(parallel.Procs, slices.Repeat([]int{p}, each)...)
	}
	parallel.Flags = []string{"-cpu=" + strings.Join(names, ","), fmt.Sprintf("-count=%d", each), "-shuffle=on"}
	alone := n - len(parallel.Procs)
	return []Round{parallel, {"alone", []string{"-parallel=1", fmt.Sprintf("-count=%d", alone), "-shuffle=on"}, slices.Repeat([]int{0}, alone)}}
}

// A Waiting is a test that takes time although its answers take none.
type Waiting struct {
	Package string  `json:"package"`
	Test    string  `json:"test"`
	Seconds float64 `json:"seconds"` // in the middle of all runs
}

// Results are what came of the runs.
type Results struct {
	Runs     int // of tests
	findings []*Finding
	runs     map[[2]string]*runs
}

// runs are those of one test.
type runs struct {
	n       int
	inRound int
	seconds []float64
	linked  bool
	files   []string       // its cassettes
	how     map[string]int // how many runs were of a kind
}

// Begin begins a round.
func (r *Results) Begin() {
	for _, t := range r.runs {
		t.inRound = 0
	}
}

// Add adds a run of a test that has ended.
func (r *Results) Add(t *suite.Test, round *Round) {
	key := [2]string{t.Package, t.Name}
	if r.runs == nil {
		r.runs = map[[2]string]*runs{}
	}
	one := r.runs[key]
	if one == nil {
		one = &runs{}
		r.runs[key] = one
	}
	r.Runs++
	one.n++
	one.linked = one.linked || t.Linked
	for _, file := range t.Cassettes {
		one.files = addNew(one.files, file)
	}
	one.seconds = append(one.seconds, t.Seconds)
	how := []string{round.How}
	if i := one.inRound; i < len(round.Procs) && round.Procs[i] > 0 {
		how = append(how, fmt.Sprintf("GOMAXPROCS=%d", round.Procs[i]))
	}
	one.inRound++
	if one.how == nil {
		one.how = map[string]int{}
	}
	for _, h := range how {
		one.how[h]++
	}
	hasPassed := t.Status == suite.Pass || t.Status == suite.Skip
	counted := map[*Finding]bool{} // in this run
	find := func(c attr.Cause) {
		f := r.find(key, c)
		f.Note = f.Note && hasPassed
		if counted[f] {
			return
		}
		counted[f] = true
		f.Tests[0].Failed++
		for _, h := range how {
			f.how[h]++
		}
	}
	if hasPassed {
		for _, c := range t.Causes {
			find(c)
		}
		return
	}
	causes := slices.DeleteFunc(slices.Clone(t.Causes), func(c attr.Cause) bool { return c.Code == finding.FollowsMiss })
	if len(causes) == 0 && len(t.Causes) > 0 {
		causes = t.Causes
	}
	for _, c := range causes {
		find(c)
	}
	if len(causes) == 0 && (t.Status == suite.Stopped || strings.Count(t.Output, "\n") > 1) { // else a subtest says it
		find(own(t))
	}
}

// own returns why a test failed that fits its cassette.
func own(t *suite.Test) attr.Cause {
	output := t.Output
	code := finding.TestFails
	if t.Status == suite.Fail {
		_, output, _ = strings.Cut(output, "\n") // without the verdict
	}
	switch {
	case strings.Contains(output, "DATA RACE"):
		code = finding.DataRace
	case strings.Contains(output, "panic: "):
		code = finding.ProgramPanics
	}
	c := attr.Cause{Code: code, Detail: strings.TrimRight(output, "\n")}
	for _, m := range failure.FindAllStringSubmatch(output, -1) {
		if !strings.Contains(m[1], "/src/testing/") && !strings.Contains(m[1], "/src/runtime/") {
			c.Caller = m[1]
			break
		}
	}
	return c
}

var failure = regexp.MustCompile(`(?m)^\s+([\w./-]+\.go:\d+)`)

// find adds a cause to the finding that it is of.
func (r *Results) find(test [2]string, c attr.Cause) *Finding {
	c.Caller = cmp.Or(c.Caller, c.At) // nothing was asked: the line of what was not
	f := r.findingOf(Tested{Package: test[0], Test: test[1]}, c)
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

// findingOf returns the finding of a test that a cause belongs to: that of the same place in
// the program and of the same first field, or of the same reason.
func (r *Results) findingOf(test Tested, c attr.Cause) *Finding {
	for _, f := range r.findings {
		sameField := len(f.Edits) > 0 && len(c.Edits) > 0 && f.Edits[0].Path == c.Edits[0].Path && slices.Contains(f.Callers, c.Caller)
		isOfTest := f.Tests[0].Package == test.Package && f.Tests[0].Test == test.Test
		sameCause := f.Code == c.Code && f.Reason == cmp.Or(c.Reason, ownReasons[c.Code])
		if isOfTest && (sameField || sameCause) {
			return f
		}
	}
	f := &Finding{Code: c.Code, hints: c.Hints, Reason: cmp.Or(c.Reason, ownReasons[c.Code]), Detail: c.Detail, Edits: c.Edits, Note: true, Tests: []Tested{test}, values: map[string][]string{}, how: map[string]int{}}
	r.findings = append(r.findings, f)
	return f
}

// Findings returns what was found, what most tests have first. Findings of several tests are
// one if the same ends them: the same options, or a change of code in the same line.
func (r *Results) Findings(sameAsked func(test Tested) bool) (list []*Finding) {
	for _, one := range r.findings {
		f := *one
		f.Tests, f.how = slices.Clone(one.Tests), maps.Clone(one.how)
		t := &f.Tests[0]
		t.Runs = r.runs[[2]string{t.Package, t.Test}].n
		f.Remedy = f.remedy(sameAsked(*t))
		i := slices.IndexFunc(list, func(o *Finding) bool {
			isOption := strings.HasPrefix(f.Remedy, "promptecho.")
			sameLine := len(f.Callers) > 0 && len(o.Callers) > 0 && f.Callers[0] == o.Callers[0] && slices.Equal(f.Edits, o.Edits)
			return o.Remedy == f.Remedy && o.Reason == f.Reason && (isOption || sameLine)
		})
		if i < 0 {
			list = append(list, &f)
		} else {
			list[i].merge(&f)
		}
	}
	for _, f := range list {
		failed := 0
		for _, t := range f.Tests {
			failed += t.Failed
		}
		for how, n := range f.how {
			all, others := 0, 0 // runs of the kind, and others
			for _, t := range f.Tests {
				one := r.runs[[2]string{t.Package, t.Test}]
				all, others = all+one.how[how], others+one.n-one.how[how]
			}
			if n == failed && n == all && n > 1 && others > 1 {
				f.Where = append(f.Where, how)
			}
		}
		slices.Sort(f.Where)
	}
	slices.SortStableFunc(list, func(a, b *Finding) int { return cmp.Compare(len(b.Tests), len(a.Tests)) })
	return list
}

// Cassettes returns the cassettes of a test.
func (r *Results) Cassettes(pkg, test string) []string { return r.runs[[2]string{pkg, test}].files }

// Waits returns the tests that take this many seconds and more, the longest first.
func (r *Results) Waits(least float64) (list []Waiting) {
	for key, t := range r.runs {
		slices.Sort(t.seconds)
		if middle := t.seconds[len(t.seconds)/2]; t.linked && middle >= least {
			list = append(list, Waiting{key[0], key[1], middle})
		}
	}
	slices.SortFunc(list, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Package+a.Test, b.Package+b.Test))
	})
	return list
}
