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

// KeySkip finds tests that are skipped if there is no API key.
var KeySkip = &analysis.Analyzer{
	Name:     "keyskip",
	Doc:      "find tests that are skipped without a key",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#keyskip",
	Requires: []*analysis.Analyzer{inspect.Analyzer, clients},
	Run: func(pass *analysis.Pass) (any, error) {
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.IfStmt)(nil)) {
			decl := enclosingFunc(c)
			stmt := c.Node().(*ast.IfStmt)
			if decl == nil || !isInTestFile(pass.Fset, stmt.Pos()) || !isSkipped(pass.TypesInfo, stmt.Body) {
				continue
			}
			g := gateOf(pass, decl, stmt)
			if g == nil {
				g = gateOfMessage(pass.TypesInfo, stmt)
			}
			if g == nil {
				continue
			}
			if !providerKey.MatchString(g.key) && !usesSDK(pass, decl) {
				continue
			}
			report(pass, stmt, "take the key from the recorder", g.edits(pass, c),
				"the test is skipped if %s is not set, so CI never runs it: %s and "+
					"rec.Secret(%[1]q), which need no key in replay, and delete the condition",
				g.key, howToMakeRecorder(pass, c))
		}
		return nil, nil
	},
}

// providerKey matches the names of variables that hold keys of model APIs.
var providerKey = regexp.MustCompile(`^(OPENAI|AZURE_OPENAI|ANTHROPIC|CLAUDE|GEMINI|` +
	`GOOGLE_API|GOOGLE_GEMINI|GENAI|COHERE|CO_API|MISTRAL|VOYAGE|JINA|HF|HUGGING|GROQ|XAI|` +
	`DEEPSEEK|OPENROUTER|TOGETHER|PERPLEXITY|FIREWORKS|OLLAMA)`)

// usesSDK reports whether a function uses an SDK or the recorder, or calls a function that sends a
// request.
func usesSDK(pass *analysis.Pass, decl *ast.FuncDecl) (uses bool) {
	fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if info := pass.ResultOf[clients].(*packageClients).funcs[fn]; info != nil && info.behavior.Asks {
		return true
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := pass.TypesInfo.Uses[id]
		if obj == nil || obj.Pkg() == nil {
			return true
		}
		path := unversioned(obj.Pkg().Path())
		if OfSDK(path) || path == library || path == echotest {
			uses = true
		}
		return true
	})
	return uses
}

// isSkipped reports whether a block skips its test.
func isSkipped(info *types.Info, body *ast.BlockStmt) bool {
	for _, stmt := range body.List {
		if e, ok := stmt.(*ast.ExprStmt); ok && testOfCall(info, e.X, "Skip", "Skipf", "SkipNow") != nil {
			return true
		}
	}
	return false
}

// A gate is a condition that skips a test if there is no key.
type gate struct {
	stmt     *ast.IfStmt
	key      string
	read     *ast.CallExpr // what reads the key into a variable, if that is not in the condition
	decl     *ast.AssignStmt
	variable types.Object // the variable

	mayAskMore bool // the condition may depend on something else, too
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
	g.key = keyVariable(info, operand)
	if g.key != "" {
		return g
	}
	id, ok := operand.(*ast.Ident)
	if !ok {
		return nil
	}
	g.variable = info.ObjectOf(id)
	ast.Inspect(decl, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Rhs) != 1 {
			return true
		}
		declares := slices.ContainsFunc(a.Lhs, func(left ast.Expr) bool {
			id, ok := left.(*ast.Ident)
			return ok && info.Defs[id] != nil && info.Defs[id] == g.variable
		})
		key := keyVariable(info, a.Rhs[0])
		if declares && key != "" {
			g.key = key
			g.read = a.Rhs[0].(*ast.CallExpr)
			g.decl = a
		}
		return true
	})
	if g.key == "" {
		return nil
	}
	return g
}

var (
	keyInText         = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*_(KEY|TOKEN)\b`)
	mentionsRecording = regexp.MustCompile(`(?i)record|cassette|fixture`)
)

// gateOfMessage returns the gate whose message names a key, such as "OPENAI_API_KEY not set",
// whatever the condition is. It returns nil if the test can run without the key, from a file or a
// recording.
func gateOfMessage(info *types.Info, stmt *ast.IfStmt) *gate {
	if looksForFile(info, stmt) {
		return nil
	}
	for _, s := range stmt.Body.List {
		e, ok := s.(*ast.ExprStmt)
		if !ok || testOfCall(info, e.X, "Skip", "Skipf") == nil {
			continue
		}
		for _, arg := range e.X.(*ast.CallExpr).Args {
			v := info.Types[arg].Value
			if v == nil || v.Kind() != constant.String {
				continue
			}
			text := constant.StringVal(v)
			key := keyInText.FindString(text)
			if key != "" && !mentionsRecording.MatchString(text) {
				return &gate{stmt: stmt, key: key, mayAskMore: true}
			}
		}
	}
	return nil
}

// looksForFile reports whether a condition, or the statement before it, looks for a file.
func looksForFile(info *types.Info, stmt *ast.IfStmt) (looks bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			fn, ok := info.Uses[id].(*types.Func)
			if ok && slices.Contains(fileChecks, fn.FullName()) {
				looks = true
			}
		}
		return n != ast.Node(stmt.Body)
	})
	return looks
}

// fileChecks are the functions that look for a file.
var fileChecks = []string{"os.Stat", "os.Lstat", "os.IsNotExist", "io/fs.Stat"}

// edits returns the edits that remove the gate, if there is a recorder.
func (g *gate) edits(pass *analysis.Pass, c inspector.Cursor) []analysis.TextEdit {
	_, isInBlock := c.Parent().Node().(*ast.BlockStmt)
	onlySkips := g.stmt.Else == nil && len(g.stmt.Body.List) == 1
	if !isInBlock || !onlySkips || g.mayAskMore {
		return nil
	}
	at := g.stmt.Pos()
	if g.decl != nil {
		at = g.decl.Pos()
	}
	rec := recorderIn(pass, enclosingFile(c), at)
	if rec == "" {
		return nil
	}
	removal := remove(pass, g.stmt)
	if g.decl == nil || g.decl == g.stmt.Init {
		return []analysis.TextEdit{removal}
	}
	if len(g.decl.Lhs) != 1 {
		return nil
	}
	uses := 0
	for _, obj := range pass.TypesInfo.Uses {
		if obj == g.variable {
			uses++
		}
	}
	if uses == 1 { // only the condition
		return []analysis.TextEdit{remove(pass, g.decl), removal}
	}
	text, ok := secretCall(pass.TypesInfo, g.read, rec)
	if !ok {
		return nil
	}
	return []analysis.TextEdit{replace(g.read, text), removal}
}
