package setup

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNames returns the names of the tests in the files of a folder.
func TestNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if isFunc && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
