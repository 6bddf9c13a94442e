package lint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// OuterTest finds subtests that pass the outer test to echotest.New. All subtests would share one
// cassette, and would be judged when the outer test ends.
var OuterTest = &analysis.Analyzer{
	Name:     "outertest",
	Doc:      "find subtests that pass the outer t to echotest.New",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#outertest",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for c := range callsIn(pass) {
			call := c.Node().(*ast.CallExpr)
			if !isCall(pass.TypesInfo, call, echotest, "New", "Open", "SetDefault") || len(call.Args) == 0 {
				continue
			}
			given, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
			own := enclosingSubtest(pass.TypesInfo, c)
			if !ok || own == nil {
				continue
			}
			obj := pass.TypesInfo.Uses[given]
			isGlobal := obj != nil && obj.Parent() == pass.Pkg.Scope()
			if obj == nil || isGlobal || obj.Pos() >= own.Pos() {
				continue // only a parameter outside of the subtest is that of an outer test
			}
			if isType(pass.TypesInfo.TypeOf(given), "testing", "F") {
				report(pass, given, "", nil, "%s is the fuzz test, not "+
					"the test of this input: write %s(%[1]s, ...) before %[1]s.Fuzz",
					given.Name, types.ExprString(call.Fun))
				continue
			}
			name := testParameter(pass.TypesInfo, own.Type)
			if name == nil {
				report(pass, given, "", nil, "%s is the test around this subtest: give the "+
					"*testing.T of the subtest a name, and pass that to %s",
					given.Name, types.ExprString(call.Fun))
				continue
			}
			var edits []analysis.TextEdit
			if objectAt(pass, enclosingFile(c), call.Pos(), name.Name) == pass.TypesInfo.Defs[name] {
				edits = append(edits, replace(given, name.Name))
			}
			report(pass, given, "use the t of the subtest", edits, "%[1]s is the test around this "+
				"subtest, so all subtests of %[1]s would share one cassette: write %[2]s(%[3]s, ...)",
				given.Name, types.ExprString(call.Fun), name.Name)
		}
		return nil, nil
	},
}

// enclosingSubtest returns the innermost function around a call that is run as a subtest.
func enclosingSubtest(info *types.Info, c inspector.Cursor) *ast.FuncLit {
	for e := range c.Enclosing((*ast.FuncLit)(nil)) {
		call, isArgument := e.Parent().Node().(*ast.CallExpr)
		if isArgument && testOfCall(info, call, "Run", "Fuzz") != nil {
			return e.Node().(*ast.FuncLit)
		}
	}
	return nil
}

// Discarded finds recorders that nothing can use.
var Discarded = &analysis.Analyzer{
	Name:     "discarded",
	Doc:      "find recorders that are made and not used",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#discarded",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for c := range callsIn(pass) {
			call := c.Node().(*ast.CallExpr)
			isNew := isCall(pass.TypesInfo, call, echotest, "New", "Open")
			isOpen := isCall(pass.TypesInfo, call, library, "Open")
			if !isNew && !isOpen || !isDropped(pass, c) {
				continue
			}
			if isNew && isType(pass.TypesInfo.TypeOf(call.Args[0]), "testing", "TB") {
				continue // it may be the fake TB of a test of echotest itself
			}
			what := "write rec, err := promptecho.Open(...)"
			if isNew {
				what = "write rec := " + types.ExprString(call)
			}
			report(pass, call, "", nil, "the recorder is discarded, so no request reaches it: %s, "+
				"and pass rec.Client() to the tested code", what)
		}
		return nil, nil
	},
}

// isDropped reports whether nothing uses the first result of a call.
func isDropped(pass *analysis.Pass, c inspector.Cursor) bool {
	var id *ast.Ident
	switch n := c.Parent().Node().(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		if n.Rhs[0] == c.Node() {
			id, _ = n.Lhs[0].(*ast.Ident)
		}
		if id != nil && id.Name == "_" && !isBlank(n.Lhs) {
			return false // the program uses only the error
		}
	case *ast.ValueSpec:
		if n.Values[0] == c.Node() {
			id = n.Names[0]
		}
	}
	if id == nil {
		return false
	}
	if id.Name == "_" {
		return true
	}
	obj := pass.TypesInfo.Defs[id]
	if obj == nil || obj.Parent() == pass.Pkg.Scope() {
		return false
	}
	for use := range c.Inspector().Root().Preorder((*ast.Ident)(nil)) {
		if pass.TypesInfo.Uses[use.Node().(*ast.Ident)] != obj {
			continue
		}
		if a, ok := use.Parent().Node().(*ast.AssignStmt); !ok || !isBlank(a.Lhs) {
			return false
		}
	}
	return true
}

// ParallelDefault finds parallel tests that put a recorder in the place of the default
// transport, which all tests share.
var ParallelDefault = &analysis.Analyzer{
	Name:     "paralleldefault",
	Doc:      "find echotest.SetDefault in parallel tests",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#paralleldefault",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for c := range callsIn(pass) {
			if !isCall(pass.TypesInfo, c.Node(), echotest, "SetDefault") {
				continue
			}
			if parallel, ok := enclosingParallel(pass, c); ok {
				report(pass, c.Node(), "do not run the test in parallel",
					[]analysis.TextEdit{remove(pass, parallel)},
					"echotest.SetDefault changes the default transport of the whole process, so it "+
						"refuses parallel tests: delete the call of "+
						"Parallel, or pass rec.Client() to the tested code")
			}
		}
		return nil, nil
	},
}

// enclosingParallel returns the statement t.Parallel() of the innermost parallel test around a
// call.
func enclosingParallel(pass *analysis.Pass, c inspector.Cursor) (ast.Stmt, bool) {
	for e := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		var typ *ast.FuncType
		var body *ast.BlockStmt
		switch fn := e.Node().(type) {
		case *ast.FuncLit:
			typ, body = fn.Type, fn.Body
		case *ast.FuncDecl:
			typ, body = fn.Type, fn.Body
		}
		t := testParameter(pass.TypesInfo, typ)
		if t == nil {
			continue
		}
		for _, stmt := range body.List {
			x, ok := stmt.(*ast.ExprStmt)
			if !ok {
				continue
			}
			if testOfCall(pass.TypesInfo, x.X, "Parallel") == pass.TypesInfo.Defs[t] {
				return x, true
			}
		}
	}
	return nil, false
}

// MainCode finds TestMain functions that drop what echotest.Run returns.
var MainCode = &analysis.Analyzer{
	Name:     "maincode",
	Doc:      "find a TestMain that ignores the exit code of echotest.Run",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#maincode",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for c := range callsIn(pass) {
			decl := enclosingFunc(c)
			call := c.Node().(*ast.CallExpr)
			isInTestMain := decl != nil && decl.Name.Name == "TestMain" && decl.Recv == nil
			isRun := isCall(pass.TypesInfo, call, echotest, "Run")
			if !isInTestMain || !isRun || !dropsCode(c) {
				continue
			}
			report(pass, call, "end the process with the code", mainEdits(pass, decl, c),
				"the exit code of echotest.Run is ignored, so its findings do not fail the package: "+
					"write os.Exit(echotest.Run(m)), or echotest.Main(m)")
		}
		return nil, nil
	},
}

// dropsCode reports whether nothing uses the result of a call.
func dropsCode(c inspector.Cursor) bool {
	switch n := c.Parent().Node().(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		return isBlank(n.Lhs)
	}
	return false
}

// mainEdits returns the edits that replace echotest.Run with echotest.Main, if the call is the last
// statement of TestMain.
func mainEdits(pass *analysis.Pass, decl *ast.FuncDecl, c inspector.Cursor) []analysis.TextEdit {
	stmt, call := c.Parent().Node(), c.Node().(*ast.CallExpr)
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || decl.Body.List[len(decl.Body.List)-1] != stmt {
		return nil
	}
	hasDefer := false // Main ends the process, so deferred calls would not run
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if _, isDefer := n.(*ast.DeferStmt); isDefer {
			hasDefer = true
		}
		return true
	})
	if hasDefer {
		return nil
	}
	edits := []analysis.TextEdit{replace(sel.Sel, "Main")}
	if stmt.Pos() < call.Pos() { // _ =
		edits = append(edits, analysis.TextEdit{Pos: stmt.Pos(), End: call.Pos(), NewText: nil})
	}
	return edits
}
