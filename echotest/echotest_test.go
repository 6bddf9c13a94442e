package echotest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// The verdicts that are tested are those of runs that are not short, and neither
// the environment nor the flags of the run decide them.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.short", "false")
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "NO_COLOR", "FORCE_COLOR", "TEST_TOTAL_SHARDS", "TESTBRIDGE_TEST_ONLY"} {
		os.Unsetenv(name)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PROMPTECHO_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// A fakeTB is a test that records what is said of it, so that New's verdicts
// can be tested.
type fakeTB struct {
	testing.TB
	name            string
	failed, skipped bool
	fatal           string
	errors, logs    []string
	attrs           []string
	cleanups        []func()
}

func (f *fakeTB) Name() string      { return f.name }
func (f *fakeTB) Helper()           {}
func (f *fakeTB) Failed() bool      { return f.failed }
func (f *fakeTB) Skipped() bool     { return f.skipped }
func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTB) Fatal(args ...any) { f.failed = true; f.fatal = fmt.Sprint(args...); panic(f) }
func (f *fakeTB) Fatalf(format string, args ...any) {
	f.Fatal(fmt.Sprintf(format, args...))
}
func (f *fakeTB) Attr(key, value string) { f.attrs = append(f.attrs, key+"="+value) }
func (f *fakeTB) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}
func (f *fakeTB) Errorf(format string, args ...any) {
	f.failed = true
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

// run runs a test body and its cleanups, as the testing package would.
func (f *fakeTB) run(body func(testing.TB)) {
	defer func() {
		for _, fn := range slices.Backward(f.cleanups) {
			fn()
		}
		if p := recover(); p != nil && p != any(f) {
			panic(p)
		}
	}()
	body(f)
}

// inDir runs the test in a directory of its own with no mode in the
// environment: these tests are about what New does with both.
func inDir(t *testing.T) {
	t.Helper()
	old := folder
	t.Cleanup(func() { folder = old })
	t.Chdir(t.TempDir())
	folder, _ = os.Getwd()
	t.Setenv("CI", "")
	t.Setenv("PROMPTECHO_MODE", "")
}

func ask(t testing.TB, rec *promptecho.Recorder, base, text string) int {
	t.Helper()
	body := fmt.Sprintf(`{"model":"stand-in","messages":[{"role":"user","content":%q}]}`, text)
	req, err := http.NewRequest("POST", base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer echo-secret-of-echotest")
	resp, err := rec.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// The first run of a test records, and the next one replays without a network.
func TestNewRecordsThenReplays(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	test := func(tb testing.TB) {
		rec := New(tb)
		if got := ask(t, rec, p.URL, "hello"); got != 200 {
			t.Errorf("status %d", got)
		}
	}
	first := &fakeTB{TB: t, name: "TestHello/in_paris"}
	first.run(test)
	file := filepath.Join("testdata", "cassettes", "TestHello", "in_paris.yaml")
	if len(first.errors) > 0 || len(first.logs) != 1 || !strings.Contains(first.logs[0], "saved 1 interaction to "+file) {
		t.Errorf("recording: errors %q, logs %q", first.errors, first.logs)
	}
	p.Close()
	second := &fakeTB{TB: t, name: "TestHello/in_paris"}
	second.run(test)
	if len(second.errors) > 0 || len(second.logs) > 0 {
		t.Errorf("replay: errors %q, logs %q", second.errors, second.logs)
	}
}

// A miss, an unused recording or a recorder without a request fails the test, once.
func TestNewVerdicts(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	(&fakeTB{TB: t, name: "TestX"}).run(func(tb testing.TB) {
		rec := New(tb)
		ask(t, rec, p.URL, "one")
		ask(t, rec, p.URL, "two")
	})
	tests := []struct {
		name string
		body func(tb testing.TB, rec *promptecho.Recorder)
		want string // in the one error; "" for none
	}{
		{"miss", func(tb testing.TB, rec *promptecho.Recorder) { ask(t, rec, p.URL, "three") }, "1 request has no recording"},
		{"unused", func(tb testing.TB, rec *promptecho.Recorder) { ask(t, rec, p.URL, "one") }, "1 of 2 recordings not used"},
		{"not wired", func(testing.TB, *promptecho.Recorder) {}, "no request reached the recorder"},
		{"unused and skipped", func(tb testing.TB, rec *promptecho.Recorder) { tb.(*fakeTB).skipped = true }, ""},
		{"all used", func(tb testing.TB, rec *promptecho.Recorder) {
			ask(t, rec, p.URL, "two")
			ask(t, rec, p.URL, "one")
		}, ""},
	}
	for _, tt := range tests {
		tb := &fakeTB{TB: t, name: "TestX"}
		tb.run(func(tb testing.TB) { tt.body(tb, New(tb)) })
		if tt.want == "" && len(tb.errors) > 0 || tt.want != "" && (len(tb.errors) != 1 || !strings.Contains(tb.errors[0], tt.want)) {
			t.Errorf("%s: errors %q, want %q", tt.name, tb.errors, tt.want)
		}
		if len(tb.errors) == 1 && tt.name != "not wired" && !strings.Contains(tb.errors[0], recordCommand("TestX")) {
			t.Errorf("%s: no command to record again in %s", tt.name, tb.errors[0])
		}
	}
	// A test that failed by itself is not told of unused recordings as well.
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		rec := New(tb)
		ask(t, rec, p.URL, "one")
		tb.Errorf("my own failure")
	})
	if len(tb.errors) != 1 || tb.errors[0] != "my own failure" {
		t.Errorf("errors %q", tb.errors)
	}
}

// The documentation of the package has every attribute that it sets.
func TestAttributesAreDocumented(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("echotest.go")
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{attr.CassetteKey, attr.SavedKey, attr.CodeKey}
	for key := range new(attr.Counts).All() {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if !strings.Contains(string(source), "//\t"+key) {
			t.Errorf("the documentation has no attribute %s", key)
		}
	}
}

// What a recorder did is said in attributes, and what it wrote without -v.
func TestAttributes(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	file, err := filepath.Abs(filepath.Join("testdata", "cassettes", "TestX.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	cassette, saved := "promptecho.cassette="+file, "promptecho.saved="+file
	for _, tt := range []struct {
		mode  string
		texts []string
		want  []string // beginnings; the stand-in counts the tokens, and scripts/testdata/echotest/record.txtar checks them
	}{
		{"once", []string{"hello", "hello you"}, []string{cassette, saved, "promptecho.recorded=2", "promptecho.input_tokens=", "promptecho.output_tokens="}},
		{"once", []string{"hello", "hello you"}, []string{cassette, "promptecho.replayed=2"}},
		{"once", []string{"hello", "bye"}, []string{cassette, "promptecho.code=request-changed", "promptecho.replayed=1", "promptecho.missed=1"}},
		{"new_episodes", []string{"hello", "bye"}, []string{cassette, saved, "promptecho.replayed=1", "promptecho.recorded=1", "promptecho.input_tokens=", "promptecho.output_tokens="}},
		{"all", []string{"hello"}, []string{cassette, saved, "promptecho.recorded=1", "promptecho.input_tokens=", "promptecho.output_tokens=", "promptecho.dropped=2"}},
		{"none", nil, []string{cassette, "promptecho.code=no-request"}},
	} {
		t.Setenv("PROMPTECHO_MODE", tt.mode)
		tb := &fakeTB{TB: t, name: "TestX"}
		tb.run(func(tb testing.TB) {
			rec := New(tb)
			for _, text := range tt.texts {
				ask(t, rec, p.URL, text)
			}
		})
		for i, want := range tt.want {
			if i >= len(tb.attrs) || len(tb.attrs) != len(tt.want) || !strings.HasPrefix(tb.attrs[i], want) {
				t.Errorf("mode %s, %q: attributes %q, want %q", tt.mode, tt.texts, tb.attrs, tt.want)
				break
			}
		}
	}
	var said strings.Builder
	writeChanges(&said, "TestX", &attr.Done{Saved: []string{file, "/elsewhere/y.yaml"}, Counts: attr.Counts{Recorded: 2, Dropped: 1}})
	want := "promptecho: TestX: 2 recorded, 1 dropped: saved " + filepath.Join("testdata", "cassettes", "TestX.yaml") + "\n" +
		"promptecho: TestX: 2 recorded, 1 dropped: saved /elsewhere/y.yaml\n"
	if said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
}

// A recorder that cannot be opened ends the test at once, with the reason.
func TestNewIsFatalIfItCannotOpen(t *testing.T) {
	inDir(t)
	t.Setenv("PROMPTECHO_MODE", "sometimes")
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		New(tb)
		t.Error("New returned")
	})
	if !strings.Contains(tb.fatal, `unknown record mode "sometimes"`) {
		t.Errorf("fatal %q", tb.fatal)
	}
}

// A second recorder of one test is refused, and the text says to use a subtest.
func TestTwoRecordersInOneTest(t *testing.T) {
	inDir(t)
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		New(tb, promptecho.AllowUnused())
		New(tb)
	})
	if !strings.Contains(tb.fatal, "is already open in this process") || !strings.Contains(tb.fatal, "t.Run") {
		t.Errorf("fatal %q", tb.fatal)
	}
}

// The recording of a test that panics is marked partial. While a panic runs the cleanups, Failed is
// false and recover gives nothing.
func TestPanicIsAFailure(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	boom := errors.New("boom")
	func() {
		defer func() {
			if got := recover(); got != boom {
				t.Errorf("recovered %v", got)
			}
		}()
		tb := &fakeTB{TB: t, name: "TestX"}
		// Cleanups run by defer, below the panic on the stack, as in tRunner.
		defer func() {
			for _, fn := range tb.cleanups {
				fn()
			}
		}()
		ask(t, New(tb), p.URL, "hello")
		panic(boom)
	}()
	c, err := os.ReadFile(filepath.Join("testdata", "cassettes", "TestX.yaml"))
	if err != nil || !strings.Contains(string(c), "\npartial: true\n") {
		t.Errorf("%v\n%s", err, c)
	}
}

// recordCommand returns the command that records a test of this package again, for the shell of this
// system.
func recordCommand(test string) string {
	words := []string{"go", "test", "github.com/promptecho/promptecho/echotest", "-run", "^" + test + "$", "-count=1"}
	return shell.With(runtime.GOOS, words, "PROMPTECHO_MODE=all")
}

// The command of a report selects the test, wherever it was built and however it is named.
func TestCommand(t *testing.T) {
	t.Parallel()
	if got, want := command("all", "TestA"), recordCommand("TestA"); got != want {
		t.Errorf("command:\n%s\nwant:\n%s", got, want)
	}
	built := func(settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Path: "example.com/app.test", Settings: settings}
	}
	for _, tt := range []struct {
		built  *debug.BuildInfo
		folder string
		names  string
		want   string
		known  string
	}{
		{built(), "", "TestA/a.b_(c)/it's#01", `go test example.com/app -run ^TestA$/^a\.b_\(c\)$/^it's#01$ -count=1`, ""},
		{built(), "", "TestA TestB/c", `go test example.com/app -run ^TestA$|^TestB$/^c$ -count=1`, ""},
		{built(), "", "", `go test example.com/app -count=1`, ""},
		{built(debug.BuildSetting{Key: "-race", Value: "true"}, debug.BuildSetting{Key: "-tags", Value: "a,b"}), "", "TestA", `go test -tags=a,b example.com/app -run ^TestA$ -count=1`, ""},
		{built(), "", "BenchmarkX/small", `go test example.com/app -run ^$ -bench ^BenchmarkX$/^small$ -benchtime=1x -count=1`, ""},
		{built(), "", "TestA BenchmarkX", `go test example.com/app -run ^TestA$ -bench ^BenchmarkX$ -benchtime=1x -count=1`, ""},
		{built(), "", "FuzzX/seed#0", `go test example.com/app -run ^FuzzX$/^seed#0$ -count=1`, ""},
		{built(), "/r/inner", "TestA", `go -C /r/inner test example.com/app -run ^TestA$ -count=1`, ""},
		{new(debug.BuildInfo), "", "TestA", `go test . -run ^TestA$ -count=1`, ""},
		{built(), "", "TestA TestB", `go test example.com/app -run ^(TestA|TestB)$ -count=1`, "TestA TestB TestC"},
		{built(), "", "TestA/x TestA/y", `go test example.com/app -run ^TestA$ -count=1`, "TestA/x TestA/y TestB"},
		{built(), "", "TestA/x TestA/y", `go test example.com/app -run ^TestA$/^(x|y)$ -count=1`, "TestA/x TestA/y TestA/z"},
		{built(), "", "TestA/x TestA/y", `go test example.com/app -run ^TestA$/^(x|y)$ -count=1`, ""},
		{built(), "", "TestA/x/1 TestA/x/2 TestA/y/1", `go test example.com/app -run ^TestA$/^x$|^TestA$/^y$/^1$ -count=1`, "TestA/x/1 TestA/x/2 TestA/y/1 TestA/y/2"},
		{built(), "", "TestA TestA/x", `go test example.com/app -run ^TestA$ -count=1`, "TestA TestA/x TestA/y"},
		{built(), "", "BenchmarkX/a BenchmarkX/b", `go test example.com/app -run ^$ -bench ^BenchmarkX$ -benchtime=1x -count=1`, "BenchmarkX/a BenchmarkX/b"},
	} {
		if got := strings.Join(goTest(tt.built, tt.folder, strings.Fields(tt.names), strings.Fields(tt.known)), " "); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.names, got, tt.want)
		}
	}
}
