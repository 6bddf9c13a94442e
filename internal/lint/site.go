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

	// isWired says that its requests certainly go to the provider: neither an HTTP client nor
	// a URL comes from other code.
	isWired bool

	httpClient  ast.Expr          // the plain HTTP client that it has, if any
	literal     *ast.CompositeLit // the struct that can have the client, if it is written here
	options     *ast.CallExpr     // the call that can have it as an option
	variable    *ast.Ident        // the variable whose field can have it
	declaration ast.Stmt          // what declares that variable
}

// siteOf returns the site that a node is, or nil.
func siteOf(v *origins, n ast.Node) *site {
	switch n := n.(type) {
	case *ast.CallExpr:
		fn := callee(v.info, n)
		if fn == nil {
			return nil
		}
		i := slices.IndexFunc(sdks, func(s sdk) bool {
			return !s.literal && isFunc(fn, s.path, s.name)
		})
		if i < 0 {
			return nil
		}
		s := &site{node: n, sdk: &sdks[i], name: types.ExprString(n.Fun)}
		s.isWired = s.isWiredCall(v, n)
		return s
	case *ast.CompositeLit:
		i := slices.IndexFunc(sdks, func(s sdk) bool {
			return s.literal && isType(v.info.TypeOf(n), s.path, s.name)
		})
		if i < 0 || n.Type == nil {
			return nil
		}
		s := &site{node: n, sdk: &sdks[i], name: types.ExprString(n.Type)}
		fields, ok := s.configFields(v, n)
		s.isWired = ok && s.fieldsArePlain(v, fields) && fields["Endpoint"] != nil
		return s
	}
	return nil
}

// isWiredCall reports whether the client that a call makes is wired. It also sets the fields of s
// that say where an HTTP client can be set.
func (s *site) isWiredCall(v *origins, call *ast.CallExpr) bool {
	switch {
	case s.sdk.instead != "":
		return true
	case s.sdk.argument >= len(call.Args) && s.sdk.option == "":
		return false // its arguments are those of another call
	case s.sdk.client:
		s.httpClient = call.Args[s.sdk.argument]
		return v.isPlainClient(s.httpClient) && s.sdk.path != ofOllama // its URL comes from elsewhere
	case s.sdk.config:
		fields, ok := s.configFields(v, call.Args[s.sdk.argument])
		return ok && len(call.Args) == s.sdk.argument+1 && s.fieldsArePlain(v, fields)
	}
	s.options = call
	options := call.Args[min(s.sdk.argument, len(call.Args)):]
	return s.optionsArePlain(v, options, call.Ellipsis.IsValid())
}

// configFields returns the fields of the struct that a client is made with.
func (s *site) configFields(v *origins, e ast.Expr) (fields map[string]ast.Expr, ok bool) {
	e = ast.Unparen(e)
	if u, isAddr := e.(*ast.UnaryExpr); isAddr && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		s.literal = e
		return fieldsOf(e)
	case *ast.CallExpr:
		return s.defaultFields(v, e)
	case *ast.Ident:
		if v.info.Types[e].IsNil() {
			return nil, true
		}
		l, known := v.local(e)
		if !known || len(l.values) != 1 {
			return nil, false
		}
		fields, ok = s.configFields(v, l.values[0])
		if !ok {
			return nil, false
		}
		if s.literal == nil && s.options == nil {
			s.variable = e
			s.declaration = l.declaration
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

// defaultFields returns the fields that a function of the SDK sets in the struct that it makes.
func (s *site) defaultFields(v *origins, call *ast.CallExpr) (fields map[string]ast.Expr, ok bool) {
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
		return nil, s.optionsArePlain(v, call.Args[1:], call.Ellipsis.IsValid())
	}
	return nil, false
}

// Names of options and fields that say where requests go, and of those that may say it.
var (
	forURL    = regexp.MustCompile(`URL$|Endpoint$|Environment`)
	forOthers = regexp.MustCompile(`Middleware|Config|Transport|GoogleAuth|Credential|Profile|` +
		`Provider|Resolver|APIOptions|^WithClient$|Endpoint|Interceptor`)
	forAWS = regexp.MustCompile(`Endpoint|Resolver|APIOptions|ClientOption`)
)

// fieldsArePlain reports whether no field has a client or a URL from other code.
func (s *site) fieldsArePlain(v *origins, fields map[string]ast.Expr) bool {
	for name, value := range fields {
		switch {
		case name == "HTTPClient":
			s.httpClient = value
			if !v.isPlainClient(value) {
				return false
			}
		case name == "HTTPOptions":
			lit, ok := v.single(value).(*ast.CompositeLit)
			if !ok {
				return false
			}
			inner, ok := fieldsOf(lit)
			if !ok {
				return false
			}
			base := inner["BaseURL"]
			if base != nil && !v.isRemoteURL(base) {
				return false
			}
		case forURL.MatchString(name):
			if !v.isRemoteURL(value) {
				return false
			}
		case forOthers.MatchString(name) && name != "Credentials":
			return false
		}
	}
	return true
}

// optionsArePlain reports whether no option has a client or a URL from other code. With spread,
// the last argument is a slice of options.
func (s *site) optionsArePlain(v *origins, args []ast.Expr, spread bool) bool {
	for i, arg := range args {
		if spread && i == len(args)-1 {
			s.options = nil
			if !s.sliceIsPlain(v, arg) {
				return false
			}
			continue
		}
		call, ok := v.single(arg).(*ast.CallExpr)
		if !ok {
			return false
		}
		fn := callee(v.info, call)
		if fn == nil || fn.Pkg() == nil {
			return false
		}
		if !OfSDK(fn.Pkg().Path()) && fn.Pkg().Path() != awsConfig {
			return false
		}
		switch name := fn.Name(); {
		case name == "WithHTTPClient" && len(call.Args) == 1:
			s.httpClient = call.Args[0]
			if !v.isPlainClient(s.httpClient) {
				return false
			}
		case forURL.MatchString(name):
			if len(call.Args) > 0 && !v.isRemoteURL(call.Args[0]) {
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

// sliceIsPlain is [site.optionsArePlain] for a slice of options.
func (s *site) sliceIsPlain(v *origins, e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return s.optionsArePlain(v, lit.Elts, false)
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
		case isCall && appendsTo(call, id.Name):
			if !s.optionsArePlain(v, call.Args[1:], false) {
				return false
			}
		case isCall || !isLit(value):
			return false
		default:
			if !s.sliceIsPlain(v, value) {
				return false
			}
		}
	}
	return true
}

// appendsTo reports whether a call is append(NAME, option, ...), without a slice of options.
func appendsTo(call *ast.CallExpr, name string) bool {
	if types.ExprString(call.Fun) != "append" || len(call.Args) == 0 {
		return false
	}
	return types.ExprString(call.Args[0]) == name && !call.Ellipsis.IsValid()
}

func isLit(e ast.Expr) bool {
	_, ok := e.(*ast.CompositeLit)
	return ok
}
