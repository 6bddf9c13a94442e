package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// Our packages.
const (
	library  = "github.com/promptecho/promptecho"
	echotest = library + "/echotest"
)

// report reports a finding of a rule. The name of the rule is at the end of the message, so
// that a reader finds the rule in docs/LINT.md. If there are edits, they are a fix with the
// name fix.
func report(
	pass *analysis.Pass, at analysis.Range, fix string, edits []analysis.TextEdit,
	format string, args ...any,
) {
	message := fmt.Sprintf(format, args...)
	d := analysis.Diagnostic{
		Pos:     at.Pos(),
		End:     at.End(),
		Message: message + " (" + pass.Analyzer.Name + ")",
	}
	if len(edits) > 0 {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: fix, TextEdits: edits}}
	}
	pass.Report(d)
}

// callsIn returns all calls in a package, in source order. The rule must require the analyzer
// inspect.
func callsIn(pass *analysis.Pass) iter.Seq[inspector.Cursor] {
	root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
	return root.Preorder((*ast.CallExpr)(nil))
}

// isInTestFile reports whether code is in a test file.
func isInTestFile(fset *token.FileSet, at token.Pos) bool {
	return strings.HasSuffix(fset.Position(at).Filename, "_test.go")
}

// callee returns the function that a call names, or nil if it is a variable or a method of
// an interface.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	return typeutil.StaticCallee(info, call)
}

// isCall reports whether a node calls one of the named functions of a package.
func isCall(info *types.Info, n ast.Node, path string, names ...string) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	return ok && isFunc(fn, path, names...)
}

// isFunc reports whether a function is one of the named ones of a package.
func isFunc(fn *types.Func, path string, names ...string) bool {
	isOfPackage := fn.Pkg() != nil && unversioned(fn.Pkg().Path()) == path
	isMethod := fn.Signature().Recv() != nil
	return isOfPackage && !isMethod && slices.Contains(names, fn.Name())
}

var majorVersion = regexp.MustCompile(`/v[0-9]+(/|$)`)

// unversioned returns an import path without the major version of its module.
func unversioned(path string) string { return majorVersion.ReplaceAllString(path, "$1") }

// isType reports whether a type, or what it points to, is the named one of a package.
func isType(t types.Type, path string, names ...string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	isOfPackage := obj.Pkg() != nil && unversioned(obj.Pkg().Path()) == path
	return isOfPackage && slices.Contains(names, obj.Name())
}

// isTestType reports whether a type is that of a test, benchmark or fuzz test.
func isTestType(t types.Type) bool { return isType(t, "testing", "T", "B", "F", "TB") }

// testOfCall returns the variable of a test on which a method with one of the names is called,
// as t in t.Parallel().
func testOfCall(info *types.Info, n ast.Node, methods ...string) types.Object {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok || info.TypeOf(x) == nil || !isTestType(info.TypeOf(x)) {
		return nil
	}
	if !slices.Contains(methods, sel.Sel.Name) {
		return nil
	}
	return info.ObjectOf(x)
}

// enclosingFunc returns the declaration that a node is in, or nil.
func enclosingFunc(c inspector.Cursor) *ast.FuncDecl {
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		return f.Node().(*ast.FuncDecl)
	}
	return nil
}

// enclosingFile returns the file that a node is in.
func enclosingFile(c inspector.Cursor) *ast.File {
	for f := range c.Enclosing((*ast.File)(nil)) {
		return f.Node().(*ast.File)
	}
	return nil
}

// testParameter returns the *testing.T, B, F or TB among the parameters of a function, or nil if
// there is none or if it has no name.
func testParameter(info *types.Info, fn *ast.FuncType) *ast.Ident {
	for _, field := range fn.Params.List {
		if !isTestType(info.TypeOf(field.Type)) {
			continue
		}
		if len(field.Names) == 1 && field.Names[0].Name != "_" {
			return field.Names[0]
		}
	}
	return nil
}

// isBlank reports whether all left sides of an assignment are _.
func isBlank(left []ast.Expr) bool {
	for _, e := range left {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}
