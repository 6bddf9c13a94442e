package modes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Opening the cassette of another tool names the tool and the command that converts it.
func TestOpenForeign(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "TestX.yaml")
	const theirs = "---\nversion: 2\ninteractions:\n    - id: 0\n      request:\n        url: https://h/\n      response:\n        code: 200\n"
	if err := os.WriteFile(file, []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeAll} {
		_, err := promptecho.Open(file, promptecho.InMode(mode))
		want := "promptecho: " + file + ":1:1: this is a cassette of go-vcr; to convert it: go run github.com/promptecho/promptecho/cmd/promptecho@latest import -w " + file
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", mode, err, want)
		}
	}
	if must.Read(t, file) != theirs {
		t.Error("it was changed")
	}
}

// TestSlipIsNotForeign: one of our cassettes with another tool's name for a field is told so,
// and not taken for a cassette of that tool.
func TestSlipIsNotForeign(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "version: 1\ninteractions:\n  - kind: http\n    request:\n      method: GET\n      uri: https://x.example/\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := promptecho.Open(file); err == nil || !strings.Contains(err.Error(), `unknown key "uri"`) {
		t.Errorf("%v", err)
	}
}
