// Package stack says what runs the function that asks: a test, a panic, and which line of
// the user's code.
package stack

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Running tells what runs the function that asks for it.
type Running struct {
	Panicking bool // a panic is running deferred functions; in a cleanup only the stack shows it
	Exiting   bool // runtime.Goexit is running them, as after FailNow and SkipNow, even of a parent test
	InTest    bool // this is the goroutine of a test, benchmark, fuzz test or example
	Benchmark bool // it is that of a benchmark
	Cleanup   bool // a function that was given to Cleanup of a test runs
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
		case "testing.(*common).runCleanup":
			s.Cleanup = true
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
	var dump strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&dump, 2) // as a panic prints them
	stacks := strings.Split(dump.String(), "\n\n")
	var known []Goroutine // the next one, and what started it, if GODEBUG says so
	for {
		head := fmt.Sprintf("goroutine %d ", id)
		if i := slices.IndexFunc(stacks, func(stack string) bool { return strings.HasPrefix(stack, head) }); i >= 0 {
			known = Parse(stacks[i])
		}
		if len(known) == 0 || known[0].ID != id {
			return chain
		}
		chain, id, known = append(chain, known[0]), known[0].Parent, known[1:]
	}
}

// entry matches the first line of a goroutine, also of one that started that above it, and the two of
// a frame.
var entry = regexpOnce(`(?m)^(?:(?:goroutine|\[originating from goroutine) (\d+)[ \]]|` +
	`(?:created by (.+?)(?: in goroutine (\d+))?|(.+)\(.*)\n\t(.*):(\d+))`)

// Parse reads stacks as runtime.Stack writes them, also with GODEBUG=tracebackancestors. It
// leaves out what it does not know.
func Parse(text string) (list []Goroutine) {
	for stack := range strings.SplitSeq(text, "\n\n") {
		var g *Goroutine // the one that it is read of
		for _, m := range entry().FindAllStringSubmatch(stack, -1) {
			id, err := strconv.ParseUint(m[1]+m[3], 10, 64)
			line, _ := strconv.Atoi(m[6])
			f := Frame{m[2] + m[4], m[5], line}
			switch {
			case m[1] != "" && err == nil:
				list = append(list, Goroutine{ID: id})
				g = &list[len(list)-1]
			case g == nil:
			case m[2] != "":
				g.Creator, g.Parent = f, id
			case m[4] != "":
				g.Frames = append(g.Frames, f)
			}
		}
	}
	return list
}

// Caller returns the place in the user's code that sent the request, as "file.go:line"
// relative to the working directory. It is the innermost frame of a test file or of the
// main module that called an http.Client, itself or through an SDK, also where a framework asks
// in goroutines of its own. Code below the client is a transport, which asked for nothing. If the
// place is not in a test file, that of the test follows: "bot.go:39 < a_test.go:40". The place is
// empty if no goroutine that lives has such a frame. It may stop the program meanwhile.
func Caller() string {
	// Its own stack is enough where a test file stands in it. Those of others cost with each goroutine that lives.
	if at := CallerIn(Parse(string(debug.Stack()))); strings.Contains(at, "_test.go:") {
		return at
	}
	return CallerIn(Ancestors(ID()))
}

// A mainModule is the module whose tests run.
type mainModule struct {
	path string // "main" if there is no build information
	root string // its folder; "" if the working directory is not below it
}

func readMainModule() mainModule {
	m := mainModule{path: "main"}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path == "" {
		return m
	}
	m.path = info.Main.Path
	dir, err := os.Getwd()
	for err == nil && m.root == "" {
		text, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
		parent := filepath.Dir(dir)
		if isGoModOf(m.path, string(text)) {
			m.root = dir
		} else if parent == dir {
			break
		}
		dir = parent
	}
	return m
}

// isGoModOf reports whether a text is the go.mod file of a module.
func isGoModOf(module, text string) bool {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "module" {
			return strings.Trim(words[1], "\"`") == module
		}
	}
	return false
}

// wrote reports whether the source file of a frame belongs to the module. The name of the function
// does not say so: a closure of an option, such as WithAPIKey of an SDK, is compiled into the
// function that WithAPIKey is inlined into, and is called TestX.WithAPIKey.func1.
func (m mainModule) wrote(f Frame) bool {
	file := filepath.ToSlash(f.File)
	switch {
	case !closureOfAnother().MatchString(f.Function):
		return true
	case inModuleCache().MatchString(file):
		return false
	case !filepath.IsAbs(f.File): // of -trimpath
		return m.path == "main" || strings.HasPrefix(file, m.path+"/")
	}
	return m.root == "" || isBelow(m.root, f.File)
}

var (
	// closureOfAnother matches the name of a closure that can come from an inlined function. The
	// closure of a method is called T.Method.func1, so it matches too.
	closureOfAnother = regexpOnce(`\.[^./]+\.[^./]+\.func\d+[^/]*$`)

	// inModuleCache matches the files of other modules: dep@v1.2.3/dep.go, and those in vendor.
	inModuleCache = regexpOnce(`@v\d[^/]*/|/vendor/`)
)

// regexpOnce compiles an expression when it is needed first.
func regexpOnce(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// isBelow reports whether a file is in a folder, also if the folder is reached by a symbolic link.
func isBelow(dir, file string) bool {
	isIn := func(dir, file string) bool {
		rel, err := filepath.Rel(dir, file)
		return err == nil && filepath.IsLocal(rel)
	}
	if isIn(dir, file) {
		return true
	}
	realDir, err1 := filepath.EvalSymlinks(dir)
	realFile, err2 := filepath.EvalSymlinks(file)
	return err1 == nil && err2 == nil && isIn(realDir, realFile)
}

// CallerIn returns the innermost place in the user's code of goroutines of which each was
// started by the next one, as [Caller] does for the first one of them; "" if there is none.
func CallerIn(chain []Goroutine) string {
	return readMainModule().callerIn(chain)
}

// callerIn is [CallerIn] for the code of a module.
func (m mainModule) callerIn(chain []Goroutine) string {
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
		} else if inTest || code == "" && isOf(m.path, f.Function) && m.wrote(f) {
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
// started by the next one; "" if there is none. A subtest has the name of its test. It is TestX of
// "example.com/app.TestX.func1".
func TestIn(chain []Goroutine) string {
	test := regexp.MustCompile(`\.((?:Test|Benchmark|Fuzz|Example)[^./]*)[^/]*$`)
	for _, g := range chain {
		for _, f := range slices.Backward(append([]Frame{g.Creator}, g.Frames...)) {
			if m := test.FindStringSubmatch(f.Function); m != nil && m[1] != "TestMain" {
				return m[1]
			}
		}
	}
	return ""
}
