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
// is a transport, which asked for nothing. If the place is not in a test file, that of the
// test follows: "bot.go:39 < a_test.go:40". The place is empty if the request was sent from
// a goroutine that has no such frame.
func Caller() string {
	own := Parse(dump(false))[:1]
	own[0].Creator = Frame{}
	return CallerIn(own)
}

// A place is the line in the user's code that sent a request.
type place struct {
	module string // the path of the module whose tests run
	code   string // the line; "" if there is none yet
	test   string // the innermost line of a test file
}

func newPlace() place {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		return place{module: info.Main.Path}
	}
	return place{module: "main"} // of package main, if there is no build information
}

// add adds the function that called those that were added before.
func (p *place) add(function, file string, line int) {
	inTest := strings.HasSuffix(file, "_test.go")
	switch {
	case strings.HasPrefix(function, "net/http.(*Client)."):
		p.code, p.test = "", ""
		return
	case !inTest && (p.code != "" || !isOf(p.module, function)):
		return
	}
	here := shortFile(file) + ":" + strconv.Itoa(line)
	if p.code == "" {
		p.code = here
	}
	if inTest && p.test == "" {
		p.test = here
	}
}

func (p *place) String() string {
	if p.test != "" && p.code != p.test {
		return p.code + " < " + p.test
	}
	return p.code
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

// shortFile returns the name of a source file relative to the working directory, if that is
// shorter.
func shortFile(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && len(rel) < len(file) {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}
