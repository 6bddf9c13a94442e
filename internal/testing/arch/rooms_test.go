package arch

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each package that a user's test links says in its comment what it does.
func TestRooms(t *testing.T) {
	t.Parallel()
	linked := linkedBy(t, module+"/echotest", module+"/echofault")
	if len(linked) < 10 {
		t.Fatalf("%d packages linked: is this the module?", len(linked))
	}
	all := everything(t)
	for _, path := range linked {
		p := all[path]
		var comment string
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			comment += file.Doc.Text()
		}
		if len(strings.Fields(comment)) < 6 {
			t.Errorf("%s does not say in its package comment what it does: %q", path, comment)
		}
	}
}

// withoutTests are the packages that only tests use: those tests are theirs.
var withoutTests = []string{"internal/testing/fakegithub", "internal/testing/seeds", "internal/testing/socket"}

// Each package has tests of its own: .ci/run, which takes most of an hour, ends where one has none.
func TestPackagesHaveTests(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		tests, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if excused := slices.Contains(withoutTests, name); (len(tests) == 0) != excused {
			t.Errorf("%s has %d files with tests; among the packages without: %t", name, len(tests), excused)
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

// TestSteps: each step of a request and of a run's end that docs/DESIGN.md and docs/design/runs-end.md
// draw is
// a file of the engine, or a function of the file that the drawing names.
func TestSteps(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	engine := filepath.Join(root, "internal", "recorder")
	steps := 0
	for page, section := range map[string]string{"DESIGN.md": "## A request", "design/runs-end.md": "# The end of a run"} {
		text := readPage(t, filepath.Join(root, "docs", page))
		_, text, _ = strings.Cut("\n"+text, "\n"+section+"\n")
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

// readPage returns the text of a page of the documentation.
func readPage(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
