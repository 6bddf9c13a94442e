package lint

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/promptecho/promptecho/internal/redact"
)

// insert returns the edit that inserts a text.
func insert(at token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}

// replace returns the edit that puts a text in the place of code.
func replace(n ast.Node, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)}
}

// remove returns the edit that deletes a statement, with its lines if there is nothing else
// on them.
func remove(pass *analysis.Pass, stmt ast.Node) analysis.TextEdit {
	f := pass.Fset.File(stmt.Pos())
	from, to := stmt.Pos(), stmt.End()
	last := f.Line(to)
	text, err := pass.ReadFile(f.Name())
	if err != nil || last >= f.LineCount() {
		return analysis.TextEdit{Pos: from, End: to}
	}
	start, end := f.LineStart(f.Line(from)), f.LineStart(last+1)
	around := string(text[f.Offset(start):f.Offset(from)]) + string(text[f.Offset(to):f.Offset(end)])
	if strings.TrimSpace(around) == "" {
		from, to = start, end
	}
	return analysis.TextEdit{Pos: from, End: to}
}

// imported returns the name under which a package can be used at a place, and the edit that
// imports it, if it is not. ok is false if the name means something else there.
func imported(pass *analysis.Pass, f *ast.File, at token.Pos, path string) (name string, edits []analysis.TextEdit, ok bool) {
	name, spelled := nameFor(f, path)
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		pkg := pass.TypesInfo.PkgNameOf(spec)
		if pkg == nil || pkg.Name() == "_" || pkg.Name() == "." {
			return "", nil, false
		}
		return pkg.Name(), nil, visible(pass, f, at, pkg.Name()) == pkg
	}
	if obj := visible(pass, f, at, name); obj != nil || pass.Pkg.Scope().Lookup(name) != nil {
		return "", nil, false
	}
	for _, d := range f.Decls {
		if g, isGen := d.(*ast.GenDecl); isGen && g.Tok == token.IMPORT && g.Rparen.IsValid() {
			return name, []analysis.TextEdit{insert(g.Rparen, "\t"+spelled+"\n")}, true
		}
	}
	return name, []analysis.TextEdit{insert(f.Name.End(), "\n\nimport "+spelled)}, true
}

// nameFor returns the name of a package that is to be imported, and the import: the names of
// two SDKs' packages of options must not clash.
func nameFor(f *ast.File, path string) (name, spelled string) {
	elems := strings.Split(unversioned(path), "/")
	name = elems[len(elems)-1]
	if name != "option" {
		return name, strconv.Quote(path)
	}
	withOptions := 0
	for _, spec := range f.Imports {
		for _, s := range sdks {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && s.path == unversioned(p) && strings.HasSuffix(s.option, "/option") {
				withOptions++
			}
		}
	}
	if withOptions > 1 {
		vendor, _, _ := strings.Cut(elems[len(elems)-2], "-")
		return vendor + name, vendor + name + " " + strconv.Quote(path)
	}
	return name, strconv.Quote(path)
}

// visible returns what a name means at a place; nil if it means nothing.
func visible(pass *analysis.Pass, f *ast.File, at token.Pos, name string) types.Object {
	scope := pass.TypesInfo.Scopes[f].Innermost(at)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at)
	return obj
}

// recorderIn returns the name of a recorder that code can use.
func recorderIn(pass *analysis.Pass, f *ast.File, at token.Pos) string {
	for scope := pass.TypesInfo.Scopes[f].Innermost(at); scope != nil; scope = scope.Parent() {
		for _, name := range scope.Names() {
			if obj, ok := scope.Lookup(name).(*types.Var); ok && isType(obj.Type(), library, "Recorder") && visible(pass, f, at, name) == obj {
				return name
			}
		}
	}
	return ""
}

// recorder returns the name of a recorder for code in a test, and the edits that make it if
// there is none.
func recorder(pass *analysis.Pass, c inspector.Cursor) (name string, edits []analysis.TextEdit, ok bool) {
	at, f, decl := c.Node().Pos(), file(c), function(c)
	if name := recorderIn(pass, f, at); name != "" {
		return name, nil, true
	}
	t, body := testAround(pass, c)
	if t == nil || decl == nil || visible(pass, f, at, "rec") != nil || visible(pass, f, at, t.Name) != pass.TypesInfo.Defs[t] {
		return "", nil, false
	}
	has := false // a recorder that is out of sight: two must not share a cassette
	ast.Inspect(decl, func(n ast.Node) bool {
		has = has || isCall(pass.TypesInfo, n, echotest, "New", "Open") || isCall(pass.TypesInfo, n, library, "Open")
		return true
	})
	pkg, edits, ok := imported(pass, f, at, echotest)
	if has || !ok {
		return "", nil, false
	}
	return "rec", append(edits, insert(body.Lbrace+1, fmt.Sprintf("\n\trec := %s.New(%s)", pkg, t.Name))), true
}

// testAround returns the parameter of the innermost function around code that is a test or
// a subtest, and the body of that function. The test of a fuzz test's input is none: it has
// no name while go test -fuzz runs, and so no cassette.
func testAround(pass *analysis.Pass, c inspector.Cursor) (t *ast.Ident, body *ast.BlockStmt) {
	for e := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		switch fn := e.Node().(type) {
		case *ast.FuncLit:
			if ofInput(pass.TypesInfo, e) {
				t, body = nil, nil
			} else if t == nil {
				t, body = parameterOf(pass.TypesInfo, fn.Type), fn.Body
			}
		case *ast.FuncDecl:
			if t == nil && testName.MatchString(fn.Name.Name) && fn.Recv == nil {
				t, body = parameterOf(pass.TypesInfo, fn.Type), fn.Body
			}
		}
	}
	return t, body
}

// ofInput reports whether a function runs for each input of a fuzz test.
func ofInput(info *types.Info, fn inspector.Cursor) bool {
	call, ok := fn.Parent().Node().(*ast.CallExpr)
	return ok && ofTest(info, call, "Fuzz") != nil
}

// inFuzz reports whether code runs for each input of a fuzz test.
func inFuzz(info *types.Info, c inspector.Cursor) bool {
	for fn := range c.Enclosing((*ast.FuncLit)(nil)) {
		if ofInput(info, fn) {
			return true
		}
	}
	return false
}

// newRecorder says how to make a recorder for code of a test.
func newRecorder(pass *analysis.Pass, c inspector.Cursor) string {
	t, _ := testAround(pass, c)
	if decl := function(c); t == nil && decl != nil { // a helper
		t = parameterOf(pass.TypesInfo, decl.Type)
	}
	name := "t"
	if t != nil {
		name = t.Name
	}
	text := "write rec := echotest.New(" + name + ")"
	if inFuzz(pass.TypesInfo, c) {
		text += " before " + name + ".Fuzz"
	}
	return text
}

var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz)([^a-z]|$)`)

// recorderFor returns the edits that give a client a recorder; nil if somebody has to look.
func recorderFor(pass *analysis.Pass, p placed, f *found) []analysis.TextEdit {
	name, edits, ok := recorder(pass, p.at)
	if !ok {
		return nil
	}
	client := name + ".Client()"
	switch {
	case p.sdk.instead != "":
		more := withConfig(pass, p, f, client)
		if more == nil {
			return nil
		}
		return append(edits, more...)
	case p.given != nil:
		edits = append(edits, replace(p.given, client))
	case p.lit != nil:
		edits = append(edits, field(pass.Fset, p.lit, "HTTPClient: "+client))
	case p.options != nil:
		more, ok := option(pass, p, client)
		if !ok {
			return nil
		}
		edits = append(edits, more...)
	case p.set != nil && p.after != nil:
		edits = append(edits, insert(p.after.End(), fmt.Sprintf("\n%s.HTTPClient = %s", p.set.Name, client)))
	default:
		return nil
	}
	return append(edits, keys(pass, p.node, name)...)
}

// field returns the edit that adds a field to a struct.
func field(fset *token.FileSet, lit *ast.CompositeLit, text string) analysis.TextEdit {
	at := lit.Lbrace + 1
	switch {
	case len(lit.Elts) == 0:
		return insert(at, text)
	case fset.Position(lit.Elts[0].Pos()).Line == fset.Position(lit.Lbrace).Line:
		return insert(at, text+", ")
	}
	return insert(at, "\n"+text+",")
}

// option returns the edits that add the option that gives an HTTP client.
func option(pass *analysis.Pass, p placed, client string) (edits []analysis.TextEdit, ok bool) {
	call := p.options
	fn := callee(pass.TypesInfo, call)
	path, first := p.sdk.option, p.sdk.at
	if path == "" {
		path, first = awsConfig, 1
	} else if own := fn.Pkg().Path(); path != unversioned(own) {
		// The option is of the same version of the module as the function.
		path = strings.TrimSuffix(own, "/client") + "/option"
	} else {
		path = own
	}
	name, edits, ok := imported(pass, file(p.at), call.Pos(), path)
	text := name + ".WithHTTPClient(" + client + ")"
	switch {
	case len(call.Args) > first:
		text += ", "
		if pass.Fset.Position(call.Lparen).Line < pass.Fset.Position(call.Args[first].Pos()).Line {
			text += "\n"
		}
		return append(edits, insert(call.Args[first].Pos(), text)), ok
	case len(call.Args) > 0:
		return append(edits, insert(call.Args[len(call.Args)-1].End(), ", "+text)), ok
	}
	return append(edits, insert(call.Rparen, text)), ok
}

// withConfig returns the edits that make a client of go-openai by its configuration.
func withConfig(pass *analysis.Pass, p placed, f *found, client string) []analysis.TextEdit {
	call, isCall := p.node.(*ast.CallExpr)
	stmt := p.at.Parent().Node()
	_, isAssign := stmt.(*ast.AssignStmt)
	block, inBlock := p.at.Parent().Parent().Node().(*ast.BlockStmt)
	sel, isSel := call.Fun.(*ast.SelectorExpr)
	if !isCall || !isAssign || !inBlock || block == nil || !isSel || p.sdk.path != ofGoOpenAI || sel.Sel.Name != "NewClient" || len(call.Args) != 1 || visible(pass, file(p.at), call.Pos(), "config") != nil {
		return nil
	}
	for _, other := range f.sites {
		if other.node != p.node && other.sdk.path == ofGoOpenAI && function(other.at) == function(p.at) {
			return nil // two variables of one name
		}
	}
	pkg := types.ExprString(sel.X)
	recName := strings.TrimSuffix(client, ".Client()")
	token := types.ExprString(call.Args[0])
	if text, ok := secret(pass.TypesInfo, call.Args[0], recName); ok {
		token = text
	}
	return []analysis.TextEdit{
		insert(stmt.Pos(), fmt.Sprintf("config := %s.DefaultConfig(%s)\nconfig.HTTPClient = %s\n", pkg, token, client)),
		replace(call, pkg+".NewClientWithConfig(config)"),
	}
}

// keys returns the edits that take keys from the recorder instead of the environment.
func keys(pass *analysis.Pass, n ast.Node, recorder string) (edits []analysis.TextEdit) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if text, ok := secret(pass.TypesInfo, e, recorder); ok {
				edits = append(edits, replace(e, text))
			}
		}
		return true
	})
	return edits
}

// keyOf returns the variable of a key that an expression reads from the environment, "" for
// none.
func keyOf(info *types.Info, n ast.Node) string {
	if !isCall(info, n, "os", "Getenv", "LookupEnv") {
		return ""
	}
	value := info.Types[n.(*ast.CallExpr).Args[0]].Value
	if value == nil || value.Kind() != constant.String {
		return ""
	}
	if name := constant.StringVal(value); redact.IsCredentialVariable(name) {
		return name
	}
	return ""
}

// secret returns what takes the place of os.Getenv of a key.
func secret(info *types.Info, e ast.Expr, recorder string) (string, bool) {
	if keyOf(info, e) == "" || !isCall(info, e, "os", "Getenv") {
		return "", false
	}
	return recorder + ".Secret(" + types.ExprString(e.(*ast.CallExpr).Args[0]) + ")", true
}
