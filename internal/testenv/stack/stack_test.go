package stack

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What the stack tells in cleanups, where testing.T does not know yet.
func TestStack(t *testing.T) {
	t.Parallel()
	if s := Current(); s != (Running{InTest: true}) {
		t.Errorf("in a test: %+v", s)
	}
	func() {
		defer func() { recover() }()
		defer func() {
			if s := Current(); !s.Panicking || s.Exiting {
				t.Errorf("a panic: %+v", s)
			}
		}()
		panic("made up")
	}()
	done := make(chan Running)
	go func() {
		defer func() { done <- Current() }()
		runtime.Goexit()
	}()
	if s := <-done; s != (Running{Exiting: true}) {
		t.Errorf("runtime.Goexit in another goroutine: %+v", s)
	}
}

// The stacks of the runtime are read with those that started them.
func TestAncestors(t *testing.T) {
	t.Parallel()
	chain, done := make(chan []Goroutine), make(chan bool)
	defer close(done)
	go func() {
		go func() { chain <- Ancestors(ID()) }()
		<-done
	}()
	got := <-chain
	if len(got) < 3 || got[0].Parent != got[1].ID || got[1].Parent != got[2].ID || got[2].ID != ID() {
		t.Fatalf("%+v, this is goroutine %d", got, ID())
	}
	if name := TestIn(got); name != "TestAncestors" {
		t.Errorf("the test is %q", name)
	}
	if at := CallerIn(got); !strings.HasPrefix(at, "stack_test.go:") {
		t.Errorf("the caller is %q", at)
	}
	if f := got[0].Frames[len(got[0].Frames)-1]; !strings.HasSuffix(f.File, "stack_test.go") || f.Line == 0 {
		t.Errorf("%+v", f)
	}
}

// What is cut or unknown is left out.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, frames := range map[string]int{
		"": -1, "goroutine": -1, "goroutine x [running]:": -1,
		"goroutine 7 [running, synctest bubble 1]:\na.B(0x1, {0x2, 0x3})\n\t/x/b.go:12 +0x1d\n...3 frames elided...\na.C(...)\n\t/x/c.go:3\ncreated by a.(*T).Go in goroutine 5\n\t/x/d.go:9 +0x4": 2,
		"goroutine 7 [running]:\na.B(0x1, {0x2, 0x3})\n\t/x/b.go:12 +0x1d\ncreated by a.(*T).Go in goroutine 5\n\t/x/d.go:9 +0x4\n\ngoroutine x [running]:\na.C(...)\n\t/x/c.go:3\n":               1,
	} {
		var g Goroutine
		list := Parse(text)
		ok := len(list) == 1 && list[0].ID == 7
		if ok {
			g = list[0]
		}
		if ok != (frames >= 0) || !ok && len(list) > 0 || ok && (len(g.Frames) != frames || g.Parent != 5 || g.Creator != (Frame{"a.(*T).Go", "/x/d.go", 9}) || g.Frames[0] != (Frame{"a.B", "/x/b.go", 12})) {
			t.Errorf("%q: %+v", text, g)
		}
	}
}

// A file of the module is named from the folder of the test, also if it is beside that.
func TestShortFile(t *testing.T) {
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(wd, "a_test.go"):           "a_test.go",
		filepath.Join(wd, "..", "bot", "bot.go"): "../bot/bot.go",
		"example.com/app/bot.go":                 "example.com/app/bot.go", // of -trimpath
		filepath.FromSlash("/x.go"):              "/x.go",
	} {
		if got := shortFile(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

// The closure of an inlined option of an SDK is named after the test, but the test did not write it.
func TestCallerIsNotAnInlinedClosure(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	module := mainModule{path: "example.com/app", root: root}
	outside := filepath.Join(filepath.Dir(root), "elsewhere")
	below := func(name string) string { return filepath.Join(root, name) }
	for _, tt := range []struct {
		name, function, file string
		want                 bool
	}{
		{"module cache", "example.com/app.TestX.WithAPIKey.func3", "/go/pkg/mod/github.com/openai/openai-go@v1.12.0/option/option.go", false},
		{"nested closure", "example.com/app.TestX.WithAPIKey.func3.1", "/go/pkg/mod/github.com/openai/openai-go/v3@v3.1.0/option/option.go", false},
		{"helper of the test", "example.com/app/bot.New.WithMiddleware.func1", "/go/pkg/mod/dep@v1.0.0/dep.go", false},
		{"goroutine of a loop", "example.com/app.TestX.Map.gowrap1.func1", "/go/pkg/mod/dep@v1.0.0/dep.go", false},
		{"standard library", "example.com/app.TestX.OnceFunc.func2", filepath.Join(outside, "go/src/sync/oncefunc.go"), false},
		{"replaced module", "example.com/app.TestX.WithAPIKey.func1", filepath.Join(outside, "dep/dep.go"), false},
		{"vendor", "example.com/app.TestX.WithAPIKey.func1", below("vendor/dep/dep.go"), false},
		{"trimpath", "example.com/app.TestX.WithAPIKey.func1", "dep@v1.0.0/dep.go", false},
		{"trimpath of the standard library", "example.com/app.TestX.OnceFunc.func1", "sync/oncefunc.go", false},
		{"closure of another package of the module", "example.com/app/bot.New.WithRetry.func1", below("retry/retry.go"), true},
		{"closure of a method", "example.com/app.Bot.Ask.func1", below("bot.go"), true},
		{"closure of a pointer's method", "example.com/app.(*Bot).Ask.func1", below("bot.go"), true},
		{"trimpath of the module", "example.com/app.Bot.Ask.func1", "example.com/app/bot.go", true},
		{"own closure", "example.com/app.TestX.func1", below("app.go"), true},
	} {
		frames := []Frame{
			{Function: tt.function, File: tt.file, Line: 11},
			{Function: "net/http.(*Client).Do", File: "/go/src/net/http/client.go", Line: 1},
			{Function: tt.function, File: tt.file, Line: 11},
			{Function: "example.com/app.TestX", File: below("a_test.go"), Line: 40},
		}
		got := module.callerIn([]Goroutine{{ID: 1, Frames: frames}})
		if isThere := strings.Contains(got, ":11 < "); isThere != tt.want {
			t.Errorf("%s: the caller is %q", tt.name, got)
		}
		if !strings.HasSuffix(got, "a_test.go:40") {
			t.Errorf("%s: the caller is %q, without the line of the test", tt.name, got)
		}
	}
}

func TestIsGoModOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"module example.com/app\n": true, "// x\nmodule \"example.com/app\" // y\ngo 1.26\n": true,
		"": false, "module example.com/app2\n": false, "go 1.26\nrequire example.com/app v1.0.0\n": false,
	} {
		if got := isGoModOf("example.com/app", text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
