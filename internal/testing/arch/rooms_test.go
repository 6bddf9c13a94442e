package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRooms: docs/DESIGN.md has a row for every package that a user's test links.
func TestRooms(t *testing.T) {
	t.Parallel()
	design, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	linked := linkedBy(t, module+"/echotest", module+"/echofault")
	slices.Sort(linked)
	if len(linked) < 10 {
		t.Fatalf("%d packages linked: is this the module?", len(linked))
	}
	for _, path := range linked {
		name := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if name == "" {
			name = "promptecho"
		}
		if !strings.Contains(string(design), "\n| `"+name+"` | ") {
			t.Errorf("docs/DESIGN.md has no row for the package %s that says what it does and what it never sees", name)
		}
	}
}
