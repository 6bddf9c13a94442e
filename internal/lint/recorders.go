package lint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// OuterTest finds recorders of the outer test that a subtest makes: all subtests would have
// one cassette, and the verdict would be given when the outer test ends.
var OuterTest = &analysis.Analyzer{
	Name:     "outertest",
	Doc:      "find subtests that pass the outer t to echotest.New",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#outertest",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			if !isCall(pass.TypesInfo, call, echotest, "New", "Open", "SetDefault") || len(call.Args) == 0 {
				continue
			}
			given, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
			own := subtest(pass.TypesInfo, c)
			if !ok || own == nil {
				continue
			}
			if obj := pass.TypesInfo.Uses[given]; obj == nil || obj.Pos() >= own.Pos() || obj.Parent() == pass.Pkg.Scope() {
				continue // of this subtest, or of one within it
			}
			if isType(pass.TypesInfo.TypeOf(given), "testing", "F") {
				report(pass, given, "", nil, "%s is the fuzz test, not "+
					"the test of this input: write %s(%[1]s, ...) before %[1]s.Fuzz",
					given.Name, types.ExprString(call.Fun))
				continue
			}
			name := parameterOf(pass.TypesInfo, own.Type)
			if name == nil {
				report(pass, given, "", nil, "%s is the test around this subtest: give the "+
					"*testing.T of the subtest a name, and pass that to %s",
					given.Name, types.ExprString(call.Fun))
				continue
			}
			var edits []analysis.TextEdit
			if visible(pass, file(c), call.Pos(), name.Name) == pass.TypesInfo.Defs[name] {
				edits = append(edits, replace(given, name.Name))
			}
			report(pass, given, "use the t of the subtest", edits, "%[1]s is the test around this "+
				"subtest, so all subtests of %[1]s would share one cassette: write %[2]s(%[3]s, ...)",
				given.Name, types.ExprString(call.Fun), name.Name)
		}
		return nil, nil
	},
}

// subtest returns the innermost function around a call that is run as a subtest.
func subtest(info *types.Info, c inspector.Cursor) *ast.FuncLit {
	for e := range c.Enclosing((*ast.FuncLit)(nil)) {
		if call, ok := e.Parent().Node().(*ast.CallExpr); ok && ofTest(info, call, "Run", "Fuzz") != nil {
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
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			isNew := isCall(pass.TypesInfo, call, echotest, "New", "Open")
			if !isNew && !isCall(pass.TypesInfo, call, library, "Open") || !dropped(pass, c) {
				continue
			}
			if isNew && isType(pass.TypesInfo.TypeOf(call.Args[0]), "testing", "TB") {
				continue // perhaps none of package testing, but of a test that looks at the verdict
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

// dropped reports whether the first result of a call is used by nothing.
func dropped(pass *analysis.Pass, c inspector.Cursor) bool {
	var id *ast.Ident
	switch n := c.Parent().Node().(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		if n.Rhs[0] == c.Node() {
			id, _ = n.Lhs[0].(*ast.Ident)
		}
		if id != nil && id.Name == "_" && !blank(n.Lhs) {
			return false // the error is what is looked at
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
		if a, ok := use.Parent().Node().(*ast.AssignStmt); !ok || !blank(a.Lhs) {
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
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
			if !isCall(pass.TypesInfo, c.Node(), echotest, "SetDefault") {
				continue
			}
			if parallel, ok := parallelAround(pass, c); ok {
				report(pass, c.Node(), "do not run the test in parallel", []analysis.TextEdit{remove(pass, parallel)},
					"echotest.SetDefault changes the default transport of the whole process, so it "+
						"refuses parallel tests: delete the call of "+
						"Parallel, or pass rec.Client() to the tested code")
			}
		}
		return nil, nil
	},
}

// parallelAround returns the statement that makes the test around a call parallel, or a
// test around that.
func parallelAround(pass *analysis.Pass, c inspector.Cursor) (ast.Stmt, bool) {
	for e := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		var typ *ast.FuncType
		var body *ast.BlockStmt
		switch fn := e.Node().(type) {
		case *ast.FuncLit:
			typ, body = fn.Type, fn.Body
		case *ast.FuncDecl:
			typ, body = fn.Type, fn.Body
		}
		t := parameterOf(pass.TypesInfo, typ)
		if t == nil {
			continue
		}
		for _, stmt := range body.List {
			if x, ok := stmt.(*ast.ExprStmt); ok && ofTest(pass.TypesInfo, x.X, "Parallel") == pass.TypesInfo.Defs[t] {
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
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
			decl := function(c)
			call := c.Node().(*ast.CallExpr)
			if decl == nil || decl.Name.Name != "TestMain" || decl.Recv != nil || !isCall(pass.TypesInfo, call, echotest, "Run") || !dropsCode(c) {
				continue
			}
			report(pass, call, "end the process with the code", endWithCode(pass, decl, c),
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
		return blank(n.Lhs)
	}
	return false
}

// endWithCode returns the edit that makes echotest.Main of a call that is all that is left
// to do.
func endWithCode(pass *analysis.Pass, decl *ast.FuncDecl, c inspector.Cursor) []analysis.TextEdit {
	stmt, call := c.Parent().Node(), c.Node().(*ast.CallExpr)
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || decl.Body.List[len(decl.Body.List)-1] != stmt {
		return nil
	}
	deferred := false // what Main would leave undone
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		_, is := n.(*ast.DeferStmt)
		deferred = deferred || is
		return true
	})
	if deferred {
		return nil
	}
	edits := []analysis.TextEdit{replace(sel.Sel, "Main")}
	if stmt.Pos() < call.Pos() { // _ =
		edits = append(edits, analysis.TextEdit{Pos: stmt.Pos(), End: call.Pos(), NewText: nil})
	}
	return edits
}
