package report

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
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

// A Stack tells what runs the function that asks for it.
type Stack struct {
	Panicking bool // a panic is running deferred functions; in a cleanup only the stack shows it
	Exiting   bool // runtime.Goexit is running them, as after FailNow and SkipNow, even of a parent test
	InTest    bool // this is the goroutine of a test or benchmark
}

// CurrentStack returns the stack of its caller. It does not ask for files and lines, which
// takes many times as long.
func CurrentStack() (s Stack) {
	pcs := make([]uintptr, 128)
	for _, pc := range pcs[:runtime.Callers(2, pcs)] {
		switch runtime.FuncForPC(pc - 1).Name() { // of none that is inlined
		case "runtime.gopanic":
			s.Panicking = true
		case "runtime.Goexit":
			s.Exiting = true
		case "testing.tRunner", "testing.(*B).runN":
			s.InTest = true
		}
	}
	return s
}

// caller returns the place in the user's code that sent the request, as "file.go:line"
// relative to the working directory. It is the innermost frame of a test file or of the
// main module that called an http.Client, itself or through an SDK. Code below the client
// is a transport, which asked for nothing. If the place is not in a test file, that of the
// test follows: "bot.go:39 < a_test.go:40". The place is empty if the request was sent from
// a goroutine that has no such frame.
func caller() (place string) {
	test := ""       // the innermost line of a test file
	module := "main" // of package main, if there is no build information
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		module = info.Main.Path
	}
	for f := range stack {
		inTest := strings.HasSuffix(f.File, "_test.go")
		here := shortFile(f.File) + ":" + strconv.Itoa(f.Line)
		switch {
		case strings.HasPrefix(f.Function, "net/http.(*Client)."):
			place, test = "", ""
			continue
		case place == "" && (inTest || isOf(module, f.Function)):
			place = here
		}
		if test == "" && inTest {
			test = here
		}
	}
	if test != "" && place != test {
		place += " < " + test
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
