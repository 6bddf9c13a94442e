package lint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// HardWired finds tests that ask a model by code that makes its own client, so that no
// recorder can be given to it.
var HardWired = &analysis.Analyzer{
	Name:     "hardwired",
	Doc:      "find tests of code that makes its own client",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#hardwired",
	Requires: []*analysis.Analyzer{clients, inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		f := pass.ResultOf[clients].(*packageClients)
		for c := range callsIn(pass) {
			call := c.Node().(*ast.CallExpr)
			if !isInTestFile(pass.Fset, call.Pos()) {
				continue
			}
			fn := callee(pass.TypesInfo, call)
			if fn == nil || fn.Pos().IsValid() && isInTestFile(pass.Fset, fn.Pos()) {
				continue
			}
			decl := enclosingFunc(c)
			b := f.behaviorOf(fn)
			callsProvider := b.Makes != "" && f.isAsked(decl) && !f.isRedirected(decl)
			if !callsProvider || isCompiledOnly(enclosingFile(c), decl) {
				continue
			}
			report(pass, call, "", nil, "%s makes its own client (%s), so this test calls the "+
				"provider: let %s take an *http.Client and %s, and pass rec.Client() here; "+
				"until then, use echotest.SetDefault(t, rec)",
				types.ExprString(call.Fun), b.Makes, fn.Name(), b.How)
		}
		return nil, nil
	},
}
