// Package environ sets the environment and the flags of a test process.
package environ

import (
	"flag"
	"os"
	"slices"
	"strings"
)

// variables are the environment variables that promptecho reads to decide how to record,
// what to demand and how to print, apart from those that begin with PROMPTECHO_.
var variables = []string{
	"CI", "GITHUB_ACTIONS", "GITHUB_WORKSPACE",
	"NO_COLOR", "FORCE_COLOR",
	"TEST_TOTAL_SHARDS", "TESTBRIDGE_TEST_ONLY",
}

// Clear unsets all variables that decide what promptecho does, so that the environment of
// the developer does not change the tests. It is called by TestMain. A test sets the
// variables that it needs.
func Clear() {
	for _, name := range variables {
		os.Unsetenv(name)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PROMPTECHO_") {
			os.Unsetenv(name)
		}
	}
}

// Main runs the tests of a package without these variables, and ends the process: it is
// the whole of a TestMain. m is a [testing.M].
func Main(m interface{ Run() int }) {
	Clear()
	os.Exit(m.Run())
}

// Value returns the value that a program sees of a variable in an environment, as "NAME=value":
// the last one counts. It is "" if there is none.
func Value(env []string, name string) string {
	for _, variable := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// A T is the test that sets a flag, a [testing.TB].
type T interface {
	Helper()
	Fatal(args ...any)
	Cleanup(f func())
}

// SetFlag sets a flag of the test process until the test ends. A test that calls it must
// not be parallel: flags belong to the process.
func SetFlag(t T, name, value string) {
	t.Helper()
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, old) }) // the old value was valid
}

// HideFlags takes flags of the test process out of those that can be looked up, so that code
// under test does not see them. Package testing keeps their values.
func HideFlags(names ...string) {
	flag.Parse()
	all := flag.CommandLine
	flag.CommandLine = flag.NewFlagSet(all.Name(), flag.ExitOnError)
	all.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(names, f.Name) {
			flag.Var(f.Value, f.Name, f.Usage)
		}
	})
	flag.CommandLine.Parse(nil) // it counts as parsed, and nothing is set twice
}
