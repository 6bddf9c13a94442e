package observe

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/stack"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// What the hooks see, and to which test it belongs, is tested in scripts, with the real
// command and the tests in scripts/testdata/observe.

// Where the patches do not fit the standard library, the hook in the default transport
// replaces them, and the result says why.
func TestFallback(t *testing.T) {
	dir := app(t)
	t.Chdir(dir)
	var said bytes.Buffer
	r, err := run(t.TempDir(), nil, []string{"./..."}, &said)
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if !strings.Contains(r.Incomplete, errPatchUnfit.Error()) || len(r.Requests) != 1 || r.Failed {
		t.Fatalf("result is %+v\n%s", r, said.String())
	}
	if got := r.Requests[0]; got.Test != "TestApp" || got.Place != "app_test.go:12" || got.Host != "host.invalid" || got.Package != "." {
		t.Errorf("request is %+v", got)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("the folder has %v, %v", files, err)
	}
}

// The toolchain is in the module cache, where go does not let an overlay replace a file.
func TestToolchainInCache(t *testing.T) {
	goroot, err := goOutput("env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, goroot, filepath.Join(t.TempDir(), "go"))
	t.Chdir(app(t))
	t.Setenv("GOMODCACHE", filepath.Dir(goroot))
	var said bytes.Buffer
	r, err := Run(nil, []string{"./..."}, &said)
	if err != nil || r.Incomplete != "" || len(r.Requests) != 1 || r.Requests[0].Host != "host.invalid" {
		t.Fatalf("%+v, %v\n%s", r, err, said.String())
	}
}

// app is a module whose test sends a request.
func app(t *testing.T) (dir string) {
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.25.0\n",
		"app_test.go": `package app_test

import (
	"net/http"
	"testing"
)

func TestApp(t *testing.T) {
	http.DefaultTransport.(*http.Transport).DialContext = nil
	done := make(chan bool)
	go func() {
		http.Get("http://host.invalid")
		http.Get("http://127.0.0.1:1")
		close(done)
	}()
	<-done
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The patches fit the standard library of the Go that runs this test.
func TestPatchesFit(t *testing.T) {
	t.Parallel()
	goroot, err := goOutput("env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stdlibOverlay(goroot, t.TempDir()); err != nil {
		t.Error(err)
	}
}

func TestParseStack(t *testing.T) {
	t.Parallel()
	list := stack.Parse(`goroutine 9 [running]:
net/http.promptechoAsked(0xc0001)
	/go/src/net/http/promptecho_observe.go:17 +0x1d
example.com/app.(*Bot[...]).Ask(0x1, {0x2, 0x3})
	/work/app/bot.go:12 +0x65
example.com/app.TestAsk.func1.2()
	/work/app/bot_test.go:30 +0x65
created by example.com/app.TestAsk.func1 in goroutine 7
	/work/app/bot_test.go:28 +0x65
[originating from goroutine 7]:
example.com/app.TestAsk.func1(...)
	/work/app/bot_test.go:28 +0x65
testing.tRunner(...)
	/go/src/testing/testing.go:1934 +0xea
`)
	if len(list) != 2 || list[0].ID != 9 || list[1].ID != 7 || len(list[0].Frames) != 3 || len(list[1].Frames) != 2 {
		t.Fatalf("goroutines are %+v", list)
	}
	if f := list[0].Frames[1]; f != (stack.Frame{Function: "example.com/app.(*Bot[...]).Ask", File: "/work/app/bot.go", Line: 12}) {
		t.Errorf("frame is %+v", f)
	}
	if name := firstTest(list[0].Frames); name != "TestAsk" {
		t.Errorf("test is %q", name)
	}
}

// The test that a function of a test file is, or is part of.
func TestTestOfFrame(t *testing.T) {
	t.Parallel()
	for function, want := range map[string]string{
		"example.com/a.b/app.TestX":           "TestX",
		"example.com/app_test.TestX.func1":    "TestX",
		"example.com/app.TestX.func1.gowrap1": "TestX",
		"example.com/app.TestMain":            "TestMain",
		"example.com/app.Test":                "Test",
		"example.com/app.TestÄ.func1":         "TestÄ",
		"example.com/app.Test[...]":           "Test",
		"example.com/app.init.0":              "init",
		"example.com/app.init":                "init",
		"example.com/app.ExampleBot_Ask":      "ExampleBot_Ask",
		"example.com/app.BenchmarkX.func1":    "BenchmarkX",
		"example.com/app.Testing":             "",
		"example.com/app.(*Tester).Run":       "",
		"example.com/app.helper":              "",
		"example.com/app.initialise":          "",
	} {
		f := stack.Frame{Function: function, File: "/work/app_test.go"}
		if got := testOf(f); got != want {
			t.Errorf("%s is of %q, want %q", function, got, want)
		}
	}
	if got := testOf(stack.Frame{Function: "example.com/app.TestX", File: "/work/app.go"}); got != "" {
		t.Errorf("a function of a file that is no test is of %q", got)
	}
}

// TestAttribute has the logs that the runs of TestObserve do not produce.
func TestAttribute(t *testing.T) {
	t.Parallel()
	ask := func(context, text string) *sentRequest {
		return &sentRequest{context: context, stack: stack.Parse(text)}
	}
	p := &process{tests: map[uint64]string{7: "TestA", 8: "TestB/x"}, running: map[string]bool{"TestB": true, "TestB/x": true, "TestB/y": true}}
	for name, test := range map[string]struct {
		ask    *sentRequest
		want   string
		others []string
	}{
		"a goroutine of a test that has ended": {ask("", "goroutine 7 [running]:\n"), "", []string{"TestB/x", "TestB/y"}},
		"one of a subtest":                     {ask("", "goroutine 9 [running]:\n[originating from goroutine 8]:\n"), "TestB/x", nil},
		"the context of the test around it":    {ask("TestB", "goroutine 8 [running]:\n"), "TestB/x", nil},
		"the context of another subtest":       {ask("TestB/y", "goroutine 8 [running]:\n"), "TestB/y", nil},
		"the context of an ended test":         {ask("TestA", "goroutine 8 [running]:\n"), "TestB/x", nil},
	} {
		if got, others := p.attribute(test.ask); got != test.want || !slices.Equal(others, test.others) {
			t.Errorf("%s: %q, one of %q", name, got, others)
		}
	}
	p.running = map[string]bool{}
	if got, _ := p.attribute(ask("", "goroutine 7 [running]:\n")); got != "TestA" {
		t.Errorf("after the end of all tests: %q", got)
	}
	for _, line := range []string{"ask", "run\tx\t\"TestA\"", "start\t\"", "what\t1\t\"TestA\""} {
		if _, err := p.readLine(line); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

// With -trimpath, the files of the modules have import paths, those of dependencies have
// paths with a version.
func TestResolveFiles(t *testing.T) {
	t.Parallel()
	modules := []module{{"example.com/app", "/work/app"}, {"example.com/app/tool", "/work/tool"}}
	for file, want := range map[string]string{
		"example.com/app/bot/bot_test.go":      "/work/app/bot/bot_test.go",
		"example.com/app/tool/x.go":            "/work/tool/x.go",
		"example.com/app/toolbox/x.go":         "/work/app/toolbox/x.go",
		"example.com/app/sub@v1.2.3/pkg/x.go":  "example.com/app/sub@v1.2.3/pkg/x.go",
		"example.com/apple/x.go":               "example.com/apple/x.go",
		"net/http/client.go":                   "net/http/client.go",
		"/work/app/example.com/app/bot/bot.go": "/work/app/example.com/app/bot/bot.go",
	} {
		list := []stack.Goroutine{{Frames: []stack.Frame{{File: file, Line: 7}}}}
		resolveFiles(list, modules)
		if got := list[0].Frames[0]; got.File != want || got.Line != 7 {
			t.Errorf("%s is placed at %+v, want %s", file, got, want)
		}
	}
}

// The proposed code compiles where it is to be written.
func TestFix(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"TestAsk/paris":  "write rec := echotest.New(t) in TestAsk/paris, ",
		"BenchmarkAsk":   "write rec := echotest.New(b) in BenchmarkAsk, ",
		"FuzzAsk/seed#0": "write rec := echotest.New(f) before f.Fuzz in FuzzAsk, ",
		"ExampleAsk":     "write rec, err := promptecho.Open(...) and defer rec.Close() in ExampleAsk, ",
		"TestMain":       "write rec, err := promptecho.Open(...) in TestMain, ",
		"init":           "write rec, err := promptecho.Open(...) in TestMain, ",
		"":               "find out which test sends it (run each alone), write rec := echotest.New(t) there, ",
	} {
		r := &Request{Test: test, Place: "a_test.go:1"}
		if got, want := r.fix(), want+"and create the client that sends at a_test.go:1 with rec.Client()"; got != want {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
}
