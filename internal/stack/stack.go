// Package stack says what runs the function that asks: a test, a panic, and which line of
// the user's code.
package stack

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
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

// isOf reports whether a function belongs to a module and is not one of ours that answer
// requests.
func isOf(module, function string) bool {
	isOurs := strings.HasPrefix(function, "github.com/promptecho/promptecho.") ||
		strings.HasPrefix(function, "github.com/promptecho/promptecho/internal/")
	isIn := strings.HasPrefix(function, module+".") || strings.HasPrefix(function, module+"/")
	return strings.HasPrefix(function, "main.") || isIn && !isOurs
}

// shortFile returns the name of a source file relative to the working directory, if that is
// shorter.
func shortFile(file string) string {
	wd, _ := os.Getwd()
	if rel, err := filepath.Rel(wd, file); err == nil && len(rel) < len(file) {
		file = rel
	}
	return filepath.ToSlash(file)
}

// A Goroutine is one that lives.
type Goroutine struct {
	ID      uint64
	Frames  []Frame // what runs in it, the innermost first
	Creator Frame   // what started it; zero for the first one
	Parent  uint64  // the goroutine that did
}

// A Frame is a function and the line that runs.
type Frame struct {
	Function, File string
	Line           int
}

// ID returns the number of the goroutine of its caller. No other goroutine of the process
// has it or will have it.
func ID() (id uint64) {
	var head [64]byte                                                                     // as long as "goroutine 18446744073709551615 "
	_, _ = fmt.Sscanf(string(head[:runtime.Stack(head[:], false)]), "goroutine %d ", &id) // every stack begins so
	return id
}

// Ancestors returns a goroutine, the one that started it, and so on, as far as they live. It stops the program meanwhile: it is for what is about to fail.
func Ancestors(id uint64) (chain []Goroutine) {
	all := map[uint64]Goroutine{}
	var dump strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&dump, 2) // as a panic prints them
	for _, g := range Parse(dump.String()) {
		all[g.ID] = g
	}
	for g, ok := all[id]; ok; g, ok = all[g.Parent] {
		chain = append(chain, g)
		delete(all, g.ID)
	}
	return chain
}

// Parse reads stacks as runtime.Stack writes them, also with GODEBUG=tracebackancestors. It
// leaves out what it does not know.
func Parse(text string) (list []Goroutine) {
	lines := strings.Split(text, "\n")
	known := false // whose lines these are
	for i := 0; i < len(lines); i++ {
		number, isHead := strings.CutPrefix(lines[i], "goroutine ")
		if !isHead { // or it is the one that started that above it
			number, isHead = strings.CutPrefix(lines[i], "[originating from goroutine ")
		}
		number, _, _ = strings.Cut(strings.TrimSuffix(number, "]:"), " ")
		if id, err := strconv.ParseUint(number, 10, 64); isHead && err == nil {
			list, known = append(list, Goroutine{ID: id}), true
			continue
		}
		if known = known && lines[i] != "" && i+1 < len(lines); !known {
			continue
		}
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue // frames that are left out
		}
		g := &list[len(list)-1]
		colon := strings.LastIndex(place, ":")
		number, _, _ = strings.Cut(place[colon+1:], " ")
		f := Frame{File: place[:max(colon, 0)]}
		f.Line, _ = strconv.Atoi(number)
		if by, ok := strings.CutPrefix(lines[i], "created by "); ok {
			var parent string
			f.Function, parent, _ = strings.Cut(by, " in goroutine ")
			g.Creator = f
			g.Parent, _ = strconv.ParseUint(parent, 10, 64)
		} else {
			f.Function = lines[i][:max(strings.LastIndex(lines[i], "("), 0)]
			g.Frames = append(g.Frames, f)
		}
		i++
	}
	return list
}

// Caller returns the place in the user's code that sent the request, as "file.go:line"
// relative to the working directory. It is the innermost frame of a test file or of the
// main module that called an http.Client, itself or through an SDK, also where a framework asks
// in goroutines of its own. Code below the client is a transport, which asked for nothing. If the
// place is not in a test file, that of the test follows: "bot.go:39 < a_test.go:40". The place is
// empty if no goroutine that lives has such a frame. It stops the program meanwhile.
func Caller() string { return CallerIn(Ancestors(ID())) }

// CallerIn returns the innermost place in the user's code of goroutines of which each was
// started by the next one, as [Caller] does for the first one of them; "" if there is none.
func CallerIn(chain []Goroutine) string {
	module := "main" // of package main, if there is no build information
	if info, ok := debug.ReadBuildInfo(); ok {
		module = cmp.Or(info.Main.Path, module)
	}
	var frames []Frame
	for i, g := range chain {
		if i == 0 { // what the others wait for is not what they started
			frames = append(frames, g.Frames...)
		}
		frames = append(frames, g.Creator)
	}
	var code, test string // the line in the user's code, and the innermost one of a test file
	for _, f := range frames {
		inTest := strings.HasSuffix(f.File, "_test.go")
		if strings.HasPrefix(f.Function, "net/http.(*Client).") {
			code, test = "", ""
		} else if inTest || code == "" && isOf(module, f.Function) {
			here := shortFile(f.File) + ":" + strconv.Itoa(f.Line)
			code = cmp.Or(code, here)
			if inTest {
				test = cmp.Or(test, here)
			}
		}
	}
	if test != "" && code != test {
		return code + " < " + test
	}
	return code
}

// TestIn returns the name of the test function that goroutines come from, of which each was
// started by the next one; "" if there is none. A subtest has the name of its test.
func TestIn(chain []Goroutine) string {
	for _, g := range chain {
		for _, f := range slices.Backward(append([]Frame{g.Creator}, g.Frames...)) {
			if name := testFunction(f.Function); name != "" {
				return name
			}
		}
	}
	return ""
}

// testFunction returns the test that a function is, or is a part of: TestX of
// "example.com/app.TestX.func1". It returns "" if it is none.
func testFunction(function string) string {
	function = function[strings.LastIndex(function, "/")+1:]
	parts := strings.Split(function, ".")
	for _, part := range parts[1:] {
		for _, kind := range [...]string{"Test", "Benchmark", "Fuzz", "Example"} {
			if strings.HasPrefix(part, kind) && part != "TestMain" {
				return part
			}
		}
	}
	return ""
}
