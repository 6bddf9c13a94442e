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

// TestSteps: each step of a request and of a run's end that docs/DESIGN.md draws is
// a file of the engine, or a function of the file that the drawing names.
func TestSteps(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	design, err := os.ReadFile(filepath.Join(root, "docs", "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	engine := filepath.Join(root, "internal", "recorder")
	steps := 0
	for _, section := range []string{"## A request", "### The end of a run"} {
		_, text, _ := strings.Cut(string(design), "\n"+section+"\n")
		_, text, _ = strings.Cut(text, "```text\n")
		drawing, _, _ := strings.Cut(text, "```")
		for line := range strings.Lines(drawing) {
			steps++
			step := strings.Fields(line)[0]
			file := step + ".go"
			fields := strings.Fields(line)
			if last := fields[len(fields)-1]; strings.HasSuffix(last, ".go") {
				file = last
			}
			source, err := os.ReadFile(filepath.Join(engine, file))
			if err != nil {
				t.Errorf("%s: %q is no file of internal/recorder: %v", section, step, err)
				continue
			}
			isFunc := strings.Contains(string(source), ") "+step+"(") || strings.Contains(string(source), "func "+step+"(")
			if !isFunc {
				t.Errorf("%s: %s has no function %s", section, file, step)
			}
		}
	}
	if steps < 10 {
		t.Errorf("%d steps are drawn", steps)
	}
}
