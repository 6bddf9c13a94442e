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
