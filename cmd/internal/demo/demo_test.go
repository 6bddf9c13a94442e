package demo

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun: what the demo leaves in the folder that a user names is a module whose cassette has
// the edited prompt, and no key. scripts/testdata/command/demo.txtar has what it says.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a demo's")
	var out bytes.Buffer
	if err := Run(dir, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(cassette)))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); !strings.Contains(text, "Plan a sunny day") || !strings.Contains(text, "x-promptecho-provider: stand-in") || strings.Contains(text, "sk-demo") {
		t.Errorf("the cassette is\n%s", text)
	}
	if err := Run(dir, &out); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("in a folder with files: %v", err)
	}
}

// The opening is printed before the go command compiles anything, which takes long and prints
// nothing.
func TestDemoFirstSaysWhatItDoesAndHowLongThatTakes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	w := &firstWrite{dir: dir}
	err := Run(dir, w)
	if !errors.Is(err, errStop) {
		t.Fatalf("Run returned %v, want the writer's error", err)
	}
	if w.began {
		t.Error("the demo had begun before it said anything")
	}
	for _, want := range []string{"no network and no key", "It takes a few seconds", "the first\ntime about half a minute"} {
		if !strings.Contains(w.text, want) {
			t.Errorf("the opening does not say %q:\n%s", want, w.text)
		}
	}
}

var errStop = errors.New("stop")

// A firstWrite keeps what is written first, and whether the folder existed by
// then. Then it fails, so that the demo ends.
type firstWrite struct {
	dir   string
	text  string
	began bool
}

func (w *firstWrite) Write(p []byte) (int, error) {
	_, err := os.Stat(w.dir)
	w.began = err == nil
	w.text = string(p)
	return 0, errStop
}
