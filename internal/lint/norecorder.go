package lint

import (
	"go/ast"
	"go/types"
	"slices"
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
		f := pass.ResultOf[clients].(*packageClients)
		for _, p := range f.sites {
			decl := enclosingFunc(p.cursor)
			if !p.isWired || !isInTestFile(pass.Fset, p.node.Pos()) || f.isRedirected(decl) {
				continue
			}
			isRun := !isCompiledOnly(enclosingFile(p.cursor), decl)
			if !isRun || !isUsed(pass.TypesInfo, p.cursor, decl) {
				continue
			}
			report(pass, p.node, "give "+p.name+" a recorder", recorderEdits(pass, p, f),
				"%s is made without a recorder, so this test calls the provider: %s, and %s",
				p.name, howToMakeRecorder(pass, p.cursor), p.sdk.howToSet("rec.Client()"))
		}
		return nil, nil
	},
}

// isUsed reports whether a test sends a request with the client that it makes at c, or passes
// the client to other code. Comparisons and assertions do not count.
func isUsed(info *types.Info, c inspector.Cursor, decl *ast.FuncDecl) bool {
	parent := c.Parent()
	if _, isAddress := parent.Node().(*ast.UnaryExpr); isAddress { // &mcp.StreamableClientTransport{}
		parent = parent.Parent()
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
		return !isAssertion(info, n)
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
		if info.Uses[id.Node().(*ast.Ident)] == obj && isHandedOn(info, id) {
			return true
		}
	}
	return false
}

// isHandedOn reports whether a use of a client sends a request, or passes the client to other
// code.
func isHandedOn(info *types.Info, c inspector.Cursor) bool {
	for {
		parent := c.Parent()
		switch n := parent.Node().(type) {
		case *ast.SelectorExpr, *ast.UnaryExpr, *ast.ParenExpr, *ast.StarExpr:
			c = parent
			continue
		case *ast.CallExpr:
			if n.Fun == c.Node() {
				fn := callee(info, n)
				return fn == nil || sendsRequest(fn) || fn.Pkg() == nil || !OfSDK(fn.Pkg().Path())
			}
			return !isAssertion(info, n)
		case *ast.BinaryExpr, *ast.ExprStmt:
			return false
		case *ast.AssignStmt:
			isAssignedTo := slices.ContainsFunc(n.Lhs, func(left ast.Expr) bool {
				return left == c.Node()
			})
			return !isAssignedTo && !isBlank(n.Lhs)
		}
		return true
	}
}

// isAssertion reports whether a call only reads or compares its arguments.
func isAssertion(info *types.Info, call *ast.CallExpr) bool {
	fn := callee(info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	path := fn.Pkg().Path()
	if slices.Contains([]string{"fmt", "reflect", "testing", "log", "runtime"}, path) {
		return true
	}
	return slices.ContainsFunc(assertionModules, func(module string) bool {
		return strings.HasPrefix(path, module)
	})
}

// assertionModules are the beginnings of the import paths of assertion libraries.
var assertionModules = []string{
	"github.com/stretchr/testify/",
	"gotest.tools/",
	"github.com/google/go-cmp/",
}
