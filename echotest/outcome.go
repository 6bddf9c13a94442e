package echotest

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
)

// outcome tells how a test ended. It is called from the test's cleanup.
func outcome(t testing.TB) report.Outcome {
	stack := report.CurrentStack()
	return report.Outcome{
		Failed:   t.Failed() || stack.Panicking || stack.Exiting && !t.Skipped(),
		Skipped:  t.Skipped(),
		Filtered: report.Filtered(t.Name()),
		Command:  func(mode string) string { return command(mode, t.Name()) },
	}
}

// command returns the shell command that runs one test in a record mode.
func command(mode, name string) string {
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = "^" + regexp.QuoteMeta(s) + "$"
	}
	goTest := "go test "
	if wd, err := os.Getwd(); err == nil {
		if dir := nested(wd); dir != "" {
			goTest = "go -C " + shellQuote(dir) + " test "
		}
	}
	return "PROMPTECHO_MODE=" + mode + " " + goTest + shellQuote(pkg) + " -run " + shellQuote(strings.Join(segments, "/")) + " -count=1"
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

// harmless are the characters that mean nothing to a shell.
const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=@%+,:"

// shellQuote quotes s for a POSIX shell where it must be.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, harmless) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
