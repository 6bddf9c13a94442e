package demo

import (
	"bytes"
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
