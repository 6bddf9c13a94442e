package lint

import (
	"go/ast"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// Volatile finds values in prompts that differ from run to run, so that no recording matches.
var Volatile = &analysis.Analyzer{
	Name:     "volatile",
	Doc:      "find times, random ids and paths of this machine in prompts",
	URL:      "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#volatile",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		seen := map[ast.Node]bool{}
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.CallExpr)(nil), (*ast.KeyValueExpr)(nil)) {
			for _, prompt := range promptValues(pass.TypesInfo, c) {
				v := &origins{info: pass.TypesInfo}
				if decl := enclosingFunc(c); decl != nil {
					v.body = decl
				}
				for _, call := range v.volatileCalls(prompt) {
					if seen[call] {
						continue
					}
					seen[call] = true
					report(pass, call, "take it from the recorder", recorderEdit(pass, c, call),
						"%s", volatileMessage(pass.TypesInfo, call))
				}
			}
		}
		return nil, nil
	},
}

// Names of functions of SDKs whose arguments are prompts, and of fields that are.
var (
	promptFunction = regexp.MustCompile(`(Message|Text|TextBlock|TextPart|TextParts|` +
		`SinglePrompt|FromText|ContentPart)$`)
	promptField = regexp.MustCompile(`^(Content|Contents|MultiContent|Text|Prompt|Input|System|` +
		`SystemInstruction|Instructions|Value|Message|Messages|Preamble|Parts)$`)
)

// promptValues returns the values that a call or a field puts into a prompt.
func promptValues(info *types.Info, c inspector.Cursor) []ast.Expr {
	switch n := c.Node().(type) {
	case *ast.CallExpr:
		fn := callee(info, n)
		isOfSDK := fn != nil && fn.Pkg() != nil && OfSDK(fn.Pkg().Path())
		if isOfSDK && promptFunction.MatchString(fn.Name()) {
			return n.Args
		}
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		if !ok || !promptField.MatchString(key.Name) {
			return nil
		}
		f, ok := info.Uses[key].(*types.Var)
		isField := ok && f.IsField() && f.Pkg() != nil
		if isField && OfSDK(f.Pkg().Path()) {
			return []ast.Expr{n.Value}
		}
	}
	return nil
}

// volatileCalls returns the calls in the texts of a prompt whose results differ from run to run.
// For a variable that is set once, it looks at the value.
func (v *origins) volatileCalls(e ast.Expr) (found []*ast.CallExpr) {
	var look func(e ast.Node, text bool)
	look = func(e ast.Node, text bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok || n == e {
				return true
			}
			look(x, text || isText(v.info.TypeOf(x)))
			return false
		})
		switch n := e.(type) {
		case *ast.CallExpr:
			if text && isVolatile(v.info, n) {
				found = append(found, n)
			}
		case *ast.Ident:
			if l, ok := v.local(n); ok && len(l.values) == 1 && isText(v.info.TypeOf(n)) {
				call, isCall := l.values[0].(*ast.CallExpr)
				if isCall && (isText(v.info.TypeOf(call)) || isOfMachine(v.info, call)) {
					look(call, true)
				}
			}
		}
	}
	look(e, isText(v.info.TypeOf(e)))
	return found
}

func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isOfMachine reports whether the result of a call is a path or a name of this machine.
func isOfMachine(info *types.Info, call *ast.CallExpr) bool {
	if isCall(info, call, "os", machineFunctions...) || isCall(info, call, "os/user", "Current") {
		return true
	}
	fn, ok := typeutil.Callee(info, call).(*types.Func) // of testing.T, B, F and TB
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == "testing" && fn.Name() == "TempDir"
}

// machineFunctions are the functions of package os that return a path or a name of this machine.
var machineFunctions = []string{
	"UserHomeDir", "UserCacheDir", "UserConfigDir", "TempDir", "MkdirTemp", "Getwd", "Hostname",
	"Executable",
}

// changingFunctions are the functions whose results differ from call to call, by package.
var changingFunctions = map[string][]string{
	"time":                   {"Now", "Since", "Until"},
	"github.com/google/uuid": {"New", "NewString", "NewRandom", "NewUUID", "NewV6", "NewV7"},
	"github.com/rs/xid":      {"New"},
	"github.com/oklog/ulid":  {"Make"},
	"math/rand": {
		"Int", "Intn", "Int31", "Int31n", "Int63", "Int63n", "IntN", "N", "Uint32", "Uint64",
		"Float32", "Float64",
	},
	"crypto/rand": {"Text"},
}

// isVolatile reports whether the result of a call differs from run to run or from machine to
// machine.
func isVolatile(info *types.Info, call *ast.CallExpr) bool {
	if isOfMachine(info, call) {
		return true
	}
	for path, names := range changingFunctions {
		if isCall(info, call, path, names...) {
			return true
		}
	}
	return false
}

// volatileMessage says what is wrong with a volatile value, and what to write.
func volatileMessage(info *types.Info, call *ast.CallExpr) string {
	name := types.ExprString(call.Fun)
	if isCall(info, call, "time", "Now", "Since", "Until") {
		return name + " is in the prompt, so tomorrow no recording matches: pass the code a func() " +
			"time.Time, which is rec.Now in tests"
	}
	if isOfMachine(info, call) {
		return name + " is in the prompt, so no recording matches on another machine: add " +
			"promptecho.MaskTempDirs() to the recorder for a path, or take a name from rec.Env"
	}
	return name + " is in the prompt, so no recording matches: pass " +
		"the code a source of randomness, which is rec.Rand(\"ids\") in tests"
}

// recorderEdit returns the edit that takes a value from the recorder, if there is one.
func recorderEdit(pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr) []analysis.TextEdit {
	rec := recorderIn(pass, enclosingFile(c), call.Pos())
	switch {
	case rec == "":
	case isCall(pass.TypesInfo, call, "time", "Now"):
		return []analysis.TextEdit{replace(call, rec+".Now()")}
	case isCall(pass.TypesInfo, call, "github.com/google/uuid", "New", "NewString"):
		pkg := types.ExprString(call.Fun.(*ast.SelectorExpr).X)
		text := pkg + `.Must(` + pkg + `.NewRandomFromReader(` + rec + `.Rand("ids")))`
		if isCall(pass.TypesInfo, call, "github.com/google/uuid", "NewString") {
			text += ".String()"
		}
		return []analysis.TextEdit{replace(call, text)}
	}
	return nil
}
