// Package stack finds what called a function: a test, a panic, and a line of the user's
// code.
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

	"github.com/promptecho/promptecho/internal/memo"
)

// A Running describes what called a function.
type Running struct {
	Panicking bool // a panic runs deferred functions; in a cleanup only the stack shows it
	Exiting   bool // runtime.Goexit runs them, as after FailNow and SkipNow, also of a parent test
	InTest    bool // the goroutine is that of a test, benchmark, fuzz test or example
	Benchmark bool // the goroutine is that of a benchmark
	Cleanup   bool // a function of T.Cleanup runs
}

// Current returns what called its caller. It does not look up files and lines, which
// takes many times as long.
func Current() (s Running) {
	pcs := make([]uintptr, 128)
	for _, pc := range pcs[:runtime.Callers(2, pcs)] {
		switch runtime.FuncForPC(pc - 1).Name() { // none of these is inlined
		case "runtime.gopanic":
			s.Panicking = true
		case "runtime.Goexit":
			s.Exiting = true
		case "testing.tRunner", "testing.fRunner", "testing.runExample":
			s.InTest = true
		case "testing.(*common).runCleanup":
			s.Cleanup = true
		case "testing.(*B).runN":
			s.InTest = true
			s.Benchmark = true
		}
	}
	return s
}

// answering has the beginnings of the functions of this module that answer requests: those of its
// root package, of echoexec, of echogrpc, and of the internal packages.
var answering = []string{".", "/echoexec.", "/echogrpc.", "/internal/"}

// isOf reports whether a function belongs to a module, and not to the packages of this
// module that answer requests.
func isOf(module, function string) bool {
	inModule, isOurs := strings.CutPrefix(function, "github.com/promptecho/promptecho")
	isOurs = isOurs && slices.ContainsFunc(answering, func(start string) bool {
		return strings.HasPrefix(inModule, start)
	})
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

// A Goroutine is a goroutine that has not ended.
type Goroutine struct {
	ID      uint64
	Frames  []Frame // the calls in it, the innermost first
	Creator Frame   // the go statement that started it; zero for the first goroutine
	Parent  uint64  // the goroutine with that statement
}

// A Frame is a function and the line that runs.
type Frame struct {
	Function, File string
	Line           int
}

// ID returns the number of the goroutine of its caller. No other goroutine of the process
// has it or will have it.
func ID() uint64 {
	var buf [64]byte // longer than "goroutine 18446744073709551615 "
	n := runtime.Stack(buf[:], false)
	text := strings.TrimPrefix(string(buf[:n]), "goroutine ") // every stack begins so
	number, _, _ := strings.Cut(text, " ")
	id, _ := strconv.ParseUint(number, 10, 64)
	return id
}

// Ancestors returns a goroutine, the goroutine that started it, and so on, up to the first
// one that has ended. It stops all goroutines while it reads their stacks, so it is for
// requests that are about to fail.
func Ancestors(id uint64) []Goroutine {
	var dump strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&dump, 2) // as a panic prints them
	stacks := strings.Split(dump.String(), "\n\n")
	var chain []Goroutine
	// known begins with the next goroutine. With GODEBUG=tracebackancestors, a stack has
	// the ancestors of its goroutine as well, also those that have ended.
	var known []Goroutine
	for {
		head := fmt.Sprintf("goroutine %d ", id)
		i := slices.IndexFunc(stacks, func(stack string) bool { return strings.HasPrefix(stack, head) })
		if i >= 0 {
			known = Parse(stacks[i])
		}
		if len(known) == 0 || known[0].ID != id {
			return chain
		}
		chain = append(chain, known[0])
		id = known[0].Parent
		known = known[1:]
	}
}

// entry matches the first line of a goroutine, also in a list of ancestors, and the two
// lines of a frame.
var entry = memo.Regexp(`(?m)^(?:(?:goroutine|\[originating from goroutine) (\d+)[ \]]|` +
	`(?:created by (.+?)(?: in goroutine (\d+))?|(.+)\(.*)\n\t(.*):(\d+))`)

// Parse parses stacks as runtime.Stack writes them, also with GODEBUG=tracebackancestors. It
// ignores other lines.
func Parse(text string) (list []Goroutine) {
	for stack := range strings.SplitSeq(text, "\n\n") {
		var g *Goroutine // that the lines belong to
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
				g.Creator = f
				g.Parent = id
			case m[4] != "":
				g.Frames = append(g.Frames, f)
			}
		}
	}
	return list
}

// Caller returns the place in the user's code that sent a request, as "file.go:line"
// relative to the working directory. It is the innermost frame of a test file or of the
// main module that called an http.Client, itself or through an SDK, also if a framework
// has started goroutines in between. Frames that the client called are those of a
// transport, which does not count.
//
// If the place is not in a test file, the line of the test follows: "bot.go:39 <
// a_test.go:40". Caller returns "" if no goroutine has such a frame. It may stop all
// goroutines while it reads their stacks.
func Caller() string {
	// The stack of this goroutine is enough if it has a test file. Reading all stacks
	// takes longer with each goroutine of the program.
	at := CallerIn(Parse(string(debug.Stack())))
	if strings.Contains(at, "_test.go:") {
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

// hasSource reports whether the source file of a frame belongs to the module. The name of
// the function does not say so: a closure of an option, such as WithAPIKey of an SDK, is
// compiled into the function that WithAPIKey is inlined into, and has the name
// TestX.WithAPIKey.func1.
func (m mainModule) hasSource(f Frame) bool {
	file := filepath.ToSlash(f.File)
	switch {
	case !closureOfAnother().MatchString(f.Function):
		return true
	case inModuleCache().MatchString(file):
		return false
	case !filepath.IsAbs(f.File): // built with -trimpath
		return m.path == "main" || strings.HasPrefix(file, m.path+"/")
	}
	return m.root == "" || isBelow(m.root, f.File)
}

var (
	// closureOfAnother matches the name of a closure that can come from an inlined function. The
	// closure of a method is called T.Method.func1, so it matches too.
	closureOfAnother = memo.Regexp(`\.[^./]+\.[^./]+\.func\d+[^/]*$`)

	// inModuleCache matches the files of other modules: dep@v1.2.3/dep.go, and those in vendor.
	inModuleCache = memo.Regexp(`@v\d[^/]*/|/vendor/`)
)

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

// CallerIn returns what [Caller] returns in the first goroutine of a chain. Each goroutine
// of the chain was started by the next one.
func CallerIn(chain []Goroutine) string {
	return readMainModule().callerIn(chain)
}

// callerIn is [CallerIn] for the code of a module.
func (m mainModule) callerIn(chain []Goroutine) string {
	var frames []Frame
	for i, g := range chain {
		if i == 0 { // the others have gone on after they started the next one
			frames = append(frames, g.Frames...)
		}
		frames = append(frames, g.Creator)
	}
	var code, test string // the line in the user's code, and the innermost one of a test file
	for _, f := range frames {
		if isClient(f.Function) {
			code = "" // what was found is below the client
			test = ""
			continue
		}
		inTest := strings.HasSuffix(f.File, "_test.go")
		isFirst := !inTest && code == "" && isOf(m.path, f.Function) && m.hasSource(f)
		if !inTest && !isFirst {
			continue
		}
		here := shortFile(f.File) + ":" + strconv.Itoa(f.Line)
		code = cmp.Or(code, here)
		if inTest {
			test = cmp.Or(test, here)
		}
	}
	if test != "" && code != test {
		return code + " < " + test
	}
	return code
}

// isClient reports whether a function is one by which a program calls a server. What it calls in the
// program is a transport, or an interceptor of gRPC.
func isClient(function string) bool {
	return strings.HasPrefix(function, "net/http.(*Client).") ||
		strings.HasPrefix(function, "google.golang.org/grpc.(*ClientConn).")
}

// testFunction matches a function of a test file by its name or that of a closure in it:
// "example.com/app.TestX.func1".
var testFunction = memo.Regexp(`\.((?:Test|Benchmark|Fuzz|Example)[^./]*)[^/]*$`)

// TestIn returns the name of the test function that started the goroutines of a chain, and
// "" if there is none. Each goroutine of the chain was started by the next one. For a
// subtest it is the function of the test.
func TestIn(chain []Goroutine) string {
	for _, g := range chain {
		frames := append([]Frame{g.Creator}, g.Frames...)
		for _, f := range slices.Backward(frames) {
			m := testFunction().FindStringSubmatch(f.Function)
			if m != nil && m[1] != "TestMain" {
				return m[1]
			}
		}
	}
	return ""
}
