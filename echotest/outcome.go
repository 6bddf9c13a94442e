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
		words := goTest(buildInfo(), nested(folder), []string{test})
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
	return shell.With(runtime.GOOS, goTest(buildInfo(), nested(folder), names, known...), "PROMPTECHO_MODE="+mode)
}

// acceptCommand returns the shell command of promptecho that writes the requests of tests and
// benchmarks with these names into the cassettes of this package. The command works where
// that of command does.
func acceptCommand(names []string) string {
	words := append([]string{"promptecho", "accept"}, target(buildInfo())...)
	isTest := func(name string) bool { return !strings.HasPrefix(name, "Benchmark") }
	benchmarks := slices.DeleteFunc(slices.Clone(names), isTest)
	if len(benchmarks) > 0 { // go test runs them only with a flag
		words = append(append(words, "--"), selecting(benchmarks, nil)...)
	}
	text := shell.Join(words)
	if module := nested(folder); module != "" {
		text = "cd " + shell.Quote(shell.Place(module)) + " && " + text
	}
	return text
}

// buildInfo says how this program was built.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return new(debug.BuildInfo)
}

// target returns the package that was built so, with the build tags in front.
func target(built *debug.BuildInfo) (words []string) {
	for _, s := range built.Settings {
		if s.Key == "-tags" {
			words = append(words, "-tags="+s.Value)
		}
	}
	return append(words, cmp.Or(strings.TrimSuffix(built.Path, ".test"), "."))
}

// goTest returns the words of a command that runs tests and benchmarks of the package that
// was built so. The folder is that of its module if that is nested.
func goTest(built *debug.BuildInfo, folder string, names []string, known ...string) []string {
	words := []string{"go", "test"}
	if folder != "" {
		words = []string{"go", "-C", shell.Place(folder), "test"}
	}
	words = append(words, target(built)...)
	var tests, benchmarks, specs []string
	for _, name := range names {
		switch {
		case !isGoTest(name):
			specs = append(specs, regexp.QuoteMeta(name))
			if test, _ := inTest.Load(name); test != nil && test != "" && !slices.Contains(tests, test.(string)) {
				tests = append(tests, test.(string))
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
		words = append(words, selecting(benchmarks, known)...)
	}
	if len(specs) > 0 {
		words = append(words, "-"+ginkgoFocus, oneOf(specs, "", "$"))
	}
	return append(words, "-count=1")
}

// selecting returns the flags that run benchmarks, once, because each call is paid for.
func selecting(benchmarks, known []string) []string {
	return []string{"-bench", strings.Join(patterns(benchmarks, known), "|"), "-benchtime=1x"}
}

// patterns returns the shortest patterns of -run that select tests, and no other of those that
// are known: that of their parent, if they are all that it has.
func patterns(names, known []string) (list []string) {
	var whole, below []string
	first := func(name string) string { return strings.SplitN(name, "/", 2)[0] }
	for _, tests := range group.By(names, func(name string) (string, bool) { return first(name), true }) {
		top := first(tests[0])
		all := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return first(name) != top })
		if slices.Contains(tests, top) || len(all) > 0 && len(tests) == len(all) {
			whole = append(whole, regexp.QuoteMeta(top))
			continue
		}
		inside := func(names []string) []string {
			subs := slices.DeleteFunc(names, func(name string) bool { return name == top })
			return group.Each(subs, func(name string) string { return strings.TrimPrefix(name, top+"/") })
		}
		within := func(sub string) string { return "^" + regexp.QuoteMeta(top) + "$/" + sub }
		below = append(below, group.Each(patterns(inside(tests), inside(all)), within)...)
	}
	if len(whole) > 0 {
		list = append(list, oneOf(whole, "^", "$"))
	}
	return append(list, below...)
}

// oneOf returns an expression for one of several, between an anchor and the other.
func oneOf(list []string, begin, end string) string {
	if len(list) == 1 {
		return begin + list[0] + end
	}
	return begin + "(" + strings.Join(list, "|") + ")" + end
}

// nested returns the folder of the module that dir is in if it is not that of the
// repository: there a package path is known only inside of the module.
func nested(dir string) string {
	module, repository := shell.Upward(dir, "go.mod"), shell.Upward(dir, ".git")
	if repository == "" || len(module) <= len(repository) {
		return ""
	}
	return module
}
