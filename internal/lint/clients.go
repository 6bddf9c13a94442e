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
	FactTypes:  []analysis.Fact{new(does)},
	ResultType: reflect.TypeFor[*found](),
	Run:        findClients,
}

// does is a fact about a function: what it does with clients, itself or by the functions
// that it calls. What it calls through interfaces and variables does not count.
type does struct {
	Makes string // a client that is wired, and where: "openai.NewClient, bot.go:12"
	How   string // how that could be given an HTTP client
	Asks  bool   // it sends a request with a client of an SDK
}

func (*does) AFact() {}

func (d *does) String() string { return fmt.Sprintf("makes %q, asks %v", d.Makes, d.Asks) }

// found is what a package does with clients.
type found struct {
	sites []placed
	funcs map[*types.Func]*funcInfo
	other map[*types.Func]does // what functions of other packages do that are called here
	muted bool                 // the whole package: TestMain or an init function catches all requests
}

type placed struct {
	*site
	at inspector.Cursor
}

type funcInfo struct {
	decl  *ast.FuncDecl
	does  does
	calls []*types.Func
	mutes bool // it catches the requests of its test, itself or by what it calls
}

func findClients(pass *analysis.Pass) (any, error) {
	f := &found{funcs: map[*types.Func]*funcInfo{}, other: map[*types.Func]does{}}
	if OfSDK(pass.Pkg.Path()) {
		return f, nil
	}
	root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
	vars := map[types.Object]*does{} // of the package, with a client that is wired
	for c := range root.Preorder((*ast.CallExpr)(nil), (*ast.CompositeLit)(nil)) {
		decl := function(c)
		v := &values{info: pass.TypesInfo}
		if decl != nil {
			v.body = decl
		}
		s := siteOf(v, c.Node())
		if s == nil {
			continue
		}
		s.wired = s.wired && !isFallback(c)
		f.sites = append(f.sites, placed{s, c})
		if decl == nil && s.wired {
			for spec := range c.Enclosing((*ast.ValueSpec)(nil)) {
				for _, name := range spec.Node().(*ast.ValueSpec).Names {
					vars[pass.TypesInfo.Defs[name]] = &does{Makes: s.place(pass.Fset), How: s.sdk.how("client")}
				}
			}
		}
	}
	for c := range root.Preorder((*ast.AssignStmt)(nil)) {
		for _, left := range c.Node().(*ast.AssignStmt).Lhs {
			if id, ok := left.(*ast.Ident); ok && inTest(pass.Fset, id.Pos()) {
				delete(vars, pass.TypesInfo.Uses[id]) // tests put another client there
			}
		}
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
				if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					f.funcs[fn] = look(pass, decl, vars)
				}
			}
		}
	}
	for _, p := range f.sites {
		if decl := function(p.at); decl != nil && p.wired {
			fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if info := f.funcs[fn]; info != nil {
				info.does.Makes, info.does.How = p.place(pass.Fset), p.sdk.how("client")
			}
		}
	}
	f.close(pass)
	return f, nil
}

// place says which client is made, and where.
func (s *site) place(fset *token.FileSet) string {
	p := fset.Position(s.node.Pos())
	return fmt.Sprintf("%s, %s:%d", s.name, filepath.Base(p.Filename), p.Line)
}

// isFallback reports whether code runs only if something is nil or empty: then that
// something is the way to give a client.
func isFallback(c inspector.Cursor) (is bool) {
	for i := range c.Enclosing((*ast.IfStmt)(nil)) {
		ast.Inspect(i.Node().(*ast.IfStmt).Cond, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
				x, y := types.ExprString(b.X), types.ExprString(b.Y)
				is = is || y == "nil" && !strings.HasSuffix(strings.ToLower(x), "err")
			}
			return true
		})
	}
	return is
}

// look returns what a function does itself.
func look(pass *analysis.Pass, decl *ast.FuncDecl, vars map[types.Object]*does) *funcInfo {
	info := &funcInfo{decl: decl}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		info.mutes = info.mutes || catches(pass.TypesInfo, n)
		switch n := n.(type) {
		case *ast.Ident:
			if d := vars[pass.TypesInfo.Uses[n]]; d != nil {
				info.does.Makes, info.does.How = d.Makes, d.How
			}
		case *ast.CallExpr:
			if fn := callee(pass.TypesInfo, n); fn != nil {
				info.does.Asks = info.does.Asks || asks(fn)
				info.calls = append(info.calls, fn.Origin())
			}
		}
		return true
	})
	return info
}

// asks reports whether a function of an SDK sends a request: those take a context first.
func asks(fn *types.Func) bool {
	if fn.Pkg() == nil || !OfSDK(fn.Pkg().Path()) {
		return false
	}
	if i := slices.IndexFunc(sdks, func(s sdk) bool { return isFunc(fn, s.path, s.name) }); i >= 0 {
		return false
	}
	params := fn.Signature().Params()
	return params.Len() > 0 && isType(params.At(0).Type(), "context", "Context")
}

var urlVariable = regexp.MustCompile(`(?i)URL|HOST|ENDPOINT|PROXY`)

// catches reports whether code sends requests of the default transport, or of an SDK,
// somewhere else.
func catches(info *types.Info, n ast.Node) bool {
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
		if isFunc(fn, echotest, "SetDefault") || fn.Name() == "Setenv" && len(n.Args) == 2 && urlVariable.MatchString(types.ExprString(n.Args[0])) {
			return true
		}
		path := unversioned(fn.Pkg().Path())
		return path == "github.com/jarcoal/httpmock" || path == "github.com/h2non/gock" || path == "gopkg.in/h2non/gock.v1" || strings.HasSuffix(path, "dnaeon/go-vcr/recorder")
	}
	return false
}

// close adds to each function what the functions do that it calls, and exports the facts.
func (f *found) close(pass *analysis.Pass) {
	for _, info := range f.funcs {
		for _, fn := range info.calls {
			var d does
			if fn.Pkg() != pass.Pkg && pass.ImportObjectFact(fn, &d) {
				f.other[fn] = d
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, info := range f.funcs {
			for _, fn := range info.calls {
				other, own := f.does(fn), f.funcs[fn]
				mutes := own != nil && own.mutes
				if other.Asks && !info.does.Asks || other.Makes != "" && info.does.Makes == "" || mutes && !info.mutes {
					changed = true
					info.does.Asks, info.mutes = info.does.Asks || other.Asks, info.mutes || mutes
					if info.does.Makes == "" {
						info.does.Makes, info.does.How = other.Makes, other.How
					}
				}
			}
		}
	}
	for fn, info := range f.funcs {
		if info.does.Makes != "" || info.does.Asks {
			pass.ExportObjectFact(fn, &info.does)
		}
		if info.mutes && (fn.Name() == "TestMain" || fn.Name() == "init") {
			f.muted = true
		}
	}
}

// does returns what a function does that the package has or calls.
func (f *found) does(fn *types.Func) does {
	if own := f.funcs[fn.Origin()]; own != nil {
		return own.does
	}
	return f.other[fn.Origin()]
}

// catching reports whether requests that are made in a function of a test are caught, by
// it or by all that call it.
func (f *found) catching(decl *ast.FuncDecl) bool {
	if f.muted || decl == nil {
		return f.muted
	}
	callers, caught := 0, 0
	for fn, info := range f.funcs {
		if info.decl == decl {
			if info.mutes {
				return true
			}
			for _, other := range f.funcs {
				if slices.Contains(other.calls, fn) {
					callers++
					if other.mutes {
						caught++
					}
				}
			}
		}
	}
	return callers > 0 && callers == caught
}

// asked reports whether a function, or a function of the package that calls it, asks a
// client.
func (f *found) asked(decl *ast.FuncDecl) bool {
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
			if info.does.Asks {
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

// compiledOnly reports whether a function is an example without an output, which go test
// compiles and does not run.
func compiledOnly(file *ast.File, decl *ast.FuncDecl) bool {
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
