package tests

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testing/tree"
)

const usesSource = `package x

func check(t testing.TB, err error) { t.Helper(); if err != nil { t.Fatal(err) } }
func send(t *testing.T, rec any) { check(t, nil) }
func open(t *testing.T) any { return echotest.New(t) }
func each(t *testing.T, f func(t *testing.T)) { t.Run("x", f) }
func deep(t *testing.T) { each(t, nil) }
func loop(t *testing.T) { loop(t) }

func TestOwn(t *testing.T) { rec := echotest.New(t); send(t, rec) }
func TestHelped(t *testing.T) { send(t, open(t)) }
func TestSubtests(t *testing.T) {
	check(t, nil)
	require.NoError(t, nil)
	for _, tt := range []struct{ name string; f func(t *testing.T) error }{} {
		t.Run(tt.name, func(t *testing.T) { t.Parallel(); send(t, echotest.New(t)) })
	}
}
func TestOtherName(t *testing.T) { t.Run("a", func(st *testing.T) { echotest.New(st) }) }
func TestBoth(t *testing.T) { rec := echotest.New(t); t.Run("a", func(t *testing.T) { send(t, rec) }) }
func TestInside(t *testing.T) { t.Run("a", func(st *testing.T) { echotest.New(t) }) }
func TestName(t *testing.T) { open2(t.Name()); t.Run("a", func(t *testing.T) {}) }
func TestSuite(t *testing.T) { suite.Run(t, new(s)) }
func TestElsewhere(t *testing.T) { harness(t); t.Run("a", func(t *testing.T) {}) }
func TestKept(t *testing.T) { s := &state{t: t}; t.Run("a", func(t *testing.T) {}) }
func TestCopied(t *testing.T) { u := t; t.Run("a", func(t *testing.T) {}) }
func TestEach(t *testing.T) { deep(t) }
func TestShadow(t *testing.T) { check := other.Check; check(t, nil); t.Run("a", func(t *testing.T) { echotest.New(t) }) }
func TestLoop(t *testing.T) { loop(t) }
func TestMethodValue(t *testing.T) { f := t.Run; f("a", nil) }
func TestSetUp(t *testing.T) { t.Log("a"); check(t, nil) }
func TestPaths(t *testing.T) { t.Run("a", func(t *testing.T) { t.Log(openPath("a")) }) }
func TestNone(*testing.T) {}
func TestBlank(_ *testing.T) {}
func TestResult(t *testing.T) { f := func() struct{ a int } { return struct{ a int }{} }; t.Run("a", nil) }
func TestNested(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		t.Run("b", func(t *testing.T) { send(t, echotest.New(t)) })
	})
	t.Run("leaf", func(t *testing.T) { echotest.New(t) })
}
func TestNestedOwn(t *testing.T) {
	t.Run("a", func(t *testing.T) { rec := open(t); t.Run("b", func(t *testing.T) { send(t, rec) }) })
}
func BenchmarkSub(b *testing.B) { b.ReportAllocs(); b.Run("a", func(b *testing.B) { echotest.New(b) }) }
`

// promptecho doctor says that a test lacks its cassette only if the text shows that the test opens it.
func TestOpensOwn(t *testing.T) {
	t.Parallel()
	p := In(tree.New(t, map[string]string{"x_test.go": usesSource + `
func TestLive(t *testing.T) { echotest.New(t, promptecho.InMode(promptecho.ModeLive)) }
func TestEnv(t *testing.T) { t.Setenv("PROMPTECHO_MODE", "live"); echotest.New(t) }
func TestRedefined(t *testing.T) { f(func() { t := other(); echotest.New(t) }) }
func TestHandedOn(t *testing.T) { elsewhere.Run(t, echotest.New(t)) }
func TestNamed(t *testing.T) { echotest.Open(t, "testdata/cassettes/login.yaml") }
`}))
	for _, tt := range []struct {
		function        string
		own, ofSubtests bool
	}{
		{"TestOwn", true, false},
		{"TestHelped", true, false},
		{"TestHandedOn", true, false},
		{"TestBoth", true, false},
		{"TestInside", true, false},
		{"TestSubtests", false, true},
		{"TestNested", false, true},
		{"BenchmarkSub", false, true},
		{"TestLive", false, false},
		{"TestEnv", false, false},
		{"TestRedefined", false, false},
		{"TestNamed", false, false},
		{"TestElsewhere", false, false},
		{"TestSetUp", false, false},
		{"TestGone", false, false},
	} {
		own, ofSubtests := p.OpensOwn(tt.function)
		if own != tt.own || ofSubtests != tt.ofSubtests {
			t.Errorf("%s: own %v, of subtests %v, want %v, %v", tt.function, own, ofSubtests, tt.own, tt.ofSubtests)
		}
	}
}

// What a test does with its testing parameter is known only where the text
// proves it.
func TestUses(t *testing.T) {
	t.Parallel()
	p := In(tree.New(t, map[string]string{"x_test.go": usesSource}))
	if p.unread != nil {
		t.Fatal(p.unread)
	}
	for _, tt := range []struct {
		name                 string
		onlyRuns, opensAlone bool
	}{
		{"TestOwn", false, true},
		{"TestHelped", false, true},
		{"TestSubtests", true, false},
		{"TestOtherName", true, false},
		{"TestBoth", false, false},
		{"TestInside", false, false},
		{"TestName", false, false},
		{"TestSuite", false, false},
		{"TestElsewhere", false, false},
		{"TestKept", false, false},
		{"TestCopied", false, false},
		{"TestEach", false, false},
		{"TestShadow", false, false},
		{"TestLoop", false, false},
		{"TestMethodValue", false, false},
		{"TestNone", false, false},
		{"TestBlank", false, false},
		{"TestSetUp", false, false},
		{"TestPaths", false, false},
		{"TestResult", false, false},
		{"TestNested", true, false},
		{"BenchmarkSub", true, false},
		{"TestAbsent", false, false},
	} {
		if got := p.OnlyRunsSubtests(tt.name, 0); got != tt.onlyRuns {
			t.Errorf("%s only runs subtests: %v", tt.name, got)
		}
		if got := p.OpensAlone(tt.name); got != tt.opensAlone {
			t.Errorf("%s opens a recorder and has no subtests: %v", tt.name, got)
		}
	}
	if !p.OnlyRunsSubtests("TestNested", 1) || p.OnlyRunsSubtests("TestNestedOwn", 1) || p.OnlyRunsSubtests("TestNested", 2) {
		t.Error("the subtest of TestNested only runs subtests, and that of TestNestedOwn opens a recorder")
	}
}
