package echosnap

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The tests of this package write their snapshots into a folder that is theirs.
// Neither the environment nor -short decides what they do.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.short", "false")
	dir, err := os.MkdirTemp("", "echosnap")
	if err != nil {
		panic(err)
	}
	folder = dir
	os.Unsetenv("CI")
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PROMPTECHO_") {
			os.Unsetenv(name)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// A fakeTB is a test within a test.
type fakeTB struct {
	testing.TB
	name string

	mu       sync.Mutex
	errors   []string
	logs     []string
	fatal    string
	skipped  bool
	cleanups []func()
}

func (f *fakeTB) Helper()      {}
func (f *fakeTB) Name() string { return f.name }
func (f *fakeTB) Skipped() bool {
	return f.skipped
}

func (f *fakeTB) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.errors) > 0 || f.fatal != ""
}

func (f *fakeTB) Cleanup(c func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cleanups = append(f.cleanups, c)
}

func (f *fakeTB) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fakeTB) Logf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}

func (f *fakeTB) Fatalf(format string, args ...any) { f.Fatal(fmt.Sprintf(format, args...)) }

func (f *fakeTB) Fatal(args ...any) {
	f.fatal = fmt.Sprint(args...)
	runtime.Goexit()
}

// run runs a test of a name and its cleanups, and returns what came of it.
func run(t *testing.T, name string, test func(tb testing.TB)) *fakeTB {
	t.Helper()
	f := &fakeTB{TB: t, name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, c := range slices.Backward(f.cleanups) {
				c()
			}
		}()
		test(f)
	}()
	<-done
	return f
}

// passes runs a test that must pass.
func passes(t *testing.T, name string, test func(tb testing.TB)) *fakeTB {
	t.Helper()
	f := run(t, name, test)
	if f.fatal != "" || len(f.errors) > 0 {
		t.Errorf("%s: %s %s", name, f.fatal, strings.Join(f.errors, "\n"))
	}
	return f
}

// fails runs a test that must fail with texts that hold all of these.
func fails(t *testing.T, name string, test func(tb testing.TB), want ...string) *fakeTB {
	t.Helper()
	f := run(t, name, test)
	said := f.fatal + strings.Join(f.errors, "\n")
	if said == "" {
		t.Errorf("%s passes", name)
	}
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("%s: %s\nwant: %s", name, said, w)
		}
	}
	return f
}

// file returns the text of a file below the folder of the tests; "" if there is none.
func file(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "testdata", "snapshots", name))
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	return string(data)
}

// anew removes what a run before has left of a test.
func anew(t *testing.T) {
	t.Helper()
	path := filepath.Join(folder, "testdata", "snapshots", t.Name())
	for _, p := range []string{path, path + ".snap", path + ".snap.new"} {
		if err := os.RemoveAll(p); err != nil {
			t.Fatal(err)
		}
	}
}
