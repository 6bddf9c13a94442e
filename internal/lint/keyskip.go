package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// KeySkip finds tests that skip themselves where there is no key.
var KeySkip = &analysis.Analyzer{
	Name:     "keyskip",
	Doc:      "find tests that are skipped without a key",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#keyskip",
	Requires: []*analysis.Analyzer{inspect.Analyzer, clients},
	Run: func(pass *analysis.Pass) (any, error) {
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.IfStmt)(nil)) {
			decl := function(c)
			stmt := c.Node().(*ast.IfStmt)
			if decl == nil || !inTest(pass.Fset, stmt.Pos()) || !skips(pass.TypesInfo, stmt.Body) {
				continue
			}
			g := gateOf(pass, decl, stmt)
			if g == nil {
				g = gateSaid(pass.TypesInfo, stmt)
			}
			if g == nil || !providerKey.MatchString(g.key) && !usesSDK(pass, decl) {
				continue
			}
			report(pass, stmt, "take the key from the recorder", g.fix(pass, c),
				"the test is skipped if %s is not set, so CI never runs it: %s and "+
					"rec.Secret(%[1]q), which need no key in replay, and delete the condition",
				g.key, newRecorder(pass, c))
		}
		return nil, nil
	},
}

// providerKey matches the names of variables that hold keys of model APIs.
var providerKey = regexp.MustCompile(`^(OPENAI|AZURE_OPENAI|ANTHROPIC|CLAUDE|GEMINI|GOOGLE_API|GOOGLE_GEMINI|GENAI|COHERE|CO_API|MISTRAL|VOYAGE|JINA|HF|HUGGING|GROQ|XAI|DEEPSEEK|OPENROUTER|TOGETHER|PERPLEXITY|FIREWORKS|OLLAMA)`)

// usesSDK reports whether a function uses an SDK or the recorder, or calls what asks a model.
func usesSDK(pass *analysis.Pass, decl *ast.FuncDecl) (uses bool) {
	fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if info := pass.ResultOf[clients].(*found).funcs[fn]; info != nil && info.does.Asks {
		return true
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := pass.TypesInfo.Uses[id]; obj != nil && obj.Pkg() != nil {
				path := unversioned(obj.Pkg().Path())
				uses = uses || OfSDK(path) || path == library || path == echotest
			}
		}
		return true
	})
	return uses
}

// skips reports whether a block ends its test by a skip.
func skips(info *types.Info, body *ast.BlockStmt) bool {
	for _, stmt := range body.List {
		if e, ok := stmt.(*ast.ExprStmt); ok && ofTest(info, e.X, "Skip", "Skipf", "SkipNow") != nil {
			return true
		}
	}
	return false
}

// A gate is a condition that a key must meet.
type gate struct {
	stmt *ast.IfStmt
	key  string
	from *ast.CallExpr // what reads the key into a variable, if that is not in the condition
	decl *ast.AssignStmt
	v    types.Object // the variable

	unread bool // the condition asks for something else, too, for all that is known
}

// gateOf returns the gate that a condition is: it compares a key with the empty text, or
// negates what os.LookupEnv says.
func gateOf(pass *analysis.Pass, decl *ast.FuncDecl, stmt *ast.IfStmt) *gate {
	info := pass.TypesInfo
	g := &gate{stmt: stmt}
	var operand ast.Expr
	switch cond := ast.Unparen(stmt.Cond).(type) {
	case *ast.BinaryExpr:
		value := info.Types[cond.Y].Value
		if cond.Op != token.EQL || value == nil || value.ExactString() != `""` {
			return nil
		}
		operand = cond.X
	case *ast.UnaryExpr:
		if cond.Op != token.NOT {
			return nil
		}
		operand = cond.X
	}
	if g.key = keyOf(info, operand); g.key != "" {
		return g
	}
	id, ok := operand.(*ast.Ident)
	if !ok {
		return nil
	}
	g.v = info.ObjectOf(id)
	ast.Inspect(decl, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Rhs) != 1 {
			return true
		}
		for _, left := range a.Lhs {
			if id, ok := left.(*ast.Ident); ok && info.Defs[id] != nil && info.Defs[id] == g.v {
				if key := keyOf(info, a.Rhs[0]); key != "" {
					g.key = key
					g.from, g.decl = a.Rhs[0].(*ast.CallExpr), a
				}
			}
		}
		return true
	})
	if g.key == "" {
		return nil
	}
	return g
}

var (
	keyInText = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*_(KEY|TOKEN)\b`)
	recording = regexp.MustCompile(`(?i)record|cassette|fixture`)
)

// gateSaid returns the gate that a condition is by what the skip says, whatever the
// condition asks: "OPENAI_API_KEY not set". It is none if a file or a recording lets the test
// run without the key.
func gateSaid(info *types.Info, stmt *ast.IfStmt) *gate {
	if looksForFile(info, stmt) {
		return nil
	}
	for _, s := range stmt.Body.List {
		e, ok := s.(*ast.ExprStmt)
		if !ok || ofTest(info, e.X, "Skip", "Skipf") == nil {
			continue
		}
		for _, arg := range e.X.(*ast.CallExpr).Args {
			if v := info.Types[arg].Value; v != nil && v.Kind() == constant.String {
				text := constant.StringVal(v)
				if key := keyInText.FindString(text); key != "" && !recording.MatchString(text) {
					return &gate{stmt: stmt, key: key, unread: true}
				}
			}
		}
	}
	return nil
}

// looksForFile reports whether a condition, or what stands before it, asks for a file.
func looksForFile(info *types.Info, stmt *ast.IfStmt) (looks bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if fn, ok := info.Uses[id].(*types.Func); ok {
				looks = looks || slices.Contains([]string{"os.Stat", "os.Lstat", "os.IsNotExist", "io/fs.Stat"}, fn.FullName())
			}
		}
		return n != ast.Node(stmt.Body)
	})
	return looks
}

// fix returns the edits that take the gate away, if there is a recorder.
func (g *gate) fix(pass *analysis.Pass, c inspector.Cursor) []analysis.TextEdit {
	if _, inBlock := c.Parent().Node().(*ast.BlockStmt); !inBlock || g.unread || g.stmt.Else != nil || len(g.stmt.Body.List) != 1 {
		return nil
	}
	at := g.stmt.Pos()
	if g.decl != nil {
		at = g.decl.Pos()
	}
	rec := recorderIn(pass, file(c), at)
	if rec == "" {
		return nil
	}
	gone := remove(pass, g.stmt)
	if g.decl == nil || g.decl == g.stmt.Init {
		return []analysis.TextEdit{gone}
	}
	uses := 0
	for _, obj := range pass.TypesInfo.Uses {
		if obj == g.v {
			uses++
		}
	}
	switch text, ok := secret(pass.TypesInfo, g.from, rec); {
	case uses == 1 && len(g.decl.Lhs) == 1: // only the condition
		return []analysis.TextEdit{remove(pass, g.decl), gone}
	case ok && len(g.decl.Lhs) == 1:
		return []analysis.TextEdit{replace(g.from, text), gone}
	}
	return nil
}
