package main

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A test whose subtest missed a request has no reason of its own, whatever it has logged. A test
// has another reason if its subtests passed, or failed for other reasons.
func TestOtherFailures(t *testing.T) {
	t.Parallel()
	test := func(name, cassette, output string) *suite.Test {
		return &suite.Test{Package: "p", Name: name, Status: suite.Fail, Output: output, Done: attr.Done{Cassettes: []string{cassette}}}
	}
	const logged = "--- FAIL: TestX\n    x_test.go:7: the parent says something\n"
	s := &summary{}
	s.Tests = []*suite.Test{
		test("TestParent/child", "missed.yaml", logged), test("TestParent", "", logged),
		test("TestOther/child", "fine.yaml", logged), test("TestOther", "", logged),
		test("TestParentX", "", logged),
	}
	a := &acceptance{refused: []acceptLine{{path: "missed.yaml"}}}
	var names []string
	for _, t := range a.otherFailures(s) {
		names = append(names, t.Name)
	}
	if want := []string{"TestOther/child", "TestOther", "TestParentX"}; !slices.Equal(names, want) {
		t.Errorf("for another reason: %q, want %q", names, want)
	}
}
