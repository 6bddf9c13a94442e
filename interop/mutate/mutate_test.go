// Package mutate has tests of "promptecho mutate" with the SDKs of providers, and the packages whose
// tests they run: suite, odd and decode.
package mutate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/interop/mutate/odd"
	"github.com/promptecho/promptecho/interop/mutate/suite"
)

// The command says of a test what the test really notices, which is known of this one.
func TestFewVerdicts(t *testing.T) {
	t.Parallel()
	few := []string{"TestChatText", "TestChatStreamPrefix", "TestAgentRuns"}
	p := copyPackages(t)
	got := p.run(t, "-run", "^("+strings.Join(few, "|")+")$", "./suite")
	for _, want := range ofSuite() {
		if slices.Contains(few, want.test) {
			want.check(t, got)
		}
	}
}

// The command says of each test what it really notices, and the same with any number of jobs.
func TestAllVerdicts(t *testing.T) {
	full.Only(t, "TestFewVerdicts")
	t.Parallel()
	p := copyPackages(t)
	names := []string{"./suite", "./odd/...", "./odd/testdata/fails"}
	got := p.run(t, names...)
	for _, want := range append(ofSuite(), ofOdd()...) {
		want.check(t, got)
	}
	for _, jobs := range []string{"1", "8"} {
		other := p.run(t, append([]string{"-j", jobs}, names...)...)
		compareResults(t, "-j "+jobs, got, other)
	}
}

// compareResults fails the test if two runs of the command say different things of the same tests.
func compareResults(t *testing.T, name string, want, got *result) {
	t.Helper()
	for key, test := range want.byTest() {
		other := got.byTest()[key]
		if other == nil {
			t.Errorf("%s: %s is missing", name, key)
			continue
		}
		before, now := test.outcomes(), other.outcomes()
		if !slices.Equal(before, now) || test.Verdict != other.Verdict {
			t.Errorf("%s: %s: verdict %q, was %q\n%q, was\n%q",
				name, key, other.Verdict, test.Verdict, now, before)
		}
	}
	if len(got.Tests) != len(want.Tests) {
		t.Errorf("%s: there are %d tests, and were %d", name, len(got.Tests), len(want.Tests))
	}
}

// An expected is what the command must say of a test.
type expected struct {
	pkg, test, verdict, bug string
}

const module = "github.com/promptecho/promptecho/interop/mutate"

// ofSuite returns what is known of the tests of package suite.
func ofSuite() (list []expected) {
	for _, v := range suite.Verdicts {
		list = append(list, expected{pkg: module + "/suite", test: v.Test, verdict: v.Verdict})
	}
	return list
}

// ofOdd returns what is known of the tests of package odd and of those below it.
func ofOdd() (list []expected) {
	for _, o := range odd.Outcomes {
		pkg := module + "/odd"
		if o.Package != "." {
			pkg += "/" + o.Package
		}
		list = append(list, expected{pkg: pkg, test: o.Test, verdict: o.Verdict, bug: o.Bug})
	}
	return list
}

// check compares what the command has said of a test. A test that it did not name has played nothing,
// and is not judged.
func (e expected) check(t *testing.T, r *result) {
	t.Helper()
	verdict := odd.NotJudged
	bug := ""
	test := r.byTest()[e.pkg+" "+e.test]
	if test != nil {
		verdict = test.verdict()
		bug = test.bug()
	}
	if verdict != e.verdict || bug != e.bug {
		t.Errorf("%s %s: got %q, bug %q, want %q, bug %q", e.pkg, e.test, verdict, bug, e.verdict, e.bug)
	}
}

// A result is what the command prints with -json.
type result struct {
	Tests []*testResult
}

type testResult struct {
	Package string
	Test    string
	Verdict string
	Blind   int `json:"blind_answers"`
	Answers []answer
}

type answer struct {
	Cassette    string
	Interaction int
	Verdict     string
	NotJudged   string `json:"not_judged"`
	Changes     []change
}

type change struct {
	Kind, What, Outcome, By string
}

// outcomes returns what came of each change, in the order of the answers.
func (t *testResult) outcomes() (list []string) {
	for _, a := range t.Answers {
		list = append(list, fmt.Sprintf("%s %d: %s %s", a.Cassette, a.Interaction, a.Verdict, a.NotJudged))
		for _, c := range a.Changes {
			list = append(list, fmt.Sprintf("%s: %s: %s", c.Kind, c.What, c.Outcome))
		}
	}
	return list
}

// byTest returns the tests by their packages and names.
func (r *result) byTest() map[string]*testResult {
	m := map[string]*testResult{}
	for _, t := range r.Tests {
		m[t.Package+" "+t.Test] = t
	}
	return m
}

// verdict returns the verdict in the words of package suite.
func (t *testResult) verdict() string {
	judged := 0
	for _, a := range t.Answers {
		if a.Verdict != odd.NotJudged {
			judged++
		}
	}
	if t.Verdict == suite.Blind && t.Blind < judged {
		return fmt.Sprintf("blind to %d of %d answers", t.Blind, judged)
	}
	return t.Verdict
}

// bug returns what the program does wrong with some answer, or "".
func (t *testResult) bug() string {
	for _, bug := range []string{odd.Hangs, odd.Panics, odd.Exits} {
		for _, a := range t.Answers {
			for _, c := range a.Changes {
				if c.Outcome == bug {
					return bug
				}
			}
		}
	}
	return ""
}
