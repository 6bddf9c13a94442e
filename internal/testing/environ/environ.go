// Package environ keeps the environment of whoever runs the tests out of them.
package environ

import (
	"os"
	"strings"
)

// read are the variables, beside those that begin with PROMPTECHO_, that promptecho reads to
// decide how to record, what to demand and how to print.
var read = []string{
	"CI", "GITHUB_ACTIONS", "GITHUB_WORKSPACE",
	"NO_COLOR", "FORCE_COLOR",
	"TEST_TOTAL_SHARDS", "TESTBRIDGE_TEST_ONLY",
}

// Clear unsets all variables that decide what promptecho does. It is called by TestMain: a
// test sets those that it is about.
func Clear() {
	for _, name := range read {
		os.Unsetenv(name)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PROMPTECHO_") {
			os.Unsetenv(name)
		}
	}
}
