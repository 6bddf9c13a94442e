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

// importEdits returns the name under which a package can be used at a place, and the edit that
// imports the package, if the file does not. ok is false if the name means something else there.
func importEdits(
	pass *analysis.Pass, f *ast.File, at token.Pos, path string,
) (name string, edits []analysis.TextEdit, ok bool) {
	name, spelled := importName(f, path)
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		pkg := pass.TypesInfo.PkgNameOf(spec)
		if pkg == nil || pkg.Name() == "_" || pkg.Name() == "." {
			return "", nil, false
		}
		return pkg.Name(), nil, objectAt(pass, f, at, pkg.Name()) == pkg
	}
	if obj := objectAt(pass, f, at, name); obj != nil || pass.Pkg.Scope().Lookup(name) != nil {
		return "", nil, false
	}
	for _, d := range f.Decls {
		g, isGen := d.(*ast.GenDecl)
		isImportList := isGen && g.Tok == token.IMPORT && g.Rparen.IsValid()
		if isImportList {
			return name, []analysis.TextEdit{insert(g.Rparen, "\t"+spelled+"\n")}, true
		}
	}
	return name, []analysis.TextEdit{insert(f.Name.End(), "\n\nimport "+spelled)}, true
}

// importName returns the name of a package that is to be imported, and the text of the import. If
// the file imports two SDKs with a package option, the name begins with the vendor.
func importName(f *ast.File, path string) (name, spelled string) {
	elems := strings.Split(unversioned(path), "/")
	name = elems[len(elems)-1]
	if name != "option" {
		return name, strconv.Quote(path)
	}
	withOptions := 0
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, s := range sdks {
			if s.path == unversioned(imported) && strings.HasSuffix(s.option, "/option") {
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

// objectAt returns the object that a name means at a place; nil if it means nothing.
func objectAt(pass *analysis.Pass, f *ast.File, at token.Pos, name string) types.Object {
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
			obj, ok := scope.Lookup(name).(*types.Var)
			isRecorder := ok && isType(obj.Type(), library, "Recorder")
			if isRecorder && objectAt(pass, f, at, name) == obj {
				return name
			}
		}
	}
	return ""
}

// ensureRecorder returns the name of a recorder for code in a test, and the edits that make a
// recorder if there is none.
func ensureRecorder(
	pass *analysis.Pass, c inspector.Cursor,
) (name string, edits []analysis.TextEdit, ok bool) {
	at, f, decl := c.Node().Pos(), enclosingFile(c), enclosingFunc(c)
	if name := recorderIn(pass, f, at); name != "" {
		return name, nil, true
	}
	t, body := enclosingTest(pass, c)
	if t == nil || decl == nil {
		return "", nil, false
	}
	isRecTaken := objectAt(pass, f, at, "rec") != nil
	isShadowed := objectAt(pass, f, at, t.Name) != pass.TypesInfo.Defs[t]
	if isRecTaken || isShadowed {
		return "", nil, false
	}

	// A recorder that the code cannot use has the cassette of the test. A second one must not
	// have the same cassette.
	hasOther := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if isCall(pass.TypesInfo, n, echotest, "New", "Open") ||
			isCall(pass.TypesInfo, n, library, "Open") {
			hasOther = true
		}
		return true
	})
	pkg, edits, ok := importEdits(pass, f, at, echotest)
	if hasOther || !ok {
		return "", nil, false
	}
	creation := fmt.Sprintf("\n\trec := %s.New(%s)", pkg, t.Name)
	return "rec", append(edits, insert(body.Lbrace+1, creation)), true
}

// enclosingTest returns the testing parameter and the body of the innermost test or subtest around
// code. The function for the inputs of a fuzz test does not count: it has no name while go test
// -fuzz runs, and so no cassette.
func enclosingTest(pass *analysis.Pass, c inspector.Cursor) (t *ast.Ident, body *ast.BlockStmt) {
	for e := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		switch fn := e.Node().(type) {
		case *ast.FuncLit:
			if isFuzzTarget(pass.TypesInfo, e) {
				t, body = nil, nil
			} else if t == nil {
				t, body = testParameter(pass.TypesInfo, fn.Type), fn.Body
			}
		case *ast.FuncDecl:
			if t == nil && testName.MatchString(fn.Name.Name) && fn.Recv == nil {
				t, body = testParameter(pass.TypesInfo, fn.Type), fn.Body
			}
		}
	}
	return t, body
}

// isFuzzTarget reports whether a function runs for each input of a fuzz test.
func isFuzzTarget(info *types.Info, fn inspector.Cursor) bool {
	call, ok := fn.Parent().Node().(*ast.CallExpr)
	return ok && testOfCall(info, call, "Fuzz") != nil
}

// isInFuzzTarget reports whether code runs for each input of a fuzz test.
func isInFuzzTarget(info *types.Info, c inspector.Cursor) bool {
	for fn := range c.Enclosing((*ast.FuncLit)(nil)) {
		if isFuzzTarget(info, fn) {
			return true
		}
	}
	return false
}

// howToMakeRecorder says how to make a recorder for code of a test.
func howToMakeRecorder(pass *analysis.Pass, c inspector.Cursor) string {
	t, _ := enclosingTest(pass, c)
	if decl := enclosingFunc(c); t == nil && decl != nil { // a helper
		t = testParameter(pass.TypesInfo, decl.Type)
	}
	name := "t"
	if t != nil {
		name = t.Name
	}
	text := "write rec := echotest.New(" + name + ")"
	if isInFuzzTarget(pass.TypesInfo, c) {
		text += " before " + name + ".Fuzz"
	}
	return text
}

var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz)([^a-z]|$)`)

// recorderEdits returns the edits that set the recorder of a client; nil if the change needs a
// human.
func recorderEdits(pass *analysis.Pass, p placedSite, f *packageClients) []analysis.TextEdit {
	name, edits, ok := ensureRecorder(pass, p.cursor)
	if !ok {
		return nil
	}
	client := name + ".Client()"
	switch {
	case p.sdk.instead != "":
		more := configEdits(pass, p, f, client)
		if more == nil {
			return nil
		}
		return append(edits, more...)
	case p.httpClient != nil:
		edits = append(edits, replace(p.httpClient, client))
	case p.literal != nil:
		edits = append(edits, fieldEdit(pass.Fset, p.literal, "HTTPClient: "+client))
	case p.options != nil:
		more, ok := optionEdits(pass, p, client)
		if !ok {
			return nil
		}
		edits = append(edits, more...)
	case p.variable != nil && p.declaration != nil:
		assignment := fmt.Sprintf("\n%s.HTTPClient = %s", p.variable.Name, client)
		edits = append(edits, insert(p.declaration.End(), assignment))
	default:
		return nil
	}
	return append(edits, keyEdits(pass, p.node, name)...)
}

// fieldEdit returns the edit that adds a field to a struct.
func fieldEdit(fset *token.FileSet, lit *ast.CompositeLit, text string) analysis.TextEdit {
	at := lit.Lbrace + 1
	switch {
	case len(lit.Elts) == 0:
		return insert(at, text)
	case fset.Position(lit.Elts[0].Pos()).Line == fset.Position(lit.Lbrace).Line:
		return insert(at, text+", ")
	}
	return insert(at, "\n"+text+",")
}

// optionEdits returns the edits that add the option that sets an HTTP client.
func optionEdits(
	pass *analysis.Pass, p placedSite, client string,
) (edits []analysis.TextEdit, ok bool) {
	call := p.options
	fn := callee(pass.TypesInfo, call)
	path := p.sdk.option
	first := p.sdk.argument
	if path == "" {
		path = awsConfig
		first = 1
	} else if own := fn.Pkg().Path(); path != unversioned(own) {
		// The option is of the same version of the module as the function.
		path = strings.TrimSuffix(own, "/client") + "/option"
	} else {
		path = own
	}
	name, edits, ok := importEdits(pass, enclosingFile(p.cursor), call.Pos(), path)
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

// configEdits returns the edits that make a client of go-openai by its configuration.
func configEdits(
	pass *analysis.Pass, p placedSite, f *packageClients, client string,
) []analysis.TextEdit {
	call, isCall := p.node.(*ast.CallExpr)
	if !isCall {
		return nil
	}
	stmt := p.cursor.Parent().Node()
	_, isAssign := stmt.(*ast.AssignStmt)
	_, isInBlock := p.cursor.Parent().Parent().Node().(*ast.BlockStmt)
	sel, isSel := call.Fun.(*ast.SelectorExpr)
	if !isAssign || !isInBlock || !isSel {
		return nil
	}
	isNewClient := p.sdk.path == ofGoOpenAI && sel.Sel.Name == "NewClient" && len(call.Args) == 1
	isConfigTaken := objectAt(pass, enclosingFile(p.cursor), call.Pos(), "config") != nil
	if !isNewClient || isConfigTaken {
		return nil
	}
	for _, other := range f.sites {
		isOther := other.node != p.node && other.sdk.path == ofGoOpenAI
		if isOther && enclosingFunc(other.cursor) == enclosingFunc(p.cursor) {
			return nil // the function would have two variables with the name config
		}
	}
	pkg := types.ExprString(sel.X)
	recName := strings.TrimSuffix(client, ".Client()")
	token := types.ExprString(call.Args[0])
	if text, ok := secretCall(pass.TypesInfo, call.Args[0], recName); ok {
		token = text
	}
	return []analysis.TextEdit{
		insert(stmt.Pos(), fmt.Sprintf(
			"config := %s.DefaultConfig(%s)\nconfig.HTTPClient = %s\n", pkg, token, client,
		)),
		replace(call, pkg+".NewClientWithConfig(config)"),
	}
}

// keyEdits returns the edits that take keys from the recorder instead of the environment.
func keyEdits(pass *analysis.Pass, n ast.Node, recorder string) (edits []analysis.TextEdit) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if text, ok := secretCall(pass.TypesInfo, e, recorder); ok {
				edits = append(edits, replace(e, text))
			}
		}
		return true
	})
	return edits
}

// keyVariable returns the environment variable of a key that an expression reads; "" if the
// expression reads none.
func keyVariable(info *types.Info, n ast.Node) string {
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

// secretCall returns the call of Secret that replaces os.Getenv of a key.
func secretCall(info *types.Info, e ast.Expr, recorder string) (string, bool) {
	if keyVariable(info, e) == "" || !isCall(info, e, "os", "Getenv") {
		return "", false
	}
	return recorder + ".Secret(" + types.ExprString(e.(*ast.CallExpr).Args[0]) + ")", true
}
