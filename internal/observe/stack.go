package observe

import (
	"regexp"
	"strconv"
	"strings"
)

// A goroutine is one of those that led to a request: the one that sends it, or one that
// started the one before.
type goroutine struct {
	id     int64
	frames []frame
}

type frame struct {
	function string // with its import path
	file     string
	line     int
}

var (
	header  = regexp.MustCompile(`^(?:goroutine (\d+) |\[originating from goroutine (\d+)\]:)`)
	place   = regexp.MustCompile(`^\t(.+):(\d+)(?: \+0x[0-9a-f]+)?$`)
	ofATest = regexp.MustCompile(`\.((?:Test|Benchmark|Fuzz|Example)(?:[^a-z.\[(][^.\[(]*)?|init)(?:[.\[(]|$)`)
)

// parseStack reads what runtime.Stack writes with GODEBUG=tracebackancestors.
func parseStack(text string) (list []goroutine) {
	function := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := header.FindStringSubmatch(line); m != nil {
			id, _ := strconv.ParseInt(m[1]+m[2], 10, 64) // one of them is empty
			list = append(list, goroutine{id: id})
			continue
		}
		if len(list) == 0 {
			continue
		}
		if m := place.FindStringSubmatch(line); m != nil && function != "" {
			n, _ := strconv.Atoi(m[2])
			if !strings.HasPrefix(function, "created by ") {
				g := &list[len(list)-1]
				g.frames = append(g.frames, frame{withoutArguments(function), m[1], n})
			}
			function = ""
			continue
		}
		function = line
	}
	return list
}

// withoutArguments returns the function of a line of a stack: "pkg.(*T).M(0x1, ...)".
func withoutArguments(line string) string {
	if i := strings.LastIndexByte(line, '('); i > 0 && strings.HasSuffix(line, ")") {
		return line[:i]
	}
	return line
}

// test returns the test, benchmark or example of a test file that a frame is of, itself or
// by a closure; "TestMain" for that function, and "" for all others.
func (f *frame) test() string {
	if !strings.HasSuffix(f.file, "_test.go") || f.ofHook() {
		return ""
	}
	name := f.function[strings.LastIndexByte(f.function, '/')+1:]
	if m := ofATest.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// ofHook reports whether a frame is of the fallback's hook.
func (f *frame) ofHook() bool { return strings.HasSuffix(f.file, "/"+hookFile) }

// hookFile is the file that the fallback adds to a package.
const hookFile = "promptecho_observe_test.go"

// recorders are the functions of recorders, by the beginning of their names.
var recorders = []struct{ function, name string }{
	{"github.com/promptecho/promptecho.(*Recorder).", "promptecho"},
	{"github.com/promptecho/promptecho/internal/answer.(*Upstream).", "promptecho"},
	{"gopkg.in/dnaeon/go-vcr.", "go-vcr"},
	{"github.com/dnaeon/go-vcr/", "go-vcr"},
	{"cloud.google.com/go/httpreplay", "httpreplay"},
	{"cloud.google.com/go/rpcreplay", "httpreplay"},
}

// recorder returns the name of the recorder that a request goes through, "" for none.
func recorder(sender goroutine) string {
	for _, f := range sender.frames {
		for _, r := range recorders {
			if strings.HasPrefix(f.function, r.function) {
				return r.name
			}
		}
		if strings.Contains(f.function, "/httprr.(*") {
			return "httprr"
		}
	}
	return ""
}

// nearest returns the place in the modules that are tested that is nearest to the request,
// and the nearest that is in a test file and in no other test than the one that asks.
func nearest(list []goroutine, modules []string, test string) (place, inTest frame) {
	test, _, _ = strings.Cut(test, "/")
	for _, g := range list {
		for _, f := range g.frames {
			for _, dir := range modules {
				rest, ok := strings.CutPrefix(f.file, dir+"/")
				if !ok || strings.Contains("/"+rest, "/vendor/") || f.ofHook() {
					continue
				}
				if place.file == "" {
					place = f
				}
				if of := f.test(); strings.HasSuffix(f.file, "_test.go") && (of == "" || of == test) {
					return place, f
				}
			}
		}
	}
	return place, inTest
}
