package suite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each test of this package has a verdict, and each verdict a test.
func TestEachTestHasAVerdict(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if isFunc && strings.HasPrefix(f.Name.Name, "Test") {
				want[f.Name.Name] = true
			}
		}
	}
	delete(want, "TestMain")
	delete(want, "TestEachTestHasAVerdict")

	got := map[string]bool{}
	for _, v := range Verdicts {
		test, _, _ := strings.Cut(v.Test, "/")
		got[test] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("verdicts of %q,\nwant %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
