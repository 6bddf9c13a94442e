package observe

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// ofATest finds the test, benchmark or example in the name of a function.
var ofATest = regexp.MustCompile(`\.((?:Test|Benchmark|Fuzz|Example)(?:[^a-z.\[(][^.\[(]*)?|init)(?:[.\[(]|$)`)

// testOf returns the test, benchmark or example of a test file that a frame is of, itself or
// by a closure; "TestMain" for that function, and "" for all others.
func testOf(f stack.Frame) string {
	if !strings.HasSuffix(f.File, "_test.go") || ofHook(f) {
		return ""
	}
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	if m := ofATest.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// ofHook reports whether a frame is of the fallback's hook.
func ofHook(f stack.Frame) bool { return strings.HasSuffix(f.File, "/"+hookFile) }

// hookFile is the file that the fallback adds to a package.
const hookFile = "promptecho_observe_test.go"

// recorders are the functions of recorders, by the beginning of their names.
var recorders = []struct{ function, name string }{
	{"github.com/promptecho/promptecho.(*Recorder).", "promptecho"},
	{"github.com/promptecho/promptecho/internal/exchange.(*Upstream).", "promptecho"},
	{"gopkg.in/dnaeon/go-vcr.", "go-vcr"},
	{"github.com/dnaeon/go-vcr/", "go-vcr"},
	{"cloud.google.com/go/httpreplay", "httpreplay"},
	{"cloud.google.com/go/rpcreplay", "httpreplay"},
}

// recorder returns the name of the recorder that a request goes through, "" for none.
func recorder(sender stack.Goroutine) string {
	for _, f := range sender.Frames {
		for _, r := range recorders {
			if strings.HasPrefix(f.Function, r.function) {
				return r.name
			}
		}
		if strings.Contains(f.Function, "/httprr.(*") {
			return "httprr"
		}
	}
	return ""
}

// A module is one that is worked on.
type module struct{ path, dir string }

// placed puts the folders of modules where -trimpath has left import paths. A dependency
// keeps its path, which has its version: example.com/mod@v1.2.3/pkg/file.go.
func placed(list []stack.Goroutine, modules []module) {
	for _, g := range list {
		for i := range g.Frames {
			f, innermost := &g.Frames[i], module{}
			for _, m := range modules {
				if strings.HasPrefix(f.File, m.path+"/") && len(m.path) > len(innermost.path) {
					innermost = m
				}
			}
			if innermost.path != "" && !strings.Contains(f.File, "@") {
				f.File = innermost.dir + strings.TrimPrefix(f.File, innermost.path)
			}
		}
	}
}

// nearest returns the place in the modules that are tested that is nearest to the request,
// and the nearest that is in a test file and in no other test than the one that asks.
func nearest(list []stack.Goroutine, modules []module, test string) (place, inTest stack.Frame) {
	test, _, _ = strings.Cut(test, "/")
	for _, g := range list {
		for _, f := range g.Frames {
			for _, m := range modules {
				rest, ok := strings.CutPrefix(f.File, m.dir+"/")
				if !ok || strings.Contains("/"+rest, "/vendor/") || ofHook(f) {
					continue
				}
				if place.File == "" {
					place = f
				}
				if of := testOf(f); strings.HasSuffix(f.File, "_test.go") && (of == "" || of == test) {
					return place, f
				}
			}
		}
	}
	return place, inTest
}
