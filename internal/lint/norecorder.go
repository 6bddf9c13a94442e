package lint

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// NoRecorder finds clients of SDKs that a test makes without a recorder.
var NoRecorder = &analysis.Analyzer{
	Name:     "norecorder",
	Doc:      "find clients that a test makes without a recorder",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#norecorder",
	Requires: []*analysis.Analyzer{clients},
	Run: func(pass *analysis.Pass) (any, error) {
		f := pass.ResultOf[clients].(*found)
		for _, p := range f.sites {
			decl := function(p.at)
			if !p.wired || !inTest(pass.Fset, p.node.Pos()) || f.catching(decl) || compiledOnly(file(p.at), decl) || !used(pass.TypesInfo, p.at, decl) {
				continue
			}
			report(pass, p.node, "give "+p.name+" a recorder", recorderFor(pass, p, f),
				"%s is made without a recorder, so this test calls the provider: %s, and %s", p.name, newRecorder(pass, p.at), p.sdk.how("rec.Client()"))
		}
		return nil, nil
	},
}

// used reports whether a client that is made is also used: a method is called that sends a
// request, or it is handed on. Comparisons and assertions are no use.
func used(info *types.Info, c inspector.Cursor, decl *ast.FuncDecl) bool {
	parent := c.Parent()
	if u, ok := parent.Node().(*ast.UnaryExpr); ok { // &mcp.StreamableClientTransport{}
		c, parent = parent, parent.Parent()
		_ = u
	}
	var names []*ast.Ident
	switch n := parent.Node().(type) {
	case *ast.ExprStmt:
		return false
	case *ast.AssignStmt:
		id, ok := n.Lhs[0].(*ast.Ident)
		if !ok {
			return true
		}
		names = append(names, id)
	case *ast.ValueSpec:
		names = n.Names[:1]
	case *ast.CallExpr:
		return !asserts(info, n)
	}
	if names == nil || decl == nil {
		return true
	}
	obj := info.ObjectOf(names[0])
	if obj == nil {
		return false // _
	}
	if obj.Parent() == obj.Pkg().Scope() {
		return true
	}
	for id := range c.Inspector().Root().Preorder((*ast.Ident)(nil)) {
		if info.Uses[id.Node().(*ast.Ident)] == obj && handsOn(info, id) {
			return true
		}
	}
	return false
}

// handsOn reports whether a use of a client hands it on, or sends a request.
func handsOn(info *types.Info, c inspector.Cursor) bool {
	for {
		parent := c.Parent()
		switch n := parent.Node().(type) {
		case *ast.SelectorExpr, *ast.UnaryExpr, *ast.ParenExpr, *ast.StarExpr:
			c = parent
			continue
		case *ast.CallExpr:
			if n.Fun == c.Node() {
				fn := callee(info, n)
				return fn == nil || asks(fn) || fn.Pkg() == nil || !OfSDK(fn.Pkg().Path())
			}
			return !asserts(info, n)
		case *ast.BinaryExpr, *ast.ExprStmt:
			return false
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if left == c.Node() {
					return false
				}
			}
			return !blank(n.Lhs)
		}
		return true
	}
}

// asserts reports whether a call only looks at its arguments.
func asserts(info *types.Info, call *ast.CallExpr) bool {
	fn := callee(info, call)
	if fn == nil {
		return false
	}
	if fn.Pkg() == nil {
		return false
	}
	switch path := fn.Pkg().Path(); path {
	case "fmt", "reflect", "testing", "log", "runtime":
		return true
	default:
		return strings.HasPrefix(path, "github.com/stretchr/testify/") || strings.HasPrefix(path, "gotest.tools/") || strings.HasPrefix(path, "github.com/google/go-cmp/")
	}
}
