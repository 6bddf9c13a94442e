// Package stack says what runs the function that asks: a test, a panic, and which line of
// the user's code.
package stack

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// frames yields the functions that are running, the innermost first.
func frames(yield func(runtime.Frame) bool) {
	pcs := make([]uintptr, 128)
	running := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = running.Next(); !yield(f) {
			return
		}
	}
}

// A Running tells what runs the function that asks for it.
type Running struct {
	Panicking bool // a panic is running deferred functions; in a cleanup only the stack shows it
	Exiting   bool // runtime.Goexit is running them, as after FailNow and SkipNow, even of a parent test
	InTest    bool // this is the goroutine of a test, benchmark, fuzz test or example
	Benchmark bool // it is that of a benchmark
}

// Current tells what runs its caller. It does not ask for files and lines, which
// takes many times as long.
func Current() (s Running) {
	pcs := make([]uintptr, 128)
	for _, pc := range pcs[:runtime.Callers(2, pcs)] {
		switch runtime.FuncForPC(pc - 1).Name() { // of none that is inlined
		case "runtime.gopanic":
			s.Panicking = true
		case "runtime.Goexit":
			s.Exiting = true
		case "testing.tRunner", "testing.fRunner", "testing.runExample":
			s.InTest = true
		case "testing.(*B).runN":
			s.InTest, s.Benchmark = true, true
		}
	}
	return s
}

// Caller returns the place in the user's code that sent the request, as "file.go:line"
// relative to the working directory. It is the innermost frame of a test file or of the
// main module that called an http.Client, itself or through an SDK. Code below the client
// is a transport, which asked for nothing. The place is empty if the request was sent
// from a goroutine that has no such frame.
func Caller() (place string) {
	module := mainModule()
	for f := range frames {
		switch {
		case strings.HasPrefix(f.Function, "net/http.(*Client)."):
			place = ""
		case place == "" && isUsers(module, f.Function, f.File):
			place = at(f.File, f.Line)
		}
	}
	return place
}

// mainModule returns the path of the module whose tests run.
func mainModule() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		return info.Main.Path
	}
	return "main" // of package main, if there is no build information
}

// isUsers reports whether a function is the user's code.
func isUsers(module, function, file string) bool {
	return strings.HasSuffix(file, "_test.go") || isOf(module, function)
}

// at returns a place in the source.
func at(file string, line int) string { return shortFile(file) + ":" + strconv.Itoa(line) }

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
