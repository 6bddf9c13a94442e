package lint

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

const (
	ofMark3Client    = "github.com/mark3labs/mcp-go/client"
	ofMark3Transport = ofMark3Client + "/transport"
)

// StartsPrograms reports whether a package has functions that start programs of which the rules
// know.
func StartsPrograms(path string) bool {
	return slices.Contains([]string{"os/exec", ofMark3Client, ofMark3Transport}, path)
}

// A start is a place that starts a program.
type start struct {
	program
	call   *ast.CallExpr // makes the command, or a client of the MCP server
	cursor inspector.Cursor

	// command is the argument with the name of the program, if a function makes a client of it.
	command ast.Expr

	// isChanged says that the environment or the directory of the command is set after it was
	// made. A stand-in must be made after that.
	isChanged bool
}

// startOf returns the start that a call is, or nil.
func startOf(v *origins, c inspector.Cursor) *start {
	call := c.Node().(*ast.CallExpr)
	if isConditional(c) || len(call.Args) == 0 {
		return nil
	}
	switch {
	case isCall(v.info, call, "os/exec", "Command"):
		return startOfCommand(v, c, call.Args)
	case isCall(v.info, call, "os/exec", "CommandContext") && len(call.Args) > 1:
		return startOfCommand(v, c, call.Args[1:])
	case isCall(v.info, call, ofMark3Client, "NewStdioMCPClient"),
		isCall(v.info, call, ofMark3Transport, "NewStdio"):
		args := call.Args[min(2, len(call.Args)):]
		return startOfClient(v, c, args, call.Ellipsis.IsValid())
	case isCall(v.info, call, ofMark3Client, "NewStdioMCPClientWithOptions"),
		isCall(v.info, call, ofMark3Transport, "NewStdioWithOptions"):
		if !keepsCommand(v, call) {
			return nil
		}
		return startOfClient(v, c, call.Args[2:3], true)
	}
	return nil
}

// startOfCommand returns the start of a command of os/exec, or nil if this function does not
// certainly start it.
func startOfCommand(v *origins, c inspector.Cursor, words []ast.Expr) *start {
	call := c.Node().(*ast.CallExpr)
	p, ok := programOf(v, words[0], words[1:], call.Ellipsis.IsValid())
	u := useOfCommand(v.info, c)
	if !ok || u.elsewhere {
		return nil
	}
	isServer := u.inTransport && p.isServer()
	isAgent := u.started && p.isAgent() && !p.asksAboutItself()
	if !isServer && !isAgent {
		return nil
	}
	return &start{program: p, call: call, cursor: c, isChanged: u.changed}
}

// startOfClient returns the start of an MCP server by a function that makes a client of it.
func startOfClient(v *origins, c inspector.Cursor, args []ast.Expr, spread bool) *start {
	call := c.Node().(*ast.CallExpr)
	p, ok := programOf(v, call.Args[0], args, spread)
	if !ok || !p.isServer() {
		return nil
	}
	return &start{program: p, call: call, cursor: c, command: call.Args[0]}
}

// otherOptions are the options of mark3labs' transports that do not change the command.
var otherOptions = []string{"WithCommandLogger", "WithCommandStderrWriter"}

// keepsCommand reports whether no option of a client puts another command in the place of the
// one that is named.
func keepsCommand(v *origins, call *ast.CallExpr) bool {
	if call.Ellipsis.IsValid() || len(call.Args) < 3 {
		return false
	}
	for _, option := range call.Args[3:] {
		isOther := isCall(v.info, v.single(option), ofMark3Transport, otherOptions...)
		if !isOther {
			return false
		}
	}
	return true
}

// isConditional reports whether code runs only in some cases. Such a case may be one that no
// test has, as recording with rec.Online.
func isConditional(c inspector.Cursor) bool {
	at := c.Node().Pos()
	isIn := func(n ast.Node) bool { return n.Pos() <= at && at < n.End() }
	kinds := []ast.Node{(*ast.IfStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil)}
	for e := range c.Enclosing(kinds...) {
		branch, isIf := e.Node().(*ast.IfStmt)
		if !isIf || isIn(branch.Body) {
			return true
		}
		if branch.Else != nil && isIn(branch.Else) {
			return true
		}
	}
	return false
}

// A commandUse is what a function does with a command.
type commandUse struct {
	started     bool // it calls Start, Run or another method that starts the program
	inTransport bool // it is the command of an mcp.CommandTransport that is used
	changed     bool // it sets the environment or the directory of the command
	elsewhere   bool // other code gets the command, or it starts another program now
}

// useOfCommand returns the use of the command that a call makes.
func useOfCommand(info *types.Info, c inspector.Cursor) (u commandUse) {
	obj := variableOf(info, c)
	if obj == nil {
		u.addUse(info, c)
		return u
	}
	if obj.Parent() == obj.Pkg().Scope() {
		return commandUse{elsewhere: true}
	}
	for id := range c.Inspector().Root().Preorder((*ast.Ident)(nil)) {
		if info.Uses[id.Node().(*ast.Ident)] == obj {
			u.addUse(info, id)
		}
	}
	return u
}

// variableOf returns the variable that is set to the result of a call, or nil.
func variableOf(info *types.Info, c inspector.Cursor) types.Object {
	switch n := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if id, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 {
			return info.ObjectOf(id)
		}
	case *ast.ValueSpec:
		if len(n.Names) == 1 {
			return info.ObjectOf(n.Names[0])
		}
	}
	return nil
}

// startMethods are the methods of exec.Cmd that start the program.
var startMethods = []string{"Start", "Run", "Output", "CombinedOutput"}

// addUse adds the use of a command at one place.
func (u *commandUse) addUse(info *types.Info, c inspector.Cursor) {
	parent := c.Parent()
	switch parent.Node().(type) {
	case *ast.SelectorExpr:
		u.addSelection(info, parent)
	case *ast.KeyValueExpr:
		literal := parent.Parent()
		if isType(info.TypeOf(literal.Node().(ast.Expr)), ofMCP, "CommandTransport") {
			u.inTransport = u.inTransport || isUsed(info, literal, enclosingFunc(c))
			return
		}
		u.elsewhere = true
	case *ast.BinaryExpr: // a comparison
	default:
		u.elsewhere = true
	}
}

// addSelection adds the use of a method or a field of a command.
func (u *commandUse) addSelection(info *types.Info, c inspector.Cursor) {
	sel := c.Node().(*ast.SelectorExpr)
	if _, isField := info.Uses[sel.Sel].(*types.Var); !isField {
		u.started = u.started || slices.Contains(startMethods, sel.Sel.Name)
		return
	}
	a, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || !slices.Contains(a.Lhs, ast.Expr(sel)) {
		return
	}
	switch sel.Sel.Name {
	case "Path", "Args":
		u.elsewhere = true
	case "Env", "Dir":
		u.changed = true
	}
}
