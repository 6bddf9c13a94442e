package arch

import (
	"slices"
	"strings"
	"testing"
)

// TestFaceIsOnTop: the root package is the face of the module. Nothing below
// internal imports it, so that the engine can be read and tested without it.
func TestFaceIsOnTop(t *testing.T) {
	t.Parallel()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	below := 0
	for path, p := range all {
		if !strings.HasPrefix(path, module+"/internal/") {
			continue
		}
		below++
		if slices.Contains(p.Imports, module) {
			t.Errorf("%s imports the root package: it needs internal/recorder", path)
		}
	}
	if below < 20 {
		t.Fatalf("%d packages below internal: is this the module?", below)
	}
}
