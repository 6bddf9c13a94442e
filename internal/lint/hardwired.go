package lint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// HardWired finds tests that ask a model by code that makes its own client, so that no
// recorder can be given to it.
var HardWired = &analysis.Analyzer{
	Name:     "hardwired",
	Doc:      "find tests of code that makes its own client",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#hardwired",
	Requires: []*analysis.Analyzer{clients, inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		f := pass.ResultOf[clients].(*found)
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			if !inTest(pass.Fset, call.Pos()) {
				continue
			}
			fn := callee(pass.TypesInfo, call)
			if fn == nil || fn.Pos().IsValid() && inTest(pass.Fset, fn.Pos()) {
				continue
			}
			decl := function(c)
			if d := f.does(fn); d.Makes != "" && f.asked(decl) && !f.catching(decl) && !compiledOnly(file(c), decl) {
				name := types.ExprString(call.Fun)
				report(pass, call, "", nil, "%s makes its own client (%s), so this test calls the "+
					"provider: let %s take an *http.Client and %s, and pass rec.Client() here; "+
					"until then, use echotest.SetDefault(t, rec)",
					name, d.Makes, fn.Name(), d.How)
			}
		}
		return nil, nil
	},
}
