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

// TestTree: the tree in docs/DESIGN.md has the folders of internal, and no others.
func TestTree(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	design, err := os.ReadFile(filepath.Join(root, "docs", "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(string(design), "\ninternal/\n")
	var drawn []string
	for line := range strings.Lines(tree) {
		name, isBelow := strings.CutPrefix(line, "  ")
		if !isBelow {
			break
		}
		drawn = append(drawn, strings.Fields(name)[0])
	}
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	if !slices.Equal(drawn, folders) {
		t.Errorf("the tree has  %s\ninternal has  %s", drawn, folders)
	}
}
