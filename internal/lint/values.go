package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// values says where values in a function come from, as far as its text says that.
type values struct {
	info *types.Info
	body ast.Node // of the function; nil outside of functions
}

// A local is a variable of a function, all uses of which are understood.
type local struct {
	values []ast.Expr          // what it is set to
	fields map[string]ast.Expr // what its fields are set to
	after  ast.Stmt            // the statement that declares it
}

// local returns what is known of a variable; ok is false if it may come from elsewhere or
// may be changed elsewhere.
func (v *values) local(id *ast.Ident) (l local, ok bool) {
	obj, isVar := v.info.ObjectOf(id).(*types.Var)
	if v.body == nil || !isVar || obj.IsField() || obj.Pos() < v.body.Pos() || obj.Pos() > v.body.End() {
		return l, false
	}
	l.fields, ok = map[string]ast.Expr{}, true
	is := func(e ast.Expr) bool {
		x, isIdent := ast.Unparen(e).(*ast.Ident)
		return isIdent && v.info.ObjectOf(x) == obj
	}
	ast.Inspect(v.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				right := n.Rhs[min(i, len(n.Rhs)-1)]
				if sel, isSel := left.(*ast.SelectorExpr); isSel && is(sel.X) {
					l.fields[sel.Sel.Name] = right
				} else if is(left) {
					l.values = append(l.values, right)
					if n.Tok == token.DEFINE {
						l.after = n
					}
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if v.info.ObjectOf(name) == obj && len(n.Values) > 0 {
					l.values = append(l.values, n.Values[min(i, len(n.Values)-1)])
				}
			}
		case *ast.RangeStmt:
			if n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value) {
				ok = false
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && is(n.X) {
				ok = false
			}
		}
		return true
	})
	return l, ok && v.declaredInside(obj)
}

// declaredInside reports whether a variable is declared by a statement and is no parameter.
func (v *values) declaredInside(obj types.Object) (declared bool) {
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

// only returns the one value that an expression has, if it is a variable, or itself.
func (v *values) only(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	if id, ok := e.(*ast.Ident); ok {
		if l, ok := v.local(id); ok && len(l.values) == 1 && len(l.fields) == 0 {
			return v.only(l.values[0])
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

// plain reports whether an HTTP client, or a transport, is certainly one of net/http that
// goes to the network.
func (v *values) plain(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if l, ok := v.local(id); ok && len(l.values) == 1 {
			transport, set := l.fields["Transport"]
			return v.plain(l.values[0]) && (!set || v.plain(transport))
		}
	}
	switch e := v.only(e).(type) {
	case *ast.Ident:
		return v.info.Types[e].IsNil()
	case *ast.SelectorExpr:
		obj := v.info.ObjectOf(e.Sel)
		return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "net/http" && (obj.Name() == "DefaultClient" || obj.Name() == "DefaultTransport")
	case *ast.CompositeLit:
		fields, ok := fieldsOf(e)
		switch {
		case !ok:
			return false
		case isType(v.info.TypeOf(e), "net/http", "Client"):
			transport, set := fields["Transport"]
			return !set || v.plain(transport)
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

// remote reports whether an expression is the constant URL of another machine.
func (v *values) remote(e ast.Expr) bool {
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
