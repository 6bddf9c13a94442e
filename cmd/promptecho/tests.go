package main

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/testname"
	"github.com/promptecho/promptecho/internal/tests"
)

// testOf returns the test that a cassette is named after, and the folder of its package; ""
// if it is named after none, or if its name is too long to tell.
func testOf(file string) (name, pkg string) {
	pkg, cassette, ok := testname.Split(filepath.Clean(file))
	if !ok {
		return "", ""
	}
	segments := strings.Split(filepath.ToSlash(strings.TrimSuffix(cassette[len(testname.Folder)+1:], ".yaml")), "/")
	for i, s := range segments {
		unescaped, err := url.PathUnescape(s)
		switch {
		case s == "%":
			unescaped = ""
		case err != nil, hashed.MatchString(s):
			return "", ""
		}
		segments[i] = unescaped
	}
	name = strings.Join(segments, "/")
	if testname.File(name) != cassette || !tests.IsTest(name) {
		return "", ""
	}
	return name, pkg
}

// hashed is what a segment looks like that [testname.File] has cut.
var hashed = regexp.MustCompile(`^.{32,}-h[0-9a-f]{16}$`)

// testPackages reads packages of tests, each once, by their folders.
type testPackages map[string]*tests.Package

// in returns the package in a folder.
func (all testPackages) in(dir string) *tests.Package {
	p, ok := all[dir]
	if !ok {
		p = tests.In(dir)
		all[dir] = p
	}
	return p
}

// orphaned reports whether the test is gone that a cassette in testdata/cassettes is named
// after; see [tests.Package.Lacks]. Elsewhere, nobody knows who uses a cassette.
func (all testPackages) orphaned(file string) bool {
	abs, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	dir, cassette, ok := testname.Split(abs)
	return ok && all.in(dir).Lacks(cassette)
}
