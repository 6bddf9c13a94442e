package observe

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// testFunction finds the test, benchmark, fuzz test or example in the name of a function.
var testFunction = regexp.MustCompile(`\.((?:Test|Benchmark|Fuzz|Example)(?:[^a-z.\[(][^.\[(]*)?|init)(?:[.\[(]|$)`)

// testOf returns the name of the test, benchmark, fuzz test or example that a frame belongs to:
// the function of the frame, or the one in which that is a closure. It is "TestMain" or "init"
// for frames of these functions, and "" for any other frame.
func testOf(f stack.Frame) string {
	if !strings.HasSuffix(f.File, "_test.go") || isOfHook(f) {
		return ""
	}
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	m := testFunction.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	return m[1]
}

// isOfHook reports whether a frame is of the hook in the default transport.
func isOfHook(f stack.Frame) bool { return strings.HasSuffix(f.File, "/"+hookFile) }

// hookFile is the file that transportOverlay adds to a package.
const hookFile = "promptecho_observe_test.go"

// recorders are the names of recorders by the beginnings of the names of their functions.
var recorders = []struct{ functionPrefix, name string }{
	{"github.com/promptecho/promptecho.(*Recorder).", "promptecho"},
	{"github.com/promptecho/promptecho/internal/exchange.(*Upstream).", "promptecho"},
	{"gopkg.in/dnaeon/go-vcr.", "go-vcr"},
	{"github.com/dnaeon/go-vcr/", "go-vcr"},
	{"cloud.google.com/go/httpreplay", "httpreplay"},
	{"cloud.google.com/go/rpcreplay", "httpreplay"},
}

// recorderOf returns the name of the recorder in the stack of the goroutine that sends a
// request; "" for none.
func recorderOf(sender stack.Goroutine) string {
	for _, f := range sender.Frames {
		for _, r := range recorders {
			if strings.HasPrefix(f.Function, r.functionPrefix) {
				return r.name
			}
		}
		if strings.Contains(f.Function, "/httprr.(*") {
			return "httprr"
		}
	}
	return ""
}

// A module is one of the modules whose tests run. dir has slashes on Windows, too, as the file of
// a frame.
type module struct{ path, dir string }

// resolveFiles replaces import paths of modules with their folders in the file names of
// frames: programs built with -trimpath have import paths there. The file of a dependency
// keeps its path, which has a version: example.com/mod@v1.2.3/pkg/file.go.
func resolveFiles(list []stack.Goroutine, modules []module) {
	for _, g := range list {
		for i := range g.Frames {
			f := &g.Frames[i]
			m, ok := moduleOf(f.File, modules)
			if ok && !strings.Contains(f.File, "@") {
				f.File = m.dir + strings.TrimPrefix(f.File, m.path)
			}
		}
	}
}

// moduleOf returns the module with the longest path that an import path is below.
func moduleOf(path string, modules []module) (innermost module, ok bool) {
	for _, m := range modules {
		if strings.HasPrefix(path, m.path+"/") && len(m.path) > len(innermost.path) {
			innermost = m
			ok = true
		}
	}
	return innermost, ok
}

// isInModules reports whether a file is in one of the modules, and not in a vendor folder.
func isInModules(file string, modules []module) bool {
	for _, m := range modules {
		below, ok := strings.CutPrefix(file, m.dir+"/")
		if ok && !strings.Contains("/"+below, "/vendor/") {
			return true
		}
	}
	return false
}

// nearestFrames looks for two frames, from the code that sends a request outwards. place is the
// first frame in the modules. inTest is the first one in a test file of the modules. A frame of
// another test than the one that sends the request does not count as inTest.
func nearestFrames(list []stack.Goroutine, modules []module, test string) (place, inTest stack.Frame) {
	test, _, _ = strings.Cut(test, "/")
	for _, g := range list {
		for _, f := range g.Frames {
			if isOfHook(f) || !isInModules(f.File, modules) {
				continue
			}
			if place.File == "" {
				place = f
			}
			owner := testOf(f)
			isOfOtherTest := owner != "" && owner != test
			if strings.HasSuffix(f.File, "_test.go") && !isOfOtherTest {
				return place, f
			}
		}
	}
	return place, stack.Frame{}
}
