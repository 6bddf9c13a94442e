package echotest

import (
	"cmp"
	"flag"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/snapshot/ending"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/stack"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// folder is the folder of the package, where its tests start.
var folder, _ = os.Getwd()

// outcome returns how a test with this cassette ended. It is called from the test's cleanup.
func outcome(t testing.TB, file string) report.Outcome {
	running := stack.Current()
	hasFailed := t.Failed() && !ending.IsToReview(t)
	wasInterrupted := running.Panicking || running.Exiting && !t.Skipped()
	return report.Outcome{
		Test:      t.Name(),
		Ambiguous: !isGoTest(t.Name()),
		Failed:    hasFailed || wasInterrupted,
		Differs:   t.Failed() && !hasFailed,
		Skipped:   t.Skipped(),
		Filtered:  report.Filtered(t.Name()) || report.Fuzzing(t.Name()),
		Short:     report.Short(),
		Shared:    file != testname.File(t.Name()),
		Selected:  report.Part() != "",
		Command:   commandFor(t),
		CarryOver: carryOverFor(t),
	}
}

// commandFor returns a function that makes the shell command that runs only this
// test in a record mode, such as
//
//	PROMPTECHO_MODE=all go test example.com/bot -run '^TestA$' -count=1
//
// It returns nil if no flag of go test can select the test:
//
//	name                           flags
//	of a Go test or benchmark      -run or -bench
//	of a spec of Ginkgo            -ginkgo.focus, and -run for the test with the spec
//	made by another framework      none
func commandFor(t testing.TB) func(mode string) string {
	name := t.Name()
	if !isGoTest(name) {
		hasGinkgo := flag.Lookup(ginkgoFocus) != nil
		if !hasGinkgo {
			return nil
		}
		noteTestOfSpec(name)
	}
	return func(mode string) string { return command(mode, name) }
}

// carryOverFor returns a function that makes the command that runs a test with recordings
// from other cassettes, and nil if go test cannot select the test.
func carryOverFor(t testing.TB) func(test, sources string) string {
	if !isGoTest(t.Name()) {
		return nil
	}
	return func(test, sources string) string {
		words := goTest(buildInfo(), nestedModule(folder), []string{test}, nil)
		return shell.With(runtime.GOOS, words, report.CarryOverVariable+"="+sources, "PROMPTECHO_MODE=once")
	}
}

// testsOfSpecs has the names of the Go tests that run the specs of Ginkgo, by
// the names of the specs: "TestBooks" by "Books can be searched".
var testsOfSpecs sync.Map

// noteTestOfSpec notes which test runs a spec of Ginkgo. The spec calls it, on
// a goroutine that the test has started, directly or through others.
func noteTestOfSpec(spec string) {
	chain := stack.Ancestors(stack.ID())
	testsOfSpecs.LoadOrStore(spec, stack.TestIn(chain))
}

// testOfSpec returns the name of the test that runs a spec of Ginkgo; "" if it
// is not known.
func testOfSpec(spec string) string {
	test, isNoted := testsOfSpecs.Load(spec)
	if !isNoted {
		return ""
	}
	return test.(string)
}

// isGoTest reports whether -run or -bench can select a test of this name.
func isGoTest(name string) bool { return goTestName().MatchString(name) }

var goTestName = memo.Regexp(`^(Test|Benchmark|Fuzz)([^a-z\s]\S*)?$`)

// ginkgoFocus is the flag by which Ginkgo selects its specs, which are parts of a test.
const ginkgoFocus = "ginkgo.focus"

// command returns the shell command that runs tests and benchmarks of this package in a
// record mode, or all tests if there are no names. The command works everywhere in the
// module or, if the module is nested, in the repository.
func command(mode string, names ...string) string { return commandOf(mode, names, nil) }

// commandOf is command with patterns that are shorter, because only these tests
// are known: "^TestA$" if all known subtests of TestA are among the names.
func commandOf(mode string, names, known []string) string {
	words := goTest(buildInfo(), nestedModule(folder), names, known)
	return shell.With(runtime.GOOS, words, "PROMPTECHO_MODE="+mode)
}

// acceptCommand returns the shell command "promptecho accept", which runs this package and puts its
// edited requests into the recordings. names are the failed tests and benchmarks. All tests run
// anyway, so only the benchmarks among names are in the command:
//
//	TestA                  promptecho accept example.com/bot
//	TestA, BenchmarkAsk    promptecho accept example.com/bot -- -bench '^BenchmarkAsk$' -benchtime=1x
//
// The command works everywhere in the module or, if the module is nested, in the repository.
func acceptCommand(names []string) string {
	words := append([]string{"promptecho", "accept"}, packageArgs(buildInfo())...)
	isTest := func(name string) bool { return !strings.HasPrefix(name, "Benchmark") }
	benchmarks := slices.DeleteFunc(slices.Clone(names), isTest)
	if len(benchmarks) > 0 {
		// go test runs benchmarks only with a flag. Flags for go test follow "--".
		words = append(words, "--")
		words = append(words, benchFlags(benchmarks, nil)...)
	}
	text := shell.Join(words)
	if module := nestedModule(folder); module != "" {
		text = shell.In(shell.Place(module), text)
	}
	return text
}

// buildInfo returns how this program was built.
func buildInfo() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return new(debug.BuildInfo)
	}
	return info
}

// packageArgs returns the package of a test program, with its build tags in front, as arguments
// of go test: "-tags=integration", "example.com/bot".
func packageArgs(built *debug.BuildInfo) []string {
	var args []string
	for _, s := range built.Settings {
		if s.Key == "-tags" {
			args = append(args, "-tags="+s.Value)
		}
	}
	return append(args, cmp.Or(strings.TrimSuffix(built.Path, ".test"), "."))
}

// goTest returns the words of the command that runs tests, benchmarks and specs
// of Ginkgo with these names:
//
//	go test example.com/bot -run ^TestA$ -count=1
//
// built says how this test program was built: the command is for its package and
// has its build tags. moduleFolder is the folder of the module if the module is
// nested, see nestedModule, and "" otherwise. known is for [patterns].
func goTest(built *debug.BuildInfo, moduleFolder string, names, known []string) []string {
	words := []string{"go", "test"}
	if moduleFolder != "" {
		words = []string{"go", "-C", shell.Place(moduleFolder), "test"}
	}
	words = append(words, packageArgs(built)...)

	var tests, benchmarks, specs []string
	for _, name := range names {
		switch {
		case !isGoTest(name):
			specs = append(specs, regexp.QuoteMeta(name))
			test := testOfSpec(name)
			if test != "" {
				tests = group.With(tests, test)
			}
		case strings.HasPrefix(name, "Benchmark"):
			benchmarks = append(benchmarks, name)
		default:
			tests = append(tests, name)
		}
	}

	switch {
	case len(tests) > 0:
		words = append(words, "-run", strings.Join(patterns(tests, known), "|"))
	case len(benchmarks) > 0:
		words = append(words, "-run", "^$") // no tests
	}
	if len(benchmarks) > 0 {
		words = append(words, benchFlags(benchmarks, known)...)
	}
	if len(specs) > 0 {
		words = append(words, "-"+ginkgoFocus, alternatives(specs, "", "$"))
	}
	return append(words, "-count=1")
}

// benchFlags returns the flags that run benchmarks, for one iteration: each call costs money.
func benchFlags(benchmarks, known []string) []string {
	return []string{"-bench", strings.Join(patterns(benchmarks, known), "|"), "-benchtime=1x"}
}

// patterns returns the shortest patterns of -run that select these tests, and
// none of the others that are known. known are all tests and subtests of the
// package that have recorders; nil if only some of them have run.
//
//	names            known                      patterns
//	TestA TestB      any                        ^(TestA|TestB)$
//	TestA/x TestA/y  TestA/x TestA/y TestB      ^TestA$
//	TestA/x TestA/y  TestA/x TestA/y TestA/z    ^TestA$/^(x|y)$
//	TestA/x TestA/y  nil                        ^TestA$/^(x|y)$
//	TestA TestB/c    nil                        ^TestA$  ^TestB$/^c$
func patterns(names, known []string) []string {
	byTop := func(name string) (string, bool) { return topOf(name), true }
	var tops, subtests []string
	for _, selected := range group.By(names, byTop) {
		top := topOf(selected[0])
		isOfOther := func(name string) bool { return topOf(name) != top }
		knownOfTop := slices.DeleteFunc(slices.Clone(known), isOfOther)

		isTopSelected := slices.Contains(selected, top)
		areAllSelected := len(knownOfTop) > 0 && len(selected) == len(knownOfTop)
		if isTopSelected || areAllSelected {
			tops = append(tops, regexp.QuoteMeta(top))
			continue
		}
		subPatterns := patterns(namesBelow(top, selected), namesBelow(top, knownOfTop))
		for _, pattern := range subPatterns {
			subtests = append(subtests, "^"+regexp.QuoteMeta(top)+"$/"+pattern)
		}
	}
	if len(tops) == 0 {
		return subtests
	}
	return append([]string{alternatives(tops, "^", "$")}, subtests...)
}

// topOf returns the first element of the name of a test: "TestA" for
// "TestA/x/1".
func topOf(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// namesBelow returns the names of the subtests of a test, without that of the
// test: "x/1" for the test "TestA" and the name "TestA/x/1".
func namesBelow(test string, names []string) []string {
	var below []string
	for _, name := range names {
		sub, isSubtest := strings.CutPrefix(name, test+"/")
		if isSubtest {
			below = append(below, sub)
		}
	}
	return below
}

// alternatives returns an expression that matches one of a list, between two anchors:
// "^(TestA|TestB)$".
func alternatives(list []string, begin, end string) string {
	if len(list) == 1 {
		return begin + list[0] + end
	}
	return begin + "(" + strings.Join(list, "|") + ")" + end
}

// nestedModule returns the folder of the module of dir if the module is nested, which means that
// it is below the folder of the repository: the go command knows the packages of such a module
// only inside of it. It returns "" if the module is not nested.
func nestedModule(dir string) string {
	module, repository := shell.Upward(dir, "go.mod"), shell.Upward(dir, ".git")
	if repository == "" || len(module) <= len(repository) {
		return ""
	}
	return module
}
