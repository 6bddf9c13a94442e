package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// A site is a place that makes a client of an SDK.
type site struct {
	node ast.Expr // the call, or the struct
	sdk  *sdk
	name string // as it is written: openai.NewClient

	// wired says that its requests certainly go to the provider: neither an HTTP client nor
	// a URL comes from elsewhere.
	wired bool

	given   ast.Expr          // the plain HTTP client that it is given, if any
	lit     *ast.CompositeLit // the struct that can have the client, if it is written here
	options *ast.CallExpr     // the call that can have it as an option
	set     *ast.Ident        // the variable whose field can have it
	after   ast.Stmt          // what declares that variable
}

// siteOf returns the site that a node is, or nil.
func siteOf(v *values, n ast.Node) *site {
	switch n := n.(type) {
	case *ast.CallExpr:
		fn := callee(v.info, n)
		if fn == nil {
			return nil
		}
		i := slices.IndexFunc(sdks, func(s sdk) bool { return !s.literal && isFunc(fn, s.path, s.name) })
		if i < 0 {
			return nil
		}
		s := &site{node: n, sdk: &sdks[i], name: types.ExprString(n.Fun)}
		s.wired = s.judge(v, n)
		return s
	case *ast.CompositeLit:
		i := slices.IndexFunc(sdks, func(s sdk) bool { return s.literal && isType(v.info.TypeOf(n), s.path, s.name) })
		if i < 0 || n.Type == nil {
			return nil
		}
		s := &site{node: n, sdk: &sdks[i], name: types.ExprString(n.Type)}
		fields, ok := s.config(v, n)
		s.wired = ok && s.plainFields(v, fields) && fields["Endpoint"] != nil
		return s
	}
	return nil
}

// judge reports whether a call wires its client.
func (s *site) judge(v *values, call *ast.CallExpr) bool {
	switch {
	case s.sdk.instead != "":
		return true
	case s.sdk.at >= len(call.Args) && s.sdk.option == "":
		return false // its arguments are those of another call
	case s.sdk.client:
		s.given = call.Args[s.sdk.at]
		return v.plain(s.given) && s.sdk.path != ofOllama // its URL comes from elsewhere
	case s.sdk.config:
		fields, ok := s.config(v, call.Args[s.sdk.at])
		return ok && len(call.Args) == s.sdk.at+1 && s.plainFields(v, fields)
	}
	s.options = call
	return s.plainOptions(v, call.Args[min(s.sdk.at, len(call.Args)):], call.Ellipsis.IsValid())
}

// config returns the fields of the struct that a client is made with.
func (s *site) config(v *values, e ast.Expr) (fields map[string]ast.Expr, ok bool) {
	e = ast.Unparen(e)
	if u, isAddr := e.(*ast.UnaryExpr); isAddr && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		s.lit = e
		return fieldsOf(e)
	case *ast.CallExpr:
		return s.defaults(v, e)
	case *ast.Ident:
		if v.info.Types[e].IsNil() {
			return nil, true
		}
		l, known := v.local(e)
		if !known || len(l.values) != 1 {
			return nil, false
		}
		if fields, ok = s.config(v, l.values[0]); !ok {
			return nil, false
		}
		if s.lit == nil && s.options == nil {
			s.set, s.after = e, l.after
		}
		for name, value := range l.fields {
			if fields == nil {
				fields = map[string]ast.Expr{}
			}
			fields[name] = value
		}
		return fields, true
	}
	return nil, false
}

// defaults returns the fields that a function of the SDK sets in the struct that it makes.
func (s *site) defaults(v *values, call *ast.CallExpr) (fields map[string]ast.Expr, ok bool) {
	fn := callee(v.info, call)
	switch {
	case fn == nil:
		return nil, false
	case isFunc(fn, ofGoOpenAI, "DefaultConfig"):
		return nil, true
	case isFunc(fn, ofGoOpenAI, "DefaultAzureConfig") && len(call.Args) == 2:
		return map[string]ast.Expr{"BaseURL": call.Args[1]}, true
	case isFunc(fn, awsConfig, "LoadDefaultConfig") && len(call.Args) > 0:
		s.options = call
		return nil, s.plainOptions(v, call.Args[1:], call.Ellipsis.IsValid())
	}
	return nil, false
}

// Names of options and fields that say where requests go, and of those that may say it.
var (
	forURL    = regexp.MustCompile(`URL$|Endpoint$|Environment`)
	forOthers = regexp.MustCompile(`Middleware|Config|Transport|GoogleAuth|Credential|Profile|Provider|Resolver|APIOptions|^WithClient$|Endpoint|Interceptor`)
	forAWS    = regexp.MustCompile(`Endpoint|Resolver|APIOptions|ClientOption`)
)

// plainFields reports whether no field brings a client or a URL from elsewhere.
func (s *site) plainFields(v *values, fields map[string]ast.Expr) bool {
	for name, value := range fields {
		switch {
		case name == "HTTPClient":
			if s.given = value; !v.plain(value) {
				return false
			}
		case name == "HTTPOptions":
			lit, ok := v.only(value).(*ast.CompositeLit)
			if !ok {
				return false
			}
			inner, ok := fieldsOf(lit)
			if base := inner["BaseURL"]; !ok || base != nil && !v.remote(base) {
				return false
			}
		case forURL.MatchString(name):
			if !v.remote(value) {
				return false
			}
		case forOthers.MatchString(name) && name != "Credentials":
			return false
		}
	}
	return true
}

// plainOptions reports whether no option brings a client or a URL from elsewhere.
func (s *site) plainOptions(v *values, args []ast.Expr, spread bool) bool {
	for i, arg := range args {
		if spread && i == len(args)-1 {
			if s.options = nil; !s.plainSlice(v, arg) {
				return false
			}
			continue
		}
		call, ok := v.only(arg).(*ast.CallExpr)
		if !ok {
			return false
		}
		fn := callee(v.info, call)
		if fn == nil || fn.Pkg() == nil || !OfSDK(fn.Pkg().Path()) && fn.Pkg().Path() != awsConfig {
			return false
		}
		switch name := fn.Name(); {
		case name == "WithHTTPClient" && len(call.Args) == 1:
			if s.given = call.Args[0]; !v.plain(s.given) {
				return false
			}
		case forURL.MatchString(name):
			if len(call.Args) > 0 && !v.remote(call.Args[0]) {
				return false
			}
		case fn.Pkg().Path() == awsConfig:
			if forAWS.MatchString(name) {
				return false
			}
		case forOthers.MatchString(name):
			return false
		}
	}
	return true
}

// plainSlice is plainOptions of a slice of options.
func (s *site) plainSlice(v *values, e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return s.plainOptions(v, lit.Elts, false)
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	l, ok := v.local(id)
	if !ok {
		return false
	}
	for _, value := range l.values {
		call, isCall := value.(*ast.CallExpr)
		switch {
		case isCall && types.ExprString(call.Fun) == "append" && len(call.Args) > 0 && types.ExprString(call.Args[0]) == id.Name && !call.Ellipsis.IsValid():
			if !s.plainOptions(v, call.Args[1:], false) {
				return false
			}
		case isCall || !isLit(value):
			return false
		default:
			if !s.plainSlice(v, value) {
				return false
			}
		}
	}
	return true
}

func isLit(e ast.Expr) bool {
	_, ok := e.(*ast.CompositeLit)
	return ok
}
