package echotest

import (
	"os"
	"path/filepath"
	"regexp"
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
		Failed:   t.Failed() || running.Panicking || running.Exiting && !t.Skipped(),
		Skipped:  t.Skipped(),
		Filtered: report.Filtered(t.Name()) || report.Fuzzing(t.Name()),
		Short:    report.Short(),
		Command:  func(mode string) string { return command(mode, t.Name()) },
	}
}

// command returns the shell command that runs tests of this package in a record mode: all
// of them, if none is named.
func command(mode string, names ...string) string {
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	words := []string{"go", "test", pkg}
	if dir := nested(folder); dir != "" {
		words = []string{"go", "-C", dir, "test", pkg}
	}
	var patterns []string
	for _, name := range names {
		segments := strings.Split(name, "/")
		for i, s := range segments {
			segments[i] = "^" + regexp.QuoteMeta(s) + "$"
		}
		patterns = append(patterns, strings.Join(segments, "/"))
	}
	if len(patterns) > 0 {
		words = append(words, "-run", strings.Join(patterns, "|"))
	}
	return "PROMPTECHO_MODE=" + mode + " " + shell.Join(append(words, "-count=1"))
}

// nested returns the folder of the module that dir is in if it is not that of the
// repository: there a package path is known only inside of the module.
func nested(dir string) string {
	module, repository := upward(dir, "go.mod"), upward(dir, ".git")
	if repository == "" || len(module) <= len(repository) {
		return ""
	}
	return module
}

// upward returns the nearest folder above dir, or dir itself, that holds a file of this
// name; "" if there is none.
func upward(dir, name string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
