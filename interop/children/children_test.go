// Package children proves that clients of child processes work through promptecho: of MCP servers
// over stdio, of ACP agents, and of agents that print lines of JSON. Each client is recorded once
// with its program, and replayed without one.
package children

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestMain makes the run independent of where it runs: the tests choose their modes in code. The
// test binary is each of the programs, too, if it is called by the name of one.
func TestMain(m *testing.M) {
	runProgram()
	os.Unsetenv("CI")
	os.Unsetenv("PROMPTECHO_MODE")
	code := m.Run()
	removePackages()
	os.Exit(code)
}

// atMost ends a test that would wait for ever.
const atMost = time.Minute

// A driver is a client of a program, which it reaches through a recorder. It notes what it sees.
type driver func(s *setup) error

// A setup is what a client has.
type setup struct {
	ctx     context.Context
	t       *testing.T
	rec     *promptecho.Recorder
	program string // the path of the program; in a replay, no file is there
	see     *notes

	held []*os.File        // what the processes of the client get, see holders
	opts []echoexec.Option // of the program
	dir  string            // the folder of the run, see makeDir
}

// notes has what a client sees, in order for each topic. Clients handle messages of different
// topics in different goroutines, so topics have no order among them.
type notes struct {
	mu      sync.Mutex
	lines   map[string][]string // by topic
	changed chan struct{}       // is closed when a line is added
}

func newNotes() *notes {
	return &notes{lines: map[string][]string{}, changed: make(chan struct{})}
}

func (n *notes) add(topic, format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines[topic] = append(n.lines[topic], fmt.Sprintf(format, args...))
	close(n.changed)
	n.changed = make(chan struct{})
}

// wait returns when a topic has a number of lines.
func (n *notes) wait(ctx context.Context, topic string, count int) error {
	for {
		n.mu.Lock()
		have, changed := len(n.lines[topic]), n.changed
		n.mu.Unlock()
		if have >= count {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s: seen %d of %d: %w", topic, have, count, ctx.Err())
		}
	}
}

// all returns the notes, those of each topic together.
func (n *notes) all() (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, topic := range slices.Sorted(maps.Keys(n.lines)) {
		for _, line := range n.lines[topic] {
			list = append(list, topic+": "+line)
		}
	}
	return list
}

// A recording is what one run of a client with its program has left.
type recording struct {
	file string // of the cassette
	live []string
}

// replaysOfAll is how often each client is replayed with FULL=1. A replay of a stand-in takes up to
// 0.4 s with -race on two busy cores, and there are about 40 clients: with 1,000 replays, a release
// would take four hours.
const replaysOfAll = 50

// replays records a client with a program, which the client must start as often as starts says. It
// replays the client where no program is: three times, and with FULL=1 more often. Each time the
// client must see the same.
func replays(t *testing.T, program string, starts int, c driver, opts ...promptecho.Option) recording {
	t.Helper()
	r := record(t, program, starts, c, opts...)
	for i := range full.Cases(3, replaysOfAll) {
		again, err, closing := run(t, r.file, promptecho.ModeNone, missing(program), c, opts)
		if err != nil || closing != nil {
			t.Fatalf("replay %d: %v\n%v", i, err, closing)
		}
		if difference := compare(r.live, again); difference != "" {
			t.Fatalf("replay %d: %s", i, difference)
		}
	}
	return r
}

// anyNumber is the number of starts that is not checked: other programs than those of this package
// do not note them.
const anyNumber = -1

// record records a client with a program.
func record(t *testing.T, program string, starts int, c driver, opts ...promptecho.Option) recording {
	t.Helper()
	r := recording{file: filepath.Join(t.TempDir(), "c.yaml")}
	live, err, closing := run(t, r.file, promptecho.ModeAll, program, c, opts)
	if err != nil || closing != nil {
		t.Fatalf("recording: %v\n%v", err, closing)
	}
	if len(live) == 0 {
		t.Error("the client saw nothing")
	}
	pids := started(t, program)
	if len(pids) != starts && starts != anyNumber {
		t.Errorf("the program was started %d times, want %d", len(pids), starts)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("the program with pid %d still runs", pid)
		}
	}
	if strings.Contains(read(t, r.file), "DATA RACE") {
		t.Errorf("the program has a data race:\n%s", read(t, r.file))
	}
	r.live = live
	return r
}

// run runs a client once. It returns what the client saw, and the errors of the client and of the
// run.
func run(
	t *testing.T, file string, mode promptecho.Mode, program string, c driver, opts []promptecho.Option,
) (saw []string, err, closing error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	rec, err := promptecho.Open(file, append(slices.Clone(opts), promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	see := newNotes()
	err = c(&setup{ctx: ctx, t: t, rec: rec, program: program, see: see})
	return see.all(), err, rec.Close()
}

// missing returns the path of a program of the same name that is not there.
func missing(program string) string {
	return filepath.Join("/nonexistent", filepath.Base(program))
}

// compare returns "" if a client saw the same twice, else where it differs.
func compare(live, again []string) string {
	for i := range max(len(live), len(again)) {
		a, b := "nothing", "nothing"
		if i < len(live) {
			a = live[i]
		}
		if i < len(again) {
			b = again[i]
		}
		if a != b {
			return fmt.Sprintf("the client saw, as number %d of %d and %d,\nlive:   %s\nreplay: %s",
				i+1, len(live), len(again), a, b)
		}
	}
	return ""
}

// read returns a cassette.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantSeen fails the test if a client has not noted each of these lines.
func wantSeen(t *testing.T, r recording, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !slices.Contains(r.live, line) {
			t.Errorf("the client did not see %q, but\n%s", line, strings.Join(r.live, "\n"))
		}
	}
}

// makeDir makes a folder for the run. Its name is such as t.TempDir returns it to a test that runs
// once in its process.
func (s *setup) makeDir() error {
	folder, err := os.MkdirTemp("", "TestChildren")
	if err != nil {
		return err
	}
	s.t.Cleanup(func() { os.RemoveAll(folder) })
	s.dir = filepath.Join(folder, "001")
	return os.Mkdir(s.dir, 0o700)
}

// withoutDir returns a text without the name of the folder of the run.
func (s *setup) withoutDir(text string) string {
	if s.dir == "" {
		return text
	}
	return strings.ReplaceAll(text, s.dir, "DIR")
}
