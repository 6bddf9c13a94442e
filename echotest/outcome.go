package echotest

import (
	"flag"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/verdict"
)

// outcome tells how a test ended. It is called from the test's cleanup.
func outcome(t testing.TB) verdict.Outcome {
	return verdict.Outcome{
		Failed:   t.Failed() || panicking(),
		Skipped:  t.Skipped(),
		Filtered: filtered(t.Name()),
		Command:  command(t.Name()),
	}
}

// panicking reports whether a panic is running the cleanup. In a panicking
// test t.Failed is still false and recover gives nothing here; what tells is
// runtime.gopanic on the stack.
func panicking() bool {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}

// filtered reports whether -run or -skip may have left out parts of the test:
// a recording that was not used is then no evidence.
func filtered(name string) bool {
	if f := flag.Lookup("test.skip"); f != nil && f.Value.String() != "" {
		return true
	}
	f := flag.Lookup("test.run")
	if f == nil || f.Value.String() == "" {
		return false
	}
	// A pattern of n segments filters what is n-1 slashes deep; the deeper
	// levels of a test that it selects all run.
	return strings.Count(f.Value.String(), "/") > strings.Count(name, "/")
}

// command returns the shell command that records one test again.
func command(name string) string {
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = "^" + regexp.QuoteMeta(s) + "$"
	}
	return "PROMPTECHO_MODE=all go test " + shellQuote(pkg) + " -run " + shellQuote(strings.Join(segments, "/")) + " -count=1"
}

// shellQuote quotes s for a POSIX shell where it must be.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-=@%+,:", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
