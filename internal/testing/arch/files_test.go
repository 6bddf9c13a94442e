package arch

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// circles lists the packages whose files may still use each other in a circle. A
// package that has lost its circles leaves the list.
//
// A carrier holds others, whatever they are, so the files of internal/redact/carrier
// call one another through the walk. In internal/redact, the claims of a token that
// is replaced are searched themselves.
var circles = []string{
	"internal/canon",
	"internal/redact",
	"internal/redact/carrier",
}

// TestFiles: within a package arrows go one way, too: no file uses what another
// defines that, directly or not, uses the first.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		found := circlesIn(uses(t, p))
		switch listed := slices.Contains(circles, name); {
		case len(found) > 0 && !listed:
			t.Errorf("%q has files that use each other:\n%s", name, strings.Join(found, "\n"))
		case len(found) == 0 && listed:
			t.Errorf("%q has no circles any more: take it out of the list", name)
		}
	}
}

// uses returns, for each file of a package, the files that define what it uses, each
// with an example.
func uses(t *testing.T, p pkg) map[string]map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: exports(t, fset)}
	self, err := conf.Check(p.ImportPath, fset, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]map[string]string{}
	for id, obj := range info.Uses {
		if v, ok := obj.(*types.Var); obj.Pkg() != self || ok && v.IsField() || obj.Parent() != self.Scope() && obj.Parent() != nil {
			continue // a field, or local to a function; methods have no parent
		}
		from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(obj.Pos()).Filename)
		if from == to {
			continue
		}
		if used[from] == nil {
			used[from] = map[string]string{}
		}
		if old, ok := used[from][to]; !ok || obj.Name() < old {
			used[from][to] = obj.Name()
		}
	}
	return used
}

// exports returns an importer that reads the export data of packages.
func exports(t *testing.T, fset *token.FileSet) types.Importer {
	t.Helper()
	all := everything(t)
	open := func(path string) (io.ReadCloser, error) { return os.Open(all[path].Export) }
	return importer.ForCompiler(fset, "gc", open)
}

// circlesIn returns the sets of files that all use each other, directly or not.
func circlesIn(used map[string]map[string]string) (found []string) {
	reach := map[string]map[string]bool{}
	for from := range used {
		seen := map[string]bool{}
		for todo := slices.Collect(maps.Keys(used[from])); len(todo) > 0; {
			f := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[f] {
				seen[f] = true
				todo = slices.AppendSeq(todo, maps.Keys(used[f]))
			}
		}
		reach[from] = seen
	}
	done := map[string]bool{}
	for _, f := range slices.Sorted(maps.Keys(reach)) {
		if done[f] || !reach[f][f] {
			continue
		}
		var circle []string
		for _, g := range slices.Sorted(maps.Keys(reach)) {
			if reach[f][g] && reach[g][f] {
				done[g] = true
				for _, to := range slices.Sorted(maps.Keys(used[g])) {
					if reach[to][f] && reach[f][to] {
						circle = append(circle, fmt.Sprintf("%s -> %s (%s)", g, to, used[g][to]))
					}
				}
			}
		}
		found = append(found, strings.Join(circle, ", "))
	}
	return found
}

// The search can find, and finds no circle where there is none.
func TestCirclesAreFound(t *testing.T) {
	t.Parallel()
	line := map[string]map[string]string{"a.go": {"b.go": "B", "c.go": "C"}, "b.go": {"c.go": "C"}}
	if got := circlesIn(line); got != nil {
		t.Errorf("found %q", got)
	}
	line["c.go"] = map[string]string{"a.go": "A"}
	if got := circlesIn(line); len(got) != 1 || !strings.Contains(got[0], "c.go -> a.go (A)") {
		t.Errorf("found %q", got)
	}
}
