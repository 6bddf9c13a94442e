package mutate

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// programs is the folder of what buildPrograms builds. TestMain removes it.
var programs string

func TestMain(m *testing.M) {
	var err error
	programs, err = os.MkdirTemp("", "promptecho-mutate-programs-")
	if err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(programs)
	os.Exit(status)
}

// buildOnce builds the tests in testdata/programs.
var buildOnce = sync.OnceValues(func() (*binary, error) {
	dir, err := filepath.Abs(filepath.Join("testdata", "programs"))
	if err != nil {
		return nil, err
	}
	pkg := suite.Package{
		Path: "github.com/promptecho/promptecho/cmd/promptecho/internal/mutate/testdata/programs",
		Dir:  dir,
	}
	return build(context.Background(), pkg, []string{"-ldflags=-w"}, programs)
})

// buildPrograms returns a test program with the tests in testdata/programs.
func buildPrograms(t *testing.T) *binary {
	t.Helper()
	built, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return &binary{pkg: built.pkg, file: built.file, temp: t.TempDir(), files: &files{}}
}

// trialOf returns the trial of the only answer of a test, and the mutations of it.
func trialOf(t *testing.T, b *binary, test string, atOnce int) (*trial, []*mutation.Mutation) {
	t.Helper()
	a := &Answer{Cassette: filepath.Join(b.pkg.Dir, "testdata", "cassettes", "louvre.yaml"), Number: 1}
	mutations, _, why, err := mutationsOf(a)
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	return &trial{binary: b, test: &Test{Name: test}, answer: a, atOnce: atOnce}, mutations
}

// outcomes returns what came of the changes of an answer: "other text: noticed".
func outcomes(a *Answer) (list []string) {
	for _, c := range a.Changes {
		list = append(list, string(c.Kind)+": "+string(c.Outcome))
	}
	return list
}

// A process that runs a test several times, each with another change, shows the same as a process for each.
func TestRoundsOfOneProcess(t *testing.T) {
	t.Parallel()
	b := buildPrograms(t)
	for _, test := range []string{"TestCompares", "TestPanicsWithoutText"} {
		single, mutations := trialOf(t, b, test, 1)
		err := single.try(t.Context(), mutations)
		if err != nil {
			t.Fatal(err)
		}
		together, _ := trialOf(t, b, test, roundsAtOnce)
		err = together.try(t.Context(), mutations)
		if err != nil {
			t.Fatal(err)
		}
		got, want := outcomes(together.answer), outcomes(single.answer)
		if !slices.Equal(got, want) || len(want) != len(mutations)-1 {
			t.Errorf("%s: got %q %s, want %q %s",
				test, got, together.answer.NotJudged, want, single.answer.NotJudged)
		}
	}
}

// A test that is interrupted ends at once, and the files that it has written are put back.
func TestInterruptedTestEndsAtOnce(t *testing.T) {
	// Not parallel: it sets the environment of the test program.
	b := buildPrograms(t)
	folder := t.TempDir()
	written := filepath.Join(folder, "answer.txt")
	err := os.WriteFile(written, []byte("old"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	b.files, err = keepFiles(folder, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.writes = true
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv("WRITES", written)
	t.Setenv("WAITS", listener.Addr().String())

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		_, err := b.runAlone(ctx, mutant.Plan{}, time.Hour, onlyTest("TestWaits", 1)...)
		ended <- err
	}()
	conn, err := listener.Accept() // the test has written, and waits
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	err = <-ended
	if err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(written)
	if err != nil || string(data) != "old" {
		t.Errorf("the file has %q, %v", data, err)
	}
}

// A test ends although a process that it has started goes on in a session of its own, and has its output.
func TestChildThatKeepsTheOutput(t *testing.T) {
	// Not parallel: it sets the environment of the test program.
	if runtime.GOOS != "linux" {
		t.Skip("setsid is a command of Linux")
	}
	b := buildPrograms(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	t.Setenv("CHILD", pidFile)
	p, err := b.run(t.Context(), mutant.Plan{}, time.Minute, onlyTest("TestLeavesChild", 1)...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	err = child.Signal(syscall.SIGKILL)
	if err != nil {
		t.Errorf("the process does not run: %v", err)
	}
	if !p.isOK || !strings.Contains(p.output, "--- PASS: TestLeavesChild") {
		t.Errorf("%+v", p)
	}
}

// Of a test that prints without end, only the beginning and the end are kept.
func TestOutputWithoutEnd(t *testing.T) {
	t.Parallel()
	k := &keptOutput{}
	_, _ = k.Write([]byte("begin"))
	for range 100 {
		n, err := k.Write(make([]byte, mostOutput/10+1))
		if n != mostOutput/10+1 || err != nil {
			t.Fatal(n, err)
		}
	}
	_, _ = k.Write([]byte("end"))
	got := k.String()
	if !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") {
		t.Error("the beginning or the end is missing")
	}
	if most := 3 * mostOutput; len(got) > most || cap(k.end) > 2*most {
		t.Errorf("%d bytes are kept, in memory %d", len(got), cap(k.end))
	}
}

// Only the named test runs, and not one whose name begins alike or another subtest.
func TestArgumentsOfOneTest(t *testing.T) {
	t.Parallel()
	got := onlyTest("TestX/a.b", 3)
	want := []string{`-test.run=^TestX$/^a\.b$`, "-test.count=3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
