package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

// testOf returns the test that a cassette is named after, and the folder of its package. They are ""
// if the cassette is not named after a test, or if the name of the test was shortened.
func testOf(file string) (name, pkg string) {
	pkg, cassette, ok := testname.Split(filepath.Clean(file))
	if !ok {
		return "", ""
	}
	below := strings.TrimSuffix(cassette[len(testname.Folder)+1:], ".yaml")
	segments := strings.Split(filepath.ToSlash(below), "/")
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

// hashed matches an element of a path that [testname.File] has shortened.
var hashed = regexp.MustCompile(`^.{32,}-h[0-9a-f]{16}$`)

// testPackages has the packages that were read, by their folders.
type testPackages map[string]*orphans.Package

// in returns the package in a folder.
func (all testPackages) in(dir string) *orphans.Package {
	p, ok := all[dir]
	if !ok {
		p = orphans.In(dir)
		all[dir] = p
	}
	return p
}

// reason returns why no test opens a cassette in testdata/cassettes. A cassette elsewhere counts as in
// use: any program may open it.
func (all testPackages) reason(file string) orphans.Reason {
	abs, err := filepath.Abs(file)
	if err != nil {
		return orphans.InUse
	}
	dir, cassette, ok := testname.Split(abs)
	if !ok {
		return orphans.InUse
	}
	p := all.in(dir)
	reason := p.Reason(cassette)
	if reason == orphans.TestGone && isOpenedInOtherCase(p, dir, cassette) {
		return orphans.InUse
	}
	return reason
}

// isOpenedInOtherCase reports whether a test whose name differs only in case from that of a cassette
// opens it: on macOS and Windows the two names are those of one file. dir is the folder of the package.
func isOpenedInOtherCase(p *orphans.Package, dir, cassette string) bool {
	own, err := os.Lstat(filepath.Join(dir, cassette))
	if err != nil {
		return false
	}
	name, _ := testOf(cassette)
	function, below, hasSubtest := strings.Cut(name, "/")
	for _, other := range p.Tests.Functions {
		if other == function || !strings.EqualFold(other, function) {
			continue
		}
		if hasSubtest {
			other += "/" + below
		}
		file := testname.File(other)
		info, err := os.Lstat(filepath.Join(dir, file))
		if err == nil && os.SameFile(own, info) && p.Reason(file) == orphans.InUse {
			return true
		}
	}
	return false
}

// orphaned reports whether no test opens a cassette.
func (all testPackages) orphaned(file string) bool { return all.reason(file) != orphans.InUse }

// whyOrphan says in words why no test opens a cassette.
func whyOrphan(reason orphans.Reason) string {
	switch reason {
	case orphans.HasSubtests:
		return "its test opens recorders in subtests only"
	case orphans.NoSubtests:
		return "its test has no subtests"
	}
	return "its test is gone"
}

// codeOfOrphan returns the code of the reason why no test opens a cassette.
func codeOfOrphan(reason orphans.Reason) finding.Code {
	switch reason {
	case orphans.HasSubtests:
		return finding.TestHasSubtests
	case orphans.NoSubtests:
		return finding.TestHasNoSubtests
	}
	return finding.TestGone
}
