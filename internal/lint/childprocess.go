package lint

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// echoexec is our package for child processes.
const echoexec = library + "/echoexec"

// ChildProcess finds agents and MCP servers that a test starts without a recorder.
var ChildProcess = &analysis.Analyzer{
	Name:      "childprocess",
	Doc:       "find agents and MCP servers without a recorder",
	URL:       "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#childprocess",
	Requires:  []*analysis.Analyzer{inspect.Analyzer},
	FactTypes: []analysis.Fact{new(childBehavior)},
	Run: func(pass *analysis.Pass) (any, error) {
		if OfSDK(pass.Pkg.Path()) {
			return nil, nil
		}
		f := findStarts(pass)
		for _, s := range f.starts {
			decl := enclosingFunc(s.cursor)
			if isInTestFile(pass.Fset, s.call.Pos()) && f.isReal(pass, s.cursor, decl) {
				reportStart(pass, s)
			}
		}
		for c := range callsIn(pass) {
			decl := enclosingFunc(c)
			if isInTestFile(pass.Fset, c.Node().Pos()) && f.isReal(pass, c, decl) {
				f.reportReached(pass, c)
			}
		}
		return nil, nil
	},
}

// childBehavior is a fact about a function: what it does with child processes, itself or by the
// functions that it calls. Calls through interfaces and variables do not count.
type childBehavior struct {
	Starts  string // the title of a program that it starts, and where: "claude, agent.go:12"
	Program string // the name of the program in PATH
	Session string // the name that a recording of it could have
	Fakes   bool   // it puts other programs in the place of those in PATH
}

func (*childBehavior) AFact() {}

func (b *childBehavior) String() string {
	return fmt.Sprintf("starts %q, fakes %v", b.Starts, b.Fakes)
}

// packageStarts is what a package does with child processes.
type packageStarts struct {
	starts []*start
	funcs  map[*types.Func]*childFunc
	other  map[*types.Func]childBehavior // of functions of other packages that are called here

	// allFaked says that TestMain or an init function fakes the programs of all tests.
	allFaked bool
}

// A childFunc is what a function of the package does with child processes.
type childFunc struct {
	decl     *ast.FuncDecl
	behavior childBehavior
	calls    []childCall
}

// A childCall is a call of a function.
type childCall struct {
	fn            *types.Func
	isConditional bool
}

func findStarts(pass *analysis.Pass) *packageStarts {
	f := &packageStarts{
		funcs: map[*types.Func]*childFunc{},
		other: map[*types.Func]childBehavior{},
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
				f.funcs[fn] = &childFunc{decl: decl}
			}
		}
	}
	for c := range callsIn(pass) {
		decl := enclosingFunc(c)
		if decl == nil {
			continue
		}
		fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
		if info := f.funcs[fn]; info != nil {
			f.addCall(pass, info, c)
		}
	}
	f.propagate(pass)
	return f
}

// addCall adds what a call in a function does.
func (f *packageStarts) addCall(pass *analysis.Pass, info *childFunc, c inspector.Cursor) {
	call := c.Node().(*ast.CallExpr)
	if s := startOf(&origins{info: pass.TypesInfo, body: info.decl}, c); s != nil {
		f.starts = append(f.starts, s)
		p := pass.Fset.Position(s.call.Pos())
		info.behavior.Starts = fmt.Sprintf("%s, %s:%d", s.title(), filepath.Base(p.Filename), p.Line)
		info.behavior.Program = s.name
		info.behavior.Session = s.sessionName()
	}
	if fakesPrograms(pass.TypesInfo, call) {
		info.behavior.Fakes = true
	}
	fn := callee(pass.TypesInfo, call)
	if fn == nil {
		return
	}
	fn = fn.Origin()
	info.calls = append(info.calls, childCall{fn: fn, isConditional: isConditional(c)})
	var b childBehavior
	if fn.Pkg() != pass.Pkg && pass.ImportObjectFact(fn, &b) {
		f.other[fn] = b
	}
}

// fakesPrograms reports whether a call puts other programs in the place of those that are looked
// up in PATH.
func fakesPrograms(info *types.Info, call *ast.CallExpr) bool {
	if isCall(info, call, echoexec, "OnPath") {
		return true
	}
	fn := callee(info, call)
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && fn == nil {
		fn, _ = info.Uses[sel.Sel].(*types.Func) // of testing.TB
	}
	if fn == nil || fn.Name() != "Setenv" || len(call.Args) != 2 {
		return false
	}
	name, isConstant := constantText(info, call.Args[0])
	return isConstant && strings.EqualFold(name, "PATH")
}

// propagate adds to each function what the functions that it calls do, and exports the facts.
func (f *packageStarts) propagate(pass *analysis.Pass) {
	for changed := true; changed; {
		changed = false
		for _, info := range f.funcs {
			for _, call := range info.calls {
				if info.add(f.behaviorOf(call.fn), call.isConditional) {
					changed = true
				}
			}
		}
	}
	for fn, info := range f.funcs {
		if info.behavior != (childBehavior{}) {
			pass.ExportObjectFact(fn, &info.behavior)
		}
		if info.behavior.Fakes && (fn.Name() == "TestMain" || fn.Name() == "init") {
			f.allFaked = true
		}
	}
}

// add adds what a called function does, and reports whether that changed anything.
func (info *childFunc) add(called childBehavior, isConditional bool) (changed bool) {
	if called.Starts != "" && info.behavior.Starts == "" && !isConditional {
		fakes := info.behavior.Fakes
		info.behavior = called
		info.behavior.Fakes = fakes
		changed = true
	}
	if called.Fakes && !info.behavior.Fakes {
		info.behavior.Fakes = true
		changed = true
	}
	return changed
}

// behaviorOf returns what a function does that is in the package or called by it.
func (f *packageStarts) behaviorOf(fn *types.Func) childBehavior {
	if own := f.funcs[fn.Origin()]; own != nil {
		return own.behavior
	}
	return f.other[fn.Origin()]
}

// isReal reports whether code of a test runs, and starts the programs that are installed.
func (f *packageStarts) isReal(pass *analysis.Pass, c inspector.Cursor, decl *ast.FuncDecl) bool {
	if decl == nil || f.allFaked || isCompiledOnly(enclosingFile(c), decl) {
		return false
	}
	fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if f.behaviorOf(fn).Fakes {
		return false
	}
	callers := 0
	faking := 0 // callers that fake programs
	for _, other := range f.funcs {
		for _, call := range other.calls {
			if call.fn != fn {
				continue
			}
			callers++
			if other.behavior.Fakes {
				faking++
			}
		}
	}
	return callers == 0 || faking < callers
}

// reportStart reports a start in a test file.
func reportStart(pass *analysis.Pass, s *start) {
	name := s.sessionName()
	how := fmt.Sprintf("start the command that echoexec.Command(rec, %q, cmd) returns", name)
	if s.command != nil {
		how = fmt.Sprintf("pass echoexec.Path(t, rec, %q, %q) as the command", name, s.name)
	}
	report(pass, s.call, "give "+s.name+" a recorder", startEdits(pass, s),
		"%s is started without a recorder, so this test runs the real program: %s, and %s",
		s.title(), howToMakeRecorder(pass, s.cursor), how)
}

// startEdits returns the edits that put a stand-in in the place of a program; nil if the change
// needs a human.
func startEdits(pass *analysis.Pass, s *start) []analysis.TextEdit {
	t, _ := enclosingTest(pass, s.cursor)
	rec, edits, ok := ensureRecorder(pass, s.cursor)
	if t == nil || !ok || s.isChanged {
		return nil
	}
	pkg, more, ok := importEdits(pass, enclosingFile(s.cursor), s.call.Pos(), echoexec)
	if !ok {
		return nil
	}
	edits = append(edits, more...)
	name := strconv.Quote(s.sessionName())
	if s.command != nil {
		isShadowed := objectAt(pass, enclosingFile(s.cursor), s.call.Pos(), t.Name) !=
			pass.TypesInfo.Defs[t]
		if isShadowed {
			return nil
		}
		path := fmt.Sprintf("%s.Path(%s, %s, %s, %q)", pkg, t.Name, rec, name, s.name)
		return append(edits, replace(s.command, path))
	}
	return append(edits,
		insert(s.call.Pos(), fmt.Sprintf("%s.Command(%s, %s, ", pkg, rec, name)),
		insert(s.call.End(), ")"))
}

// reportReached reports a call of a function that starts a program.
func (f *packageStarts) reportReached(pass *analysis.Pass, c inspector.Cursor) {
	call := c.Node().(*ast.CallExpr)
	fn := callee(pass.TypesInfo, call)
	isOfTest := fn == nil || fn.Pos().IsValid() && isInTestFile(pass.Fset, fn.Pos())
	if isOfTest || isConditional(c) {
		return
	}
	b := f.behaviorOf(fn)
	if b.Starts == "" {
		return
	}
	report(pass, call, "", nil, "%s starts a program (%s), so this test runs the real one: "+
		"let %s take the command, and pass echoexec.Command(rec, %q, cmd) here; "+
		"until then, write echoexec.OnPath(t, rec, %[4]q, %[5]q)",
		types.ExprString(call.Fun), b.Starts, fn.Name(), b.Session, b.Program)
}
