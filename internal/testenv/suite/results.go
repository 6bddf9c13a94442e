package suite

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// How a test can end.
const (
	Pass    = "pass"
	Fail    = "fail"
	Skip    = "skip"
	Stopped = "stopped" // its process ended before it did
)

// A Test is a test, or a subtest, that has a recorder or did not pass.
type Test struct {
	Package string  `json:"package"`
	Name    string  `json:"test"`
	Status  string  `json:"status"` // pass, fail, skip or stopped
	Seconds float64 `json:"seconds"`
	attr.Done

	// Try is the number of the last try, and FailedTries how many of those before failed for their
	// assertions, if promptecho record -tries ran the test again.
	Try         int `json:"try,omitempty"`
	FailedTries int `json:"failed_tries,omitempty"`

	Output string `json:"output,omitempty"` // if it failed, or answers differ from recorded ones; as go test shows it
	Linked bool   `json:"-"`                // it has a recorder
}

// IsBelow reports whether a test is a subtest of another one, at any depth.
func (t *Test) IsBelow(parent *Test) bool {
	return t.Package == parent.Package && strings.HasPrefix(t.Name, parent.Name+"/")
}

// Results are the results of the tests that have ended.
type Results struct {
	Tests    []*Test   // tests that have a recorder or failed, in the order in which they ended
	Packages int       // the number of packages that have ended
	Failures []Failure // of packages
	Total    attr.Counts

	running map[[2]string]*running // by package and name; that of the package has none
	builds  map[string]string      // the output of builds
	built   map[string]bool        // the builds whose output is in Failures
}

// A Failure is a package that failed without a failed test.
type Failure struct {
	Package string       `json:"package"`
	Code    finding.Code `json:"code"`
	Output  string       `json:"output"`
}

// running is a test, or a package, that has not ended.
type running struct {
	test    Test
	lines   []string // of output
	verdict string   // the line of output that says how it ended
	failed  int      // of a package: how many of its tests have failed
}

// Add adds an event. If a test ended with the event, and has a recorder or failed, Add
// returns the test.
func (r *Results) Add(e Event) *Test {
	if e.ImportPath != "" {
		if r.builds == nil {
			r.builds, r.built = map[string]string{}, map[string]bool{}
		}
		r.builds[e.ImportPath] += e.Output
		return nil
	}
	run := r.get(e.Package, e.Test)
	switch e.Action {
	case "output":
		run.output(e.Output)
	case "attr":
		run.test.Linked = readAttr(&run.test.Done, e.Key, e.Value) || run.test.Linked
	case Pass, Fail, Skip:
		if e.Test == "" {
			r.endPackage(run, e)
			return nil
		}
		return r.end(run, e.Action, e.Elapsed)
	}
	return nil
}

// get returns what is running.
func (r *Results) get(pkg, test string) *running {
	key := [2]string{pkg, test}
	run := r.running[key]
	if run == nil {
		if r.running == nil {
			r.running = map[[2]string]*running{}
		}
		run = &running{test: Test{Package: pkg, Name: test}}
		r.running[key] = run
	}
	return run
}

// output keeps a piece of output, except the lines of go test -v that say which test runs.
func (run *running) output(text string) {
	trimmed := strings.TrimLeft(text, " ")
	for _, progress := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "=== ATTR "} {
		if strings.HasPrefix(text, progress) {
			return
		}
	}
	isVerdict := strings.HasPrefix(trimmed, "--- FAIL: ") ||
		strings.HasPrefix(trimmed, "--- PASS: ") ||
		strings.HasPrefix(trimmed, "--- SKIP: ")
	if run.test.Name != "" && isVerdict {
		run.verdict = trimmed
		return
	}
	run.lines = append(run.lines, text)
}

// end ends a test.
func (r *Results) end(run *running, status string, seconds float64) *Test {
	t := &run.test
	delete(r.running, [2]string{t.Package, t.Name})
	t.Status, t.Seconds = status, seconds
	if status == Fail || t.Benign+t.NotCompared+t.NotSent > 0 {
		t.Output = run.verdict + strings.Join(run.lines, "")
	}
	if status == Fail {
		r.get(t.Package, "").failed++
	}
	if !t.Linked && status != Fail {
		return nil
	}
	r.Tests = append(r.Tests, t)
	r.Total.Add(t.Counts)
	return t
}

// endPackage ends a package. If it failed without a failed test, it becomes a Failure:
// after a failed build, a panic of TestMain, or a call of os.Exit.
func (r *Results) endPackage(run *running, e Event) {
	pkg := run.test.Package
	delete(r.running, [2]string{pkg, ""})
	r.Packages++
	if e.Action != Fail {
		return
	}
	text := strings.Join(run.lines, "")
	for _, unfinished := range r.unfinished(pkg) {
		text = strings.Join(unfinished.lines, "") + text
		unfinished.test.Status = Stopped
		if run.failed > 0 { // otherwise the Failure has the output
			unfinished.test.Output = strings.Join(unfinished.lines, "")
		}
		r.Tests = append(r.Tests, &unfinished.test)
		delete(r.running, [2]string{pkg, unfinished.test.Name})
	}
	if e.FailedBuild != "" && !r.built[e.FailedBuild] {
		r.built[e.FailedBuild] = true
		text = r.builds[e.FailedBuild] + text
	}
	if run.failed == 0 {
		r.Failures = append(r.Failures, Failure{pkg, finding.PackageFailed, text})
	}
}

// unfinished returns the tests of a package that have not ended, in the order of their names.
func (r *Results) unfinished(pkg string) (tests []*running) {
	for key, run := range r.running {
		if key[0] == pkg && key[1] != "" {
			tests = append(tests, run)
		}
	}
	slices.SortFunc(tests, func(a, b *running) int { return strings.Compare(a.test.Name, b.test.Name) })
	return tests
}
