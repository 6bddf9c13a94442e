package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoBackDoors: no package has a function variable that another package may
// set. Two packages that need each other get a third one below them.
func TestNoBackDoors(t *testing.T) {
	t.Parallel()
	imports := exports(t, token.NewFileSet())
	for _, p := range packages(t) {
		loaded, err := imports.Import(p.ImportPath)
		if err != nil {
			if strings.Contains(p.ImportPath, "/cmd/") || isTestOnly(p) {
				continue // a command has no export data
			}
			t.Errorf("%s: %v", p.ImportPath, err)
			continue
		}
		scope := loaded.Scope()
		for _, name := range scope.Names() {
			v, isVar := scope.Lookup(name).(*types.Var)
			if !isVar || !v.Exported() {
				continue
			}
			if _, isFunc := v.Type().Underlying().(*types.Signature); isFunc {
				t.Errorf("%s.%s is a function that any package may set", p.ImportPath, name)
			}
		}
	}
}

func isTestOnly(p pkg) bool { return len(p.GoFiles) == 0 }

// inits lists the packages with an init function, and why each needs one.
var inits = map[string]string{
	"":         "defines the flags of a test binary",
	"echoexec": "makes a test binary that was started as a stand-in one, before it runs tests",
	"echosnap": "registers with the engine, which notes goroutines only for snapshots",
	"echotest": "guards http.DefaultTransport before a test makes a client of it",
}

func TestInitsHaveAReason(t *testing.T) {
	t.Parallel()
	var found []string
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range parsed.Decls {
				f, isFunc := decl.(*ast.FuncDecl)
				if isFunc && f.Recv == nil && f.Name.Name == "init" {
					found = append(found, name)
				}
			}
		}
	}
	for _, name := range found {
		if inits[name] == "" {
			t.Errorf("%s has an init function: say why in inits", name)
		}
	}
	for name := range inits {
		if !slices.Contains(found, name) {
			t.Errorf("%s has no init function: take it out of inits", name)
		}
	}
}
