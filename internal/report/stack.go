package report

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// stack returns the functions that are running, the innermost first.
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

// A Moment is what the stack tells about the test at the time of a call. In a panicking
// test Failed is still false and recover returns nothing in a cleanup, and a subtest that
// calls FailNow on its parent has not failed itself; only the stack shows it.
type Moment struct {
	Panicking bool // a panic is running deferred functions
	Exiting   bool // runtime.Goexit is, as FailNow and SkipNow do
	InTest    bool // it is a test's goroutine
}

// Now returns what the stack tells.
func Now() (m Moment) {
	for f := range stack {
		switch f.Function {
		case "runtime.gopanic":
			m.Panicking = true
		case "runtime.Goexit":
			m.Exiting = true
		case "testing.tRunner", "testing.(*B).runN":
			m.InTest = true
		}
	}
	return m
}

// caller returns the place in the user's code that sent the request, as "file.go:line"
// relative to the working directory: the innermost frame of a test file or of the main
// module that called an http.Client, itself or through an SDK. What runs below the client
// is a transport, which asked for nothing. The place is empty if the request was sent
// from a goroutine that has no such frame.
func caller() (place string) {
	for f := range stack {
		switch {
		case strings.HasPrefix(f.Function, "net/http.(*Client)."):
			place = ""
		case place == "" && isUser(f):
			place = shortFile(f.File) + ":" + strconv.Itoa(f.Line)
		}
	}
	return place
}

// mainModule is the path of the module that is built, "" if it is unknown.
var mainModule = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
})

// isUser reports whether a frame is code of the user: of a test, or of the module that
// is built.
func isUser(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return true
	}
	rest, ok := strings.CutPrefix(f.Function, mainModule())
	if !ok || mainModule() == "" {
		return strings.HasPrefix(f.Function, "main.")
	}
	own := strings.HasPrefix(f.Function, "github.com/promptecho/promptecho.") ||
		strings.HasPrefix(f.Function, "github.com/promptecho/promptecho/internal/")
	return !own && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}

// shortFile returns the name of a source file relative to the working directory, if it
// is below it.
func shortFile(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}
