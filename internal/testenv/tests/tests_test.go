package tests

import (
	"os"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/tree"
)

// oddSource returns a test file in which functions are easily taken for tests.
func oddSource(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/odd_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Comments, methods and quoted code have no tests; a literal is read as Go reads it.
func TestIn(t *testing.T) {
	t.Parallel()
	p := In(tree.New(t, map[string]string{"x_test.go": oddSource(t), "x.go": "package x\nfunc TestNone() {}\n"}))
	if want := []string{"TestPlain", "FuzzIt", "BenchmarkOf"}; !slices.Equal(p.Functions, want) || p.unread != nil {
		t.Errorf("%q, %v, want %q", p.Functions, p.unread, want)
	}
	if got := p.Texts["TestPlain"]; !slices.Equal(got, []string{"testdata/cassettes/opened.yaml", "ab", "../TestShared/x.yaml"}) {
		t.Errorf("the texts in TestPlain: %q", got)
	}
	if got := p.Texts["FuzzIt"]; !slices.Equal(got, []string{"inner"}) {
		t.Errorf("the texts in FuzzIt: %q", got)
	}
}
