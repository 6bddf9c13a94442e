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
	one := r.get(e.Package, e.Test)
	switch e.Action {
	case "output":
		one.output(e.Output)
	case "attr":
		one.test.Linked = readAttr(&one.test.Done, e.Key, e.Value) || one.test.Linked
	case Pass, Fail, Skip:
		if e.Test == "" {
			r.endPackage(one, e)
			return nil
		}
		return r.end(one, e.Action, e.Elapsed)
	}
	return nil
}

// get returns what is running.
func (r *Results) get(pkg, test string) *running {
	key := [2]string{pkg, test}
	one := r.running[key]
	if one == nil {
		if r.running == nil {
			r.running = map[[2]string]*running{}
		}
		one = &running{test: Test{Package: pkg, Name: test}}
		r.running[key] = one
	}
	return one
}

// output keeps a piece of output, except the lines of go test -v that say which test runs.
func (one *running) output(text string) {
	trimmed := strings.TrimLeft(text, " ")
	for _, progress := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "=== ATTR "} {
		if strings.HasPrefix(text, progress) {
			return
		}
	}
	isVerdict := strings.HasPrefix(trimmed, "--- FAIL: ") ||
		strings.HasPrefix(trimmed, "--- PASS: ") ||
		strings.HasPrefix(trimmed, "--- SKIP: ")
	if one.test.Name != "" && isVerdict {
		one.verdict = trimmed
		return
	}
	one.lines = append(one.lines, text)
}

// end ends a test.
func (r *Results) end(one *running, status string, seconds float64) *Test {
	t := &one.test
	delete(r.running, [2]string{t.Package, t.Name})
	t.Status, t.Seconds = status, seconds
	if status == Fail || t.Benign+t.NotCompared+t.NotSent > 0 {
		t.Output = one.verdict + strings.Join(one.lines, "")
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
func (r *Results) endPackage(one *running, e Event) {
	pkg := one.test.Package
	delete(r.running, [2]string{pkg, ""})
	r.Packages++
	if e.Action != Fail {
		return
	}
	text := strings.Join(one.lines, "")
	for _, left := range r.left(pkg) {
		text = strings.Join(left.lines, "") + text
		left.test.Status = Stopped
		if one.failed > 0 { // otherwise the Failure has the output
			left.test.Output = strings.Join(left.lines, "")
		}
		r.Tests = append(r.Tests, &left.test)
		delete(r.running, [2]string{pkg, left.test.Name})
	}
	if e.FailedBuild != "" && !r.built[e.FailedBuild] {
		r.built[e.FailedBuild] = true
		text = r.builds[e.FailedBuild] + text
	}
	if one.failed == 0 {
		r.Failures = append(r.Failures, Failure{pkg, finding.PackageFailed, text})
	}
}

// left returns the tests of a package that have not ended, in the order of their names.
func (r *Results) left(pkg string) (left []*running) {
	for key, one := range r.running {
		if key[0] == pkg && key[1] != "" {
			left = append(left, one)
		}
	}
	slices.SortFunc(left, func(a, b *running) int { return strings.Compare(a.test.Name, b.test.Name) })
	return left
}
