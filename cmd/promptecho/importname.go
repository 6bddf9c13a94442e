package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

// A placing has the paths at which the imported cassette of a fixture may be written.
type placing struct {
	file   string // under the name of the fixture
	hint   string // what the user has to do if it is written there
	byTest string // under the name of the only test that names the fixture; "" if there is none
}

// placeOf returns the paths for the cassette of a fixture, in the folder where echotest looks for
// cassettes. fixture is an absolute path without an extension. ok is false if it is not below a folder
// testdata of its module.
func placeOf(packages testPackages, fixture string) (to placing, ok bool) {
	segments := strings.Split(filepath.ToSlash(fixture), "/")
	i := len(segments) - 1
	for i >= 0 && segments[i] != "testdata" {
		dir := strings.Join(segments[:i], "/")
		_, err := os.Stat(filepath.FromSlash(dir + "/go.mod"))
		if err == nil { // the root of the module
			return to, false
		}
		i--
	}
	if i < 0 || i == len(segments)-1 {
		return to, false
	}
	pkg := filepath.Dir(filepath.FromSlash(strings.Join(segments[:i+1], "/")))
	below := segments[i+1:]
	if len(below) > 1 && !tests.IsTest(below[0]) {
		below = below[1:] // the folder of the other tool
	}
	name := strings.Join(below, "/")
	if tests.IsTest(name) {
		to.file = filepath.Join(pkg, testname.File(testNamed(packages.in(pkg), name)))
		return to, true
	}
	to.file = filepath.Join(pkg, testname.File(name))
	open := fmt.Sprintf("open it with promptecho.Open(%q)", filepath.ToSlash(testname.File(name)))
	names := testsNaming(packages.in(pkg).Tests, strings.Join(segments[i:], "/"))
	switch len(names) {
	case 0:
		to.hint = "no test mentions this file: give the cassette the name of the test that uses it, or " + open
	case 1:
		to.byTest = filepath.Join(pkg, testname.File(names[0]))
		to.hint = names[0] + " mentions several fixtures, so this cassette is not named after the test: " + open
	default:
		to.hint = strings.Join(names, " and ") + " both mention this file: " + open +
			", or record one cassette for each test"
	}
	return to, true
}

// testNamed returns the test whose name a fixture has. Other tools write the slash of a subtest as "-" or "_":
// TestTrip-Oslo and TestTrip_Oslo are TestTrip/Oslo, if there is a TestTrip that may have subtests, and no other test
// that has the name of the fixture.
func testNamed(p *orphans.Package, fixture string) string {
	if strings.Contains(fixture, "/") || slices.Contains(p.Tests.Functions, fixture) {
		return fixture
	}
	function := "" // the longest that the name begins with
	for _, f := range p.Tests.Functions {
		rest, found := strings.CutPrefix(fixture, f)
		isLonger := len(f) > len(function)
		if found && isLonger && len(rest) > 1 && strings.ContainsAny(rest[:1], "-_") {
			function = f
		}
	}
	if function == "" {
		return fixture
	}
	subtest := function + "/" + fixture[len(function)+1:]
	if p.Reason(testname.File(subtest)) != orphans.InUse {
		return fixture
	}
	return subtest
}

// testsNaming returns the tests whose code names a fixture, such as "testdata/fixtures/chat": in full,
// or by the end of its path.
func testsNaming(p *tests.Package, fixture string) (names []string) {
	for _, name := range p.Functions {
		for _, text := range p.Texts[name] {
			text = withoutExt(strings.TrimPrefix(filepath.ToSlash(filepath.Clean(text)), "./"))
			isEnd := strings.HasSuffix(fixture, "/"+text) && len(text) > 2
			if fixture == text || isEnd {
				names = append(names, name)
				break
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// importedExtensions are the extensions of the files that are imported of a folder. That of a
// compressed file comes first: it is the last one of a name.
var importedExtensions = []string{
	".gz", ".httprr", ".yaml", ".yml", ".json", ".har", ".flow", ".flows", ".mitm",
}

// withoutExt returns the name of a file without the extensions of its format.
func withoutExt(file string) string {
	file = strings.TrimSuffix(file, ".zip") // only of HAR files that are named
	for _, ext := range importedExtensions {
		file = strings.TrimSuffix(file, ext)
	}
	return file
}
