package lint

import (
	"go/ast"
	"go/constant"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A program is what a command starts, as far as the constants of the code show it.
type program struct {
	name string   // as it is looked up in PATH
	args []string // the arguments that are constants
	all  bool     // all arguments are constants
}

// An agent is a program that asks a model and can be driven over its standard input and output.
type agent struct {
	name string

	// marks are arguments that tell the agent from another program of the same name. Without
	// marks, the name is enough.
	marks []string
}

// agents are the agents that docs/LINT.md names.
var agents = []agent{
	{name: "aider"},
	{name: "amp", marks: []string{"-x", "--execute", "--stream-json"}},
	{name: "claude"},
	{name: "codex"},
	// AWS Copilot has the same name.
	{name: "copilot", marks: []string{"-p", "--prompt", "--acp", "--headless", "--server"}},
	{name: "cursor-agent"},
	{name: "gemini"},
	// The tool for migrations of databases has the same name.
	{name: "goose", marks: []string{"run", "acp", "session", "mcp"}},
	{name: "opencode"},
	{name: "qwen"},
}

// runners start a program of a package registry, which is their first argument that is no flag.
var runners = []string{"npx", "bunx", "uvx", "pnpx"}

// agentPackage matches packages that are MCP servers, adapters of agents for ACP, or agents. The
// inspector of MCP is none.
var agentPackage = regexp.MustCompile(`^@modelcontextprotocol/server-|` +
	`(^|[/_-])(mcp|acp)([_@-]|$)|` +
	`^@anthropic-ai/claude-code|^@openai/codex|^@google/gemini-cli|^@qwen-code/qwen-code`)

// launchers start a server that one of their arguments names: an image, or a module.
var launchers = []string{"docker", "podman", "python", "python3", "uv"}

var (
	// serverName matches the names of programs and packages that are MCP servers, if a transport
	// of MCP starts them. Tests of transports start echo, sleep and sh, too.
	serverName = regexp.MustCompile(`(?i)mcp|server`)

	// launchedServer matches what a launcher starts: mcp/git, mcp_server_time. A file is the
	// program's own server.
	launchedServer = regexp.MustCompile(`(?i)^([^./-].*[/_-])?mcp([/_-][^.]*)?$`)
)

// questionsAboutProgram are arguments that ask a program about itself.
var questionsAboutProgram = []string{
	"-h", "--help", "help", "-v", "-V", "--version", "version",
}

// programOf returns the program that a command starts. ok is false if it is not certainly
// looked up in PATH by a constant name: a program that is given by other code, or that has a
// path, may be a fake of the test. With spread, the last argument is a slice of arguments.
func programOf(v *origins, name ast.Expr, args []ast.Expr, spread bool) (p program, ok bool) {
	p.name, ok = v.nameInPath(name)
	if !ok || p.name == "go" {
		return p, false
	}
	p.all = true
	if spread {
		last := len(args) - 1
		elems, isList := v.list(args[last])
		args = append(slices.Clone(args[:last]), elems...)
		p.all = isList
	}
	for _, arg := range args {
		text, isConstant := constantText(v.info, arg)
		if isConstant {
			p.args = append(p.args, text)
		} else {
			p.all = false
		}
	}
	return p, true
}

// list returns the elements of a slice that is written where it is used, or where its variable is
// set.
func (v *origins) list(e ast.Expr) (elems []ast.Expr, ok bool) {
	lit, ok := v.single(e).(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	return lit.Elts, true
}

// nameInPath returns the constant name of a program that is looked up in PATH.
func (v *origins) nameInPath(e ast.Expr) (name string, ok bool) {
	if call, ok := v.single(e).(*ast.CallExpr); ok {
		if !isCall(v.info, call, "os/exec", "LookPath") {
			return "", false
		}
		e = call.Args[0]
	}
	name, ok = constantText(v.info, v.single(e))
	isPath := strings.ContainsAny(name, `/\`)
	if !ok || isPath || name == "" {
		return "", false
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
	return name, true
}

// constantText returns the value of a constant string.
func constantText(info *types.Info, e ast.Expr) (text string, ok bool) {
	value := info.Types[ast.Unparen(e)].Value
	if value == nil || value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(value), true
}

// asksAboutItself reports whether a program is only asked for its version or its help.
func (p program) asksAboutItself() bool {
	if !p.all || len(p.args) == 0 {
		return false
	}
	for _, arg := range p.args {
		if !slices.Contains(questionsAboutProgram, arg) {
			return false
		}
	}
	return true
}

// isAgent reports whether a program is an agent, or a runner that starts an agent or an MCP server.
func (p program) isAgent() bool {
	if slices.Contains(runners, p.name) {
		return agentPackage.MatchString(p.packageName())
	}
	i := slices.IndexFunc(agents, func(a agent) bool { return a.name == p.name })
	if i < 0 {
		return false
	}
	isMark := func(arg string) bool { return slices.Contains(agents[i].marks, arg) }
	return agents[i].marks == nil || slices.ContainsFunc(p.args, isMark)
}

// isServer reports whether a program that a transport of MCP starts is certainly a server that is
// installed.
func (p program) isServer() bool {
	switch {
	case p.isAgent():
		return true
	case slices.Contains(runners, p.name):
		return serverName.MatchString(p.packageName())
	case slices.Contains(launchers, p.name):
		return slices.ContainsFunc(p.args, launchedServer.MatchString)
	}
	return serverName.MatchString(p.name)
}

// packageName returns the package that a runner starts, or "".
func (p program) packageName() string {
	for _, arg := range p.args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

// title returns the words that tell a reader which program it is.
func (p program) title() string {
	if pkg := p.packageName(); pkg != "" && slices.Contains(runners, p.name) {
		return p.name + " " + pkg
	}
	return p.name
}

// sessionName returns the name that a recording of the program could have: of
// "npx -y @modelcontextprotocol/server-git@1", it is server-git.
func (p program) sessionName() string {
	name := p.name
	if pkg := p.packageName(); pkg != "" && slices.Contains(runners, p.name) {
		name = path.Base(pkg)
	}
	name, _, _ = strings.Cut(name, "@") // the version
	return notInSessionName.ReplaceAllString(name, "-")
}

// notInSessionName matches what the name of a recorded program may not have.
var notInSessionName = regexp.MustCompile(`[^A-Za-z0-9._-]`)
