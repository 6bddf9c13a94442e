package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// TestTestOf: the name of the test comes back, wherever its package is; what testname.File
// never returns is of no test.
func TestTestOf(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"TestAgent", "TestAgent/a b/c", "Test//abs", "Test/100%", "Test/con", "Test/x.yaml/y", "TestÄ"} {
		for _, pkg := range []string{"", "bot", filepath.Join("testdata", "cassettes", "deep"), filepath.Join(string(filepath.Separator), "abs", "bot")} {
			if got, in := testOf(filepath.Join(pkg, testname.File(name))); got != name || in != pkg {
				t.Errorf("%q in %q: %q, %q", name, pkg, got, in)
			}
		}
	}
	for _, file := range []string{"TestX.yaml", "testdata/TestX.yaml", "testdata/cassettes/con.yaml", "testdata/cassettes/a%zz.yaml",
		"testdata/cassettes/TestX.yaml.failed", filepath.ToSlash(testname.File("Test" + strings.Repeat("long", 60)))} {
		if name, pkg := testOf(filepath.FromSlash(file)); name != "" || pkg != "" {
			t.Errorf("%s: %q in %q", file, name, pkg)
		}
	}
}
