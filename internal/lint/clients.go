package lint

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// clients finds where a package makes clients of SDKs, and which of its functions do so and
// ask them. It reports nothing; other rules need its result.
var clients = &analysis.Analyzer{
	Name:       "promptechoclients",
	Doc:        "find where clients of model APIs are made and asked",
	Requires:   []*analysis.Analyzer{inspect.Analyzer},
	FactTypes:  []analysis.Fact{new(behavior)},
	ResultType: reflect.TypeFor[*packageClients](),
	Run:        findClients,
}

// behavior is a fact about a function: what it does with clients, itself or by the functions
// that it calls. Calls through interfaces and variables do not count.
type behavior struct {
	Makes string // a client that is wired, and where: "openai.NewClient, bot.go:12"
	How   string // how an HTTP client could be set
	Asks  bool   // it sends a request with a client of an SDK
}

func (*behavior) AFact() {}

func (d *behavior) String() string { return fmt.Sprintf("makes %q, asks %v", d.Makes, d.Asks) }

// packageClients is what a package does with clients.
type packageClients struct {
	sites []placedSite
	funcs map[*types.Func]*funcInfo
	other map[*types.Func]behavior // of functions of other packages that are called here

	// allRedirected says that TestMain or an init function redirects the requests of all tests.
	allRedirected bool
}

// A placedSite is a site and its place in the syntax tree.
type placedSite struct {
	*site
	cursor inspector.Cursor
}

// A funcInfo is what a function of the package does.
type funcInfo struct {
	decl      *ast.FuncDecl
	behavior  behavior
	calls     []*types.Func
	redirects bool // it redirects the requests of its test, itself or by what it calls
}

func findClients(pass *analysis.Pass) (any, error) {
	f := &packageClients{funcs: map[*types.Func]*funcInfo{}, other: map[*types.Func]behavior{}}
	if OfSDK(pass.Pkg.Path()) {
		return f, nil
	}
	root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
	vars := map[types.Object]*behavior{} // of the package, with a client that is wired
	for c := range root.Preorder((*ast.CallExpr)(nil), (*ast.CompositeLit)(nil)) {
		decl := enclosingFunc(c)
		v := &origins{info: pass.TypesInfo}
		if decl != nil {
			v.body = decl
		}
		s := siteOf(v, c.Node())
		if s == nil {
			continue
		}
		s.isWired = s.isWired && !isFallback(c)
		f.sites = append(f.sites, placedSite{s, c})
		if decl == nil && s.isWired {
			b := &behavior{Makes: s.place(pass.Fset), How: s.sdk.howToSet("client")}
			for spec := range c.Enclosing((*ast.ValueSpec)(nil)) {
				for _, name := range spec.Node().(*ast.ValueSpec).Names {
					vars[pass.TypesInfo.Defs[name]] = b
				}
			}
		}
	}

	// A variable to which a test assigns is not wired: the test can set another client.
	for c := range root.Preorder((*ast.AssignStmt)(nil)) {
		for _, left := range c.Node().(*ast.AssignStmt).Lhs {
			if id, ok := left.(*ast.Ident); ok && isInTestFile(pass.Fset, id.Pos()) {
				delete(vars, pass.TypesInfo.Uses[id])
			}
		}
	}

	for _, file := range pass.Files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
				f.funcs[fn] = inspectFunc(pass, decl, vars)
			}
		}
	}
	for _, p := range f.sites {
		decl := enclosingFunc(p.cursor)
		if decl == nil || !p.isWired {
			continue
		}
		fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
		if info := f.funcs[fn]; info != nil {
			info.behavior.Makes = p.place(pass.Fset)
			info.behavior.How = p.sdk.howToSet("client")
		}
	}
	f.propagate(pass)
	return f, nil
}

// place says which client is made, and where.
func (s *site) place(fset *token.FileSet) string {
	p := fset.Position(s.node.Pos())
	return fmt.Sprintf("%s, %s:%d", s.name, filepath.Base(p.Filename), p.Line)
}

// isFallback reports whether code depends on a comparison of a value with nil, unless the
// value is an error. Then a caller can set a client by that value.
func isFallback(c inspector.Cursor) (found bool) {
	for i := range c.Enclosing((*ast.IfStmt)(nil)) {
		ast.Inspect(i.Node().(*ast.IfStmt).Cond, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || b.Op != token.EQL && b.Op != token.NEQ {
				return true
			}
			isError := strings.HasSuffix(strings.ToLower(types.ExprString(b.X)), "err")
			if types.ExprString(b.Y) == "nil" && !isError {
				found = true
			}
			return true
		})
	}
	return found
}

// inspectFunc returns what a function does itself.
func inspectFunc(
	pass *analysis.Pass, decl *ast.FuncDecl, vars map[types.Object]*behavior,
) *funcInfo {
	info := &funcInfo{decl: decl}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		info.redirects = info.redirects || redirects(pass.TypesInfo, n)
		switch n := n.(type) {
		case *ast.Ident:
			if d := vars[pass.TypesInfo.Uses[n]]; d != nil {
				info.behavior.Makes = d.Makes
				info.behavior.How = d.How
			}
		case *ast.CallExpr:
			if fn := callee(pass.TypesInfo, n); fn != nil {
				info.behavior.Asks = info.behavior.Asks || sendsRequest(fn)
				info.calls = append(info.calls, fn.Origin())
			}
		}
		return true
	})
	return info
}

// sendsRequest reports whether a function of an SDK sends a request: then its first parameter is a
// context.
func sendsRequest(fn *types.Func) bool {
	if fn.Pkg() == nil || !OfSDK(fn.Pkg().Path()) {
		return false
	}
	makesClient := slices.ContainsFunc(sdks, func(s sdk) bool { return isFunc(fn, s.path, s.name) })
	if makesClient {
		return false
	}
	params := fn.Signature().Params()
	return params.Len() > 0 && isType(params.At(0).Type(), "context", "Context")
}

var urlVariable = regexp.MustCompile(`(?i)URL|HOST|ENDPOINT|PROXY`)

// redirects reports whether code makes requests of the default transport, or of an SDK, go to
// another server or to none.
func redirects(info *types.Info, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if strings.HasPrefix(types.ExprString(left), "http.Default") {
				return true
			}
		}
	case *ast.CallExpr:
		fn, ok := typeutil.Callee(info, n).(*types.Func)
		if !ok || fn.Pkg() == nil {
			return false
		}
		if isFunc(fn, echotest, "SetDefault") || setsURLVariable(fn, n) {
			return true
		}
		path := unversioned(fn.Pkg().Path())
		return slices.Contains(mockPackages, path) || strings.HasSuffix(path, "dnaeon/go-vcr/recorder")
	}
	return false
}

// mockPackages replace the default transport.
var mockPackages = []string{
	"github.com/jarcoal/httpmock",
	"github.com/h2non/gock",
	"gopkg.in/h2non/gock.v1",
}

// setsURLVariable reports whether a call is Setenv of a variable that says where requests go.
func setsURLVariable(fn *types.Func, call *ast.CallExpr) bool {
	if fn.Name() != "Setenv" || len(call.Args) != 2 {
		return false
	}
	return urlVariable.MatchString(types.ExprString(call.Args[0]))
}

// propagate adds to each function what the functions that it calls do, and exports the facts.
func (f *packageClients) propagate(pass *analysis.Pass) {
	for _, info := range f.funcs {
		for _, fn := range info.calls {
			var d behavior
			if fn.Pkg() != pass.Pkg && pass.ImportObjectFact(fn, &d) {
				f.other[fn] = d
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, info := range f.funcs {
			for _, fn := range info.calls {
				own := f.funcs[fn]
				redirects := own != nil && own.redirects
				if info.add(f.behaviorOf(fn), redirects) {
					changed = true
				}
			}
		}
	}
	for fn, info := range f.funcs {
		if info.behavior.Makes != "" || info.behavior.Asks {
			pass.ExportObjectFact(fn, &info.behavior)
		}
		if info.redirects && (fn.Name() == "TestMain" || fn.Name() == "init") {
			f.allRedirected = true
		}
	}
}

// add adds what a called function does, and reports whether that changed anything.
func (info *funcInfo) add(called behavior, redirects bool) (changed bool) {
	if called.Asks && !info.behavior.Asks {
		info.behavior.Asks = true
		changed = true
	}
	if called.Makes != "" && info.behavior.Makes == "" {
		info.behavior.Makes = called.Makes
		info.behavior.How = called.How
		changed = true
	}
	if redirects && !info.redirects {
		info.redirects = true
		changed = true
	}
	return changed
}

// behaviorOf returns what a function does that is in the package or called by it.
func (f *packageClients) behaviorOf(fn *types.Func) behavior {
	if own := f.funcs[fn.Origin()]; own != nil {
		return own.behavior
	}
	return f.other[fn.Origin()]
}

// isRedirected reports whether the requests of a function of a test are redirected by the function
// itself, or by all functions that call it.
func (f *packageClients) isRedirected(decl *ast.FuncDecl) bool {
	if f.allRedirected || decl == nil {
		return f.allRedirected
	}
	callers := 0
	redirecting := 0 // callers that redirect requests
	for fn, info := range f.funcs {
		if info.decl != decl {
			continue
		}
		if info.redirects {
			return true
		}
		for _, other := range f.funcs {
			if !slices.Contains(other.calls, fn) {
				continue
			}
			callers++
			if other.redirects {
				redirecting++
			}
		}
	}
	return callers > 0 && callers == redirecting
}

// isAsked reports whether a function, or a function of the package that calls it directly or not,
// sends a request with a client.
func (f *packageClients) isAsked(decl *ast.FuncDecl) bool {
	seen := map[*ast.FuncDecl]bool{}
	var look func(decl *ast.FuncDecl) bool
	look = func(decl *ast.FuncDecl) bool {
		if seen[decl] {
			return false
		}
		seen[decl] = true
		for fn, info := range f.funcs {
			if info.decl != decl {
				continue
			}
			if info.behavior.Asks {
				return true
			}
			for _, other := range f.funcs {
				if slices.Contains(other.calls, fn) && look(other.decl) {
					return true
				}
			}
		}
		return false
	}
	return look(decl)
}

// isCompiledOnly reports whether a function is an example without an output, which go test
// compiles and does not run.
func isCompiledOnly(file *ast.File, decl *ast.FuncDecl) bool {
	if decl == nil || !strings.HasPrefix(decl.Name.Name, "Example") {
		return false
	}
	for _, e := range doc.Examples(file) {
		if "Example"+e.Name == decl.Name.Name {
			return e.Output == "" && !e.EmptyOutput
		}
	}
	return true
}
