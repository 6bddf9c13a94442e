package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// origins finds where values in a function come from, as far as its text shows that.
type origins struct {
	info *types.Info
	body ast.Node // of the function; nil outside of functions
}

// A local is a variable of a function, all uses of which are understood.
type local struct {
	values      []ast.Expr          // what it is set to
	fields      map[string]ast.Expr // what its fields are set to
	declaration ast.Stmt            // the statement that declares it
}

// local returns what is known of a variable; ok is false if other code may set or
// change it.
func (v *origins) local(id *ast.Ident) (l local, ok bool) {
	obj, isVar := v.info.ObjectOf(id).(*types.Var)
	if v.body == nil || !isVar || obj.IsField() {
		return l, false
	}
	isOfFunction := v.body.Pos() <= obj.Pos() && obj.Pos() <= v.body.End()
	if !isOfFunction {
		return l, false
	}

	l.fields = map[string]ast.Expr{}
	ok = true
	is := func(e ast.Expr) bool {
		x, isIdent := ast.Unparen(e).(*ast.Ident)
		return isIdent && v.info.ObjectOf(x) == obj
	}
	ast.Inspect(v.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				right := n.Rhs[min(i, len(n.Rhs)-1)]
				sel, isSel := left.(*ast.SelectorExpr)
				switch {
				case isSel && is(sel.X):
					l.fields[sel.Sel.Name] = right
				case is(left) && n.Tok == token.DEFINE:
					l.values = append(l.values, right)
					l.declaration = n
				case is(left):
					l.values = append(l.values, right)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if v.info.ObjectOf(name) == obj && len(n.Values) > 0 {
					l.values = append(l.values, n.Values[min(i, len(n.Values)-1)])
				}
			}
		case *ast.RangeStmt:
			isKey := n.Key != nil && is(n.Key)
			isValue := n.Value != nil && is(n.Value)
			if isKey || isValue {
				ok = false
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && is(n.X) {
				ok = false
			}
		}
		return true
	})
	return l, ok && v.isDeclaredInside(obj)
}

// isDeclaredInside reports whether a statement of the function declares a variable. Parameters and
// results are not declared by a statement.
func (v *origins) isDeclaredInside(obj types.Object) (declared bool) {
	ast.Inspect(v.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && v.info.Defs[id] == obj {
					declared = true
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				declared = declared || v.info.Defs[name] == obj
			}
		}
		return true
	})
	return declared
}

// single returns the value of a variable that is set once, or else the expression itself. It
// removes parentheses and the operator &.
func (v *origins) single(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	if id, ok := e.(*ast.Ident); ok {
		if l, ok := v.local(id); ok && len(l.values) == 1 && len(l.fields) == 0 {
			return v.single(l.values[0])
		}
	}
	return e
}

// fieldsOf returns the fields of a struct that is written with their names.
func fieldsOf(lit *ast.CompositeLit) (fields map[string]ast.Expr, ok bool) {
	fields = map[string]ast.Expr{}
	for _, e := range lit.Elts {
		kv, isKV := e.(*ast.KeyValueExpr)
		if !isKV {
			return nil, false
		}
		key, isIdent := kv.Key.(*ast.Ident)
		if !isIdent {
			return nil, false
		}
		fields[key.Name] = kv.Value
	}
	return fields, true
}

// isPlainClient reports whether an HTTP client, or a transport, is certainly one of net/http that
// sends requests to the network.
func (v *origins) isPlainClient(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if l, ok := v.local(id); ok && len(l.values) == 1 {
			transport, set := l.fields["Transport"]
			return v.isPlainClient(l.values[0]) && (!set || v.isPlainClient(transport))
		}
	}
	switch e := v.single(e).(type) {
	case *ast.Ident:
		return v.info.Types[e].IsNil()
	case *ast.SelectorExpr:
		obj := v.info.ObjectOf(e.Sel)
		isOfHTTP := obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "net/http"
		return isOfHTTP && slices.Contains([]string{"DefaultClient", "DefaultTransport"}, obj.Name())
	case *ast.CompositeLit:
		fields, ok := fieldsOf(e)
		switch {
		case !ok:
			return false
		case isType(v.info.TypeOf(e), "net/http", "Client"):
			transport, set := fields["Transport"]
			return !set || v.isPlainClient(transport)
		case isType(v.info.TypeOf(e), "net/http", "Transport"):
			for name := range fields {
				if strings.Contains(name, "Dial") || name == "Proxy" {
					return false
				}
			}
			return true
		}
	}
	return false
}

// isRemoteURL reports whether an expression is the constant URL of another machine.
func (v *origins) isRemoteURL(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		e = call.Args[0] // aws.String(url)
	}
	value := v.info.Types[ast.Unparen(e)].Value
	if value == nil || value.Kind() != constant.String {
		return false
	}
	u, err := url.Parse(constant.StringVal(value))
	return err == nil && u.Hostname() != "" && !urls.IsThisMachine(u.Host)
}
