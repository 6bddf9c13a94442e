package arch

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each exported function, method and constant is needed by a recipe, an SDK or a test, and
// docs/design/api.md says by which.
func TestNeeds(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "..", "..", "docs", "design", "api.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "<!-- needs: ")[1:]
	if len(sections) != len(publicPackages) {
		t.Errorf("docs/design/api.md has %d tables for %d packages", len(sections), len(publicPackages))
	}
	for _, section := range sections {
		dir, table, _ := strings.Cut(section, " -->\n")
		var listed []string
		for _, line := range strings.Split(table, "\n") {
			if !strings.HasPrefix(line, "| `") {
				continue
			}
			cells := strings.Split(line, "|")
			names := codeSpan.FindAllStringSubmatch(cells[1], -1)
			needs := readLinked(t, filepath.Dir(page), cells[3])
			for _, name := range names {
				listed = append(listed, name[1])
				if !regexp.MustCompile(`\b` + name[1] + `\b`).MatchString(needs) {
					t.Errorf("docs/design/api.md: no page of the row uses %s of %s", name[1], dir)
				}
			}
		}
		exported := exportedNames(t, filepath.Join("..", "..", "..", dir))
		for _, name := range exported {
			if !slices.Contains(listed, name) {
				t.Errorf("docs/design/api.md lacks %s of %s: what needs it?", name, dir)
			}
		}
		for _, name := range listed {
			if !slices.Contains(exported, name) {
				t.Errorf("docs/design/api.md has %s, which %s does not export", name, dir)
			}
		}
	}
}

// publicPackages are the folders of the packages that users import.
var publicPackages = []string{".", "echotest", "echofake", "echofault", "echosnap", "echoexec"}

var (
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	linkTarget = regexp.MustCompile(`\]\(([^)#]+)`)
)

// readLinked returns the texts of the files that a cell of a page in dir links to.
func readLinked(t *testing.T, dir, cell string) string {
	t.Helper()
	var all strings.Builder
	for _, link := range linkTarget.FindAllStringSubmatch(cell, -1) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(link[1])))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// exportedNames returns the exported functions, methods and constants of a package.
func exportedNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	_, d := documented(t, dir, 0)
	values := d.Consts
	funcs := d.Funcs
	for _, typ := range d.Types {
		values = slices.Concat(values, typ.Consts)
		funcs = slices.Concat(funcs, typ.Funcs)
		// The method of a function type is the reason why the type is there.
		if _, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.FuncType); !ok {
			funcs = slices.Concat(funcs, typ.Methods)
		}
	}
	for _, v := range values {
		names = append(names, v.Names...)
	}
	for _, f := range funcs {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// documented returns the documentation of the package in a folder, without its tests, and
// the positions in its files. Comments are there if the mode has them.
func documented(t *testing.T, dir string, mode parser.Mode) (*token.FileSet, *doc.Package) {
	t.Helper()
	fset := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, mode|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, module)
	if err != nil {
		t.Fatal(err)
	}
	return fset, d
}
