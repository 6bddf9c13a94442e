package echotest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/shell"
	"github.com/promptecho/promptecho/internal/stack"
)

// folder is that of the package, where its tests start.
var folder, _ = os.Getwd()

// outcome tells how a test ended. It is called from the test's cleanup.
func outcome(t testing.TB) report.Outcome {
	running := stack.Current()
	return report.Outcome{
		Failed:   t.Failed() && (report.ToReview == nil || !report.ToReview(t)) || running.Panicking || running.Exiting && !t.Skipped(),
		Skipped:  t.Skipped(),
		Filtered: report.Filtered(t.Name()) || report.Fuzzing(t.Name()),
		Short:    report.Short(),
		Command:  func(mode string) string { return command(mode, t.Name()) },
	}
}

// command returns the shell command that runs tests and benchmarks of this package in a
// record mode: all tests, if none is named. It works wherever in the module it is pasted, or,
// if the module is nested, in the repository.
func command(mode string, names ...string) string {
	return shell.With(runtime.GOOS, "PROMPTECHO_MODE", mode, goTest(buildInfo(), nested(folder), names))
}

// acceptCommand returns the shell command by which promptecho takes what was asked in this
// package over into its cassettes. It works where that of command does.
func acceptCommand() string {
	text := shell.Join(append([]string{"promptecho", "accept"}, target(buildInfo())...))
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
func goTest(built *debug.BuildInfo, folder string, names []string) []string {
	words := []string{"go", "test"}
	if folder != "" {
		words = []string{"go", "-C", shell.Place(folder), "test"}
	}
	words = append(words, target(built)...)
	var tests, benchmarks []string
	for _, name := range names {
		segments := strings.Split(name, "/")
		for i, s := range segments {
			segments[i] = "^" + regexp.QuoteMeta(s) + "$"
		}
		if pattern := strings.Join(segments, "/"); strings.HasPrefix(name, "Benchmark") {
			benchmarks = append(benchmarks, pattern)
		} else {
			tests = append(tests, pattern)
		}
	}
	switch {
	case len(tests) > 0:
		words = append(words, "-run", strings.Join(tests, "|"))
	case len(benchmarks) > 0:
		words = append(words, "-run", "^$")
	}
	if len(benchmarks) > 0 {
		words = append(words, "-bench", strings.Join(benchmarks, "|"), "-benchtime=1x") // each call is paid for
	}
	return append(words, "-count=1")
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

// openError returns an error of opening a cassette with the commands that show what became
// of the cassette and that record it anew, if that is what to do about it.
func openError(err error, test string) error {
	var broken interface {
		Broken() (file string, ours bool)
	}
	if !errors.As(err, &broken) {
		return err
	}
	file, ours := broken.Broken()
	if !ours {
		return err
	}
	path, err2 := filepath.Abs(file)
	rel, err3 := filepath.Rel(folder, path)
	if err2 != nil || err3 != nil || !filepath.IsLocal(rel) {
		return err
	}
	show := shell.Join([]string{"git", "-C", shell.Place(folder), "diff", "HEAD", "--", filepath.ToSlash(rel)})
	remove := shell.Join([]string{"rm", shell.Place(path)})
	return fmt.Errorf("%w\n\nTo see what was edited:\n  %s\n\nTo record it again:\n  %s\n  %s", err, show, remove, command("once", test))
}
