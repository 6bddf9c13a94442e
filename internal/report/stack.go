package report

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// stack yields the functions that are running, the innermost first.
func stack(yield func(runtime.Frame) bool) {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); !yield(f) {
			return
		}
	}
}

// running reports whether one of these functions is on the stack.
func running(functions ...string) bool {
	for f := range stack {
		if slices.Contains(functions, f.Function) {
			return true
		}
	}
	return false
}

// Panicking reports whether a panic is running deferred functions. In a panicking test
// Failed is still false, and recover returns nothing in a cleanup: only the stack shows it.
func Panicking() bool { return running("runtime.gopanic") }

// Exiting reports whether runtime.Goexit is running deferred functions, as it does after
// FailNow and SkipNow. A subtest that calls FailNow on its parent has not failed itself.
func Exiting() bool { return running("runtime.Goexit") }

// InTest reports whether this is the goroutine of a test or benchmark.
func InTest() bool { return running("testing.tRunner", "testing.(*B).runN") }

// caller returns the place in the user's code that sent the request, as "file.go:line"
// relative to the working directory. It is the innermost frame of a test file or of the
// main module that called an http.Client, itself or through an SDK. Code below the client
// is a transport, which asked for nothing. The place is empty if the request was sent
// from a goroutine that has no such frame.
func caller() (place string) {
	module := "main" // of package main, if there is no build information
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		module = info.Main.Path
	}
	for f := range stack {
		switch {
		case strings.HasPrefix(f.Function, "net/http.(*Client)."):
			place = ""
		case place == "" && (strings.HasSuffix(f.File, "_test.go") || isOf(module, f.Function)):
			place = shortFile(f.File) + ":" + strconv.Itoa(f.Line)
		}
	}
	return place
}

// isOf reports whether a function belongs to a module and is not one of ours that answer
// requests.
func isOf(module, function string) bool {
	rest, ok := strings.CutPrefix(function, module)
	if !ok || !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "/") {
		return strings.HasPrefix(function, "main.")
	}
	return !strings.HasPrefix(function, "github.com/promptecho/promptecho.") &&
		!strings.HasPrefix(function, "github.com/promptecho/promptecho/internal/")
}

// shortFile returns the name of a source file relative to the working directory, if it
// is below it.
func shortFile(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}
