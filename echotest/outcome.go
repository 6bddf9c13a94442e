package echotest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
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
		Filtered: filtered(t.Name()),
		Command:  func(mode string) string { return command(mode, t.Name()) },
	}
}

// filtered reports whether -run or -skip may have left out parts of the test:
// a recording that was not used is then no evidence, and what was recorded may
// not be all.
func filtered(name string) bool {
	segments := strings.Split(name, "/")
	deeper := func(pattern []string) bool { return len(pattern) > len(segments) && fits(pattern, segments) }
	run, skip := patterns("test.run"), patterns("test.skip")
	// An alternative that ends at the test or above it has everything below run.
	all := slices.ContainsFunc(run, func(p []string) bool { return len(p) <= len(segments) && fits(p, segments) })
	return !all && slices.ContainsFunc(run, deeper) || slices.ContainsFunc(skip, deeper)
}

// fits reports whether a pattern matches a test as far as both go; one that is
// no regular expression is taken to.
func fits(pattern, segments []string) bool {
	for i := range min(len(pattern), len(segments)) {
		re, err := regexp.Compile(strings.ReplaceAll(pattern[i], " ", "_"))
		if err == nil && !re.MatchString(segments[i]) {
			return false
		}
	}
	return true
}

// patterns splits a -run or -skip flag as package testing does: alternatives at
// "|", the levels of each at "/", but not inside brackets.
func patterns(name string) (alternatives [][]string) {
	f := flag.Lookup(name)
	if f == nil || f.Value.String() == "" {
		return nil
	}
	const level, alternative = "\x00", "\x01" // what separates them from here on
	text := []byte(f.Value.String())
	brackets, parens := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case brackets > 0:
		case c == '(':
			parens++
		case c == ')':
			parens--
		case parens > 0:
		case c == '/':
			text[i] = level[0]
		case c == '|':
			text[i] = alternative[0]
		}
	}
	for one := range strings.SplitSeq(string(text), alternative) {
		alternatives = append(alternatives, strings.Split(one, level))
	}
	return alternatives
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

// shellQuote quotes s for a POSIX shell where it must be.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, alphanumeric+"/._-=@%+,:") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
