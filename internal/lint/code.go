package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// Our packages.
const (
	library  = "github.com/promptecho/promptecho"
	echotest = library + "/echotest"
)

// report reports what a rule has found, with its name behind it, so that a reader finds it
// in docs/LINT.md. Edits are a fix, if there are any.
func report(pass *analysis.Pass, at analysis.Range, fix string, edits []analysis.TextEdit, format string, args ...any) {
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: fmt.Sprintf(format, args...) + " (" + pass.Analyzer.Name + ")"}
	if len(edits) > 0 {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: fix, TextEdits: edits}}
	}
	pass.Report(d)
}

// inTest reports whether code is in a test file.
func inTest(fset *token.FileSet, at token.Pos) bool {
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
	if fn.Pkg() == nil || unversioned(fn.Pkg().Path()) != path || fn.Signature().Recv() != nil {
		return false
	}
	for _, name := range names {
		if fn.Name() == name {
			return true
		}
	}
	return false
}

var version = regexp.MustCompile(`/v[0-9]+(/|$)`)

// unversioned returns an import path without the major version of its module.
func unversioned(path string) string { return version.ReplaceAllString(path, "$1") }

// isType reports whether a type, or what it points to, is the named one of a package.
func isType(t types.Type, path string, names ...string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || unversioned(named.Obj().Pkg().Path()) != path {
		return false
	}
	for _, name := range names {
		if named.Obj().Name() == name {
			return true
		}
	}
	return false
}

// testType reports whether a type is that of a test, benchmark or fuzz test.
func testType(t types.Type) bool { return isType(t, "testing", "T", "B", "F", "TB") }

// ofTest returns the variable of a test on which a method with one of the names is called,
// as t in t.Parallel().
func ofTest(info *types.Info, n ast.Node, methods ...string) types.Object {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok || info.TypeOf(x) == nil || !testType(info.TypeOf(x)) {
		return nil
	}
	for _, m := range methods {
		if sel.Sel.Name == m {
			return info.ObjectOf(x)
		}
	}
	return nil
}

// function returns the declaration that a node is in, or nil.
func function(c inspector.Cursor) *ast.FuncDecl {
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		return f.Node().(*ast.FuncDecl)
	}
	return nil
}

// file returns the file that a node is in.
func file(c inspector.Cursor) *ast.File {
	for f := range c.Enclosing((*ast.File)(nil)) {
		return f.Node().(*ast.File)
	}
	return nil
}

// parameterOf returns the parameter of a type of package testing that a function has, or
// nil if there is none, or if it has no name.
func parameterOf(info *types.Info, fn *ast.FuncType) *ast.Ident {
	for _, field := range fn.Params.List {
		if !testType(info.TypeOf(field.Type)) {
			continue
		}
		if len(field.Names) == 1 && field.Names[0].Name != "_" {
			return field.Names[0]
		}
	}
	return nil
}

// blank reports whether an assignment is to nothing but _.
func blank(left []ast.Expr) bool {
	for _, e := range left {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}
