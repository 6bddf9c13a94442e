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
		Skipped:   t.Skipped(),
		Filtered:  report.Filtered(t.Name()) || report.Fuzzing(t.Name()),
		Short:     report.Short(),
		Shared:    file != testname.File(t.Name()),
		Selected:  report.Part() != "",
		Command:   commandFor(t),
		CarryOver: carryOverFor(t),
	}
}

// commandFor returns a function that makes the command that runs only this test in a record
// mode. It returns nil if go test cannot select the test, which is one of a framework.
func commandFor(t testing.TB) func(mode string) string {
	name := t.Name()
	switch {
	case isGoTest(name):
	case flag.Lookup(ginkgoFocus) == nil:
		return nil
	default:
		inTest.LoadOrStore(name, stack.TestIn(stack.Ancestors(stack.ID())))
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
		words := goTest(buildInfo(), nestedModule(folder), []string{test})
		return shell.With(runtime.GOOS, words, report.CarryOverVariable+"="+sources, "PROMPTECHO_MODE=once")
	}
}

// inTest has the tests that specs of Ginkgo are parts of, by their names.
var inTest sync.Map

// isGoTest reports whether -run or -bench can select a test of this name.
func isGoTest(name string) bool { return goTestName().MatchString(name) }

var goTestName = memo.Regexp(`^(Test|Benchmark|Fuzz)([^a-z\s]\S*)?$`)

// ginkgoFocus is the flag by which Ginkgo selects its specs, which are parts of a test.
const ginkgoFocus = "ginkgo.focus"

// command returns the shell command that runs tests and benchmarks of this package in a
// record mode, or all tests if there are no names. The command works everywhere in the
// module or, if the module is nested, in the repository.
func command(mode string, names ...string) string { return commandOf(mode, names, nil) }

// commandOf is command with the shortest patterns that select no other test of those that are
// known.
func commandOf(mode string, names, known []string) string {
	words := goTest(buildInfo(), nestedModule(folder), names, known...)
	return shell.With(runtime.GOOS, words, "PROMPTECHO_MODE="+mode)
}

// acceptCommand returns the shell command of promptecho that writes the requests of tests and
// benchmarks with these names into the cassettes of this package. The command works everywhere in
// the module or, if the module is nested, in the repository.
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
		text = "cd " + shell.Quote(shell.Place(module)) + " && " + text
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

// goTest returns the words of a command that runs tests and benchmarks of the package that
// was built so. folder is the folder of its module, if the module is nested, and "" otherwise.
// known are all tests of the package, if the patterns may be shortened.
func goTest(built *debug.BuildInfo, folder string, names []string, known ...string) []string {
	words := []string{"go", "test"}
	if folder != "" {
		words = []string{"go", "-C", shell.Place(folder), "test"}
	}
	words = append(words, packageArgs(built)...)

	var tests, benchmarks, specs []string
	for _, name := range names {
		switch {
		case !isGoTest(name):
			specs = append(specs, regexp.QuoteMeta(name))
			test, _ := inTest.Load(name)
			if test != nil && test != "" {
				tests = group.With(tests, test.(string))
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
		words = append(words, "-run", "^$")
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

// patterns returns the shortest patterns of -run that select these tests, and none of the other
// known ones. If the names are all subtests of a test, the pattern selects the test.
func patterns(names, known []string) []string {
	var tops, subtests []string
	top := func(name string) string { return strings.SplitN(name, "/", 2)[0] }
	for _, tests := range group.By(names, func(name string) (string, bool) { return top(name), true }) {
		test := top(tests[0])
		isOther := func(name string) bool { return top(name) != test }
		all := slices.DeleteFunc(slices.Clone(known), isOther)
		areAll := len(all) > 0 && len(tests) == len(all)
		if areAll || slices.Contains(tests, test) {
			tops = append(tops, regexp.QuoteMeta(test))
			continue
		}
		withoutTop := func(names []string) []string {
			subs := slices.DeleteFunc(names, func(name string) bool { return name == test })
			return group.Each(subs, func(name string) string { return strings.TrimPrefix(name, test+"/") })
		}
		for _, sub := range patterns(withoutTop(tests), withoutTop(all)) {
			subtests = append(subtests, "^"+regexp.QuoteMeta(test)+"$/"+sub)
		}
	}
	if len(tops) == 0 {
		return subtests
	}
	return append([]string{alternatives(tops, "^", "$")}, subtests...)
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
