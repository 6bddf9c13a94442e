package matching_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

// TestOptionsAtTheTop: what a cassette has for programs under promptecho serve is not passed over
// in silence by a test in Go.
func TestOptionsAtTheTop(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("version: 1\noptions: {mask_times: true}\ninteractions: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeUpdate, promptecho.ModeAll} {
		r, err := promptecho.Open(file, promptecho.InMode(mode))
		want := file + ": the options at its top ({mask_times: true}) are for programs under promptecho serve: pass them to the recorder in Go, and remove the line"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, %v", mode, r, err)
		}
	}
	// The refused recorder has let go of the file.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	r, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
