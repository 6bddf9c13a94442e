// Package full tells tests how much to do.
//
// The default run of the tests has each promise once, in the smallest case
// that fails if the promise is broken. With FULL=1 in the environment the same
// tests repeat it: thousands of generated programs, histories, hostile texts
// and raced requests, and whole matrices instead of one row. `.ci/run` sets it.
package full

import (
	"os"
	"testing"
)

// Set reports whether the tests run in full: whether FULL is set to anything
// but the empty string.
func Set() bool { return os.Getenv("FULL") != "" }

// Cases returns how many cases a test tries: few by default, all of them with
// FULL=1.
func Cases(few, all int) int {
	if Set() {
		return all
	}
	return few
}

// Only skips the test unless FULL=1 is set. The argument names the test that
// has the smallest case of the same promise, which the default run has.
func Only(t testing.TB, smallest string) {
	t.Helper()
	if !Set() {
		t.Skipf("only with FULL=1: FULL=1 go test -run '^%s$' . (%s has the smallest case)", t.Name(), smallest)
	}
}
