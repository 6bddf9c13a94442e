package setup

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const echotest = "github.com/promptecho/promptecho/echotest"

// A Guard says whether the tests of a package run under echotest.Main or echotest.Run.
type Guard struct {
	Calls bool   // a test file calls one of them
	File  string // the file with TestMain, "" if there is none
	Line  int    // that of the call of m.Run, or of TestMain
	Runs  bool   // TestMain calls m.Run

	// Clause is the name of the package that a new test file has.
	Clause string
}

// GuardOf reads the test files in a folder.
func GuardOf(dir string) (Guard, error) {
	files, err := filepath.Glob(filepath.Join(globEscape(dir), "*_test.go"))
	if err != nil {
		return Guard{}, err
	}
	var g Guard
	usesEchotest := false // the file of the clause
	for _, path := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return Guard{}, err
		}
		name, isImported := nameOfEchotest(file)
		if g.Clause == "" || isImported && !usesEchotest {
			g.Clause = file.Name.Name
			usesEchotest = isImported
		}
		if isImported && callsMain(file, name) {
			g.Calls = true
		}
		f := testMainIn(file)
		if f == nil {
			continue
		}
		g.File = path
		at := f.Pos()
		if call := callOfRun(f); call != nil {
			g.Runs = true
			at = call.Pos()
		}
		g.Line = set.Position(at).Line
	}
	return g, nil
}

// globEscape returns a folder as a pattern of [filepath.Glob] that matches only the folder.
func globEscape(dir string) string {
	if os.PathSeparator == '\\' { // patterns have no escapes there, and * and ? are in no path
		return strings.ReplaceAll(dir, "[", "?")
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// nameOfEchotest returns the name of package echotest in a file, "." if its functions need none.
func nameOfEchotest(file *ast.File) (name string, isImported bool) {
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if path != echotest {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name, true
		}
		return "echotest", true
	}
	return "", false
}

// testMainIn returns the function TestMain of a file.
func testMainIn(file *ast.File) *ast.FuncDecl {
	for _, d := range file.Decls {
		f, isFunc := d.(*ast.FuncDecl)
		if isFunc && f.Recv == nil && f.Name.Name == "TestMain" {
			return f
		}
	}
	return nil
}

// callsMain reports whether a file calls Main or Run of package echotest, which has a name there.
func callsMain(file *ast.File, name string) bool {
	isCalled := false
	ast.Inspect(file, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall {
			return true
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			isCalled = isCalled || name == "." && isMain(fun)
		case *ast.SelectorExpr:
			pkg, isName := fun.X.(*ast.Ident)
			isCalled = isCalled || isName && pkg.Name == name && isMain(fun.Sel)
		}
		return true
	})
	return isCalled
}

func isMain(id *ast.Ident) bool { return id.Name == "Main" || id.Name == "Run" }

// callOfRun returns the call of m.Run in TestMain, nil if it has none.
func callOfRun(f *ast.FuncDecl) (call *ast.CallExpr) {
	parameters := f.Type.Params.List
	if len(parameters) != 1 || len(parameters[0].Names) != 1 {
		return nil
	}
	m := parameters[0].Names[0].Name
	ast.Inspect(f, func(n ast.Node) bool {
		c, isCall := n.(*ast.CallExpr)
		if !isCall || call != nil {
			return true
		}
		selector, isSelector := c.Fun.(*ast.SelectorExpr)
		if !isSelector || selector.Sel.Name != "Run" {
			return true
		}
		if x, isName := selector.X.(*ast.Ident); isName && x.Name == m {
			call = c
		}
		return true
	})
	return call
}

// Remedy says what to write in a TestMain that does not call echotest.
func (g *Guard) Remedy() string {
	if g.Runs {
		return "write echotest.Run(m) instead of m.Run()"
	}
	return "instead of m, hand over echotest.RunFunc(func() int { return echotest.Run(m) })"
}

// testMainFile returns the file that adds a TestMain to a package: the first of three names that no
// file in the folder has. If all are taken, it is the last one, and writing it fails.
func testMainFile(dir, clause string) (path, text string) {
	for _, name := range []string{"main_test.go", "testmain_test.go", "echotest_main_test.go"} {
		path = filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil {
			break
		}
	}
	return path, "package " + clause + `

import (
	"testing"

	"` + echotest + `"
)

func TestMain(m *testing.M) { echotest.Main(m) }
`
}
