// Package sessions proves that clients which open sessions work through promptecho: a WebSocket, a
// two-way body over HTTP/2, a stream of a Go program. Each is recorded against a server of the test,
// and replayed without one.
package sessions

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestMain makes the run independent of where it runs: the tests choose their modes in code. With
// PROMPTECHO_MODE the cassettes of recipes are recorded again, see voice_test.go.
func TestMain(m *testing.M) {
	os.Unsetenv("CI")
	mode := promptecho.Mode(os.Getenv("PROMPTECHO_MODE"))
	isMutated := os.Getenv(mutant.Env) != "" // promptecho mutate replays the committed cassettes
	switch {
	case isMutated:
	case mode == "", mode == promptecho.ModeNone:
		os.Unsetenv("PROMPTECHO_MODE")
	default:
		sendToVoiceServer()
	}
	os.Exit(m.Run())
}

// fakeKey is the key that every client is given. No file may have it.
const fakeKey = "echo-secret-interop-0123456789"

// atMost ends a test that would wait for ever.
const atMost = time.Minute

// A program opens sessions through a recorder. base is the address of its server.
type program func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error

// notes has what a program sees, in order for each of its goroutines.
type notes struct {
	mu    sync.Mutex
	lines map[string][]string // by the name of the goroutine
}

func (n *notes) add(goroutine, format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lines == nil {
		n.lines = map[string][]string{}
	}
	n.lines[goroutine] = append(n.lines[goroutine], fmt.Sprintf(format, args...))
}

// all returns the notes, those of each goroutine together.
func (n *notes) all() (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, goroutine := range slices.Sorted(maps.Keys(n.lines)) {
		for _, line := range n.lines[goroutine] {
			list = append(list, goroutine+": "+line)
		}
	}
	return list
}

// replays records a program against its server, stops the server, and replays the program: five
// times, and with FULL=1 a thousand times. Each time the program must see the same. replays returns
// the file of the cassette.
func replays(t *testing.T, server *httptest.Server, p program, opts ...promptecho.Option) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	live, err, closing := run(t, file, promptecho.ModeAll, server.URL, p, opts)
	server.Close()
	if err != nil || closing != nil {
		t.Fatalf("recording: %v\n%v", err, closing)
	}
	if len(live) == 0 {
		t.Error("the program saw nothing")
	}
	for i := range full.Cases(5, 1000) {
		again, err, closing := run(t, file, promptecho.ModeNone, server.URL, p, opts)
		if err != nil || closing != nil {
			t.Fatalf("replay %d: %v\n%v", i, err, closing)
		}
		if !slices.Equal(live, again) {
			t.Fatalf("replay %d: the program saw\n%s\nlive it saw\n%s", i, strings.Join(again, "\n"), strings.Join(live, "\n"))
		}
	}
	return file
}

// run runs a program once. It returns what the program saw, and the errors of the program and of
// the run.
func run(t *testing.T, file string, mode promptecho.Mode, base string, p program, opts []promptecho.Option) (saw []string, err, closing error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	rec, err := promptecho.Open(file, append(slices.Clone(opts), promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	var see notes
	err = p(ctx, rec, base, &see)
	return see.all(), err, rec.Close()
}

// wantMiss replays a program that sends something else than what is recorded. The error of the
// program, if it says why, and the report of the run must have these texts.
func wantMiss(t *testing.T, file, base string, p program, texts ...string) (err error) {
	t.Helper()
	_, err, closing := run(t, file, promptecho.ModeNone, base, p, nil)
	if err == nil || closing == nil {
		t.Fatalf("no miss: %v, %v", err, closing)
	}
	for _, text := range texts {
		if !strings.Contains(closing.Error(), text) {
			t.Errorf("the report does not say %q:\n%v", text, closing)
		}
	}
	return err
}

// read returns a cassette. It has no key.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), fakeKey) {
		t.Errorf("%s has the key", file)
	}
	return string(text)
}

// sessionsIn returns how many sessions a cassette has.
func sessionsIn(t *testing.T, file string) int {
	t.Helper()
	return strings.Count(read(t, file), "\n    stream: ")
}
