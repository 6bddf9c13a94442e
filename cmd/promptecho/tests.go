package main

import (
	"github.com/promptecho/promptecho/internal/testname"
	"github.com/promptecho/promptecho/internal/tests"
)

// testOf returns the test that a cassette is named after, and the folder of its package; ""
// if it is named after none.
func testOf(file string) (name, pkg string) {
	name, pkg, _ = testname.Of(file)
	if !tests.IsTest(name) {
		return "", ""
	}
	return name, pkg
}
