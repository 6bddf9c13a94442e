package children

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/testdata/lint/agent"
)

func TestCommandTransport(t *testing.T) {
	c := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("weather-server", "-v")}, nil) // want `weather-server is started without a recorder, so this test runs the real program: write rec := echotest.New\(t\), and start the command that echoexec.Command\(rec, "weather-server", cmd\) returns \(childprocess\)`
	cmd := exec.CommandContext(t.Context(), "uvx", "mcp-server-time")                                 // want `uvx mcp-server-time is started .* echoexec.Command\(rec, "mcp-server-time", cmd\)`
	cmd.Env = os.Environ()
	transport := &mcp.CommandTransport{Command: cmd}
	c.Connect(t.Context(), transport, nil)
}

func TestMark3(t *testing.T) {
	c, err := client.NewStdioMCPClient("npx", nil, "-y", "@modelcontextprotocol/server-everything") // want `npx @modelcontextprotocol/server-everything is started .* write rec := echotest.New\(t\), and pass echoexec.Path\(t, rec, "server-everything", "npx"\) as the command`
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d, _ := client.NewStdioMCPClientWithOptions("weather-server", nil, nil, transport.WithCommandLogger(nil)) // want `weather-server is started`
	defer d.Close()
	client.NewClient(transport.NewStdio("weather-server", nil)).Start(t.Context())                            // want `weather-server is started`
	client.NewClient(transport.NewStdioWithOptions("weather-server", nil, []string{"-v"})).Start(t.Context()) // want `weather-server is started`
}

func TestAgents(t *testing.T) {
	exec.Command("claude", "-p", "?").Run()                            // want `claude is started`
	exec.Command("codex", "exec", "--json", "?").Output()              // want `codex is started`
	exec.Command("gemini", "--experimental-acp").Start()               // want `gemini is started`
	exec.Command("cursor-agent", "-p", "?").CombinedOutput()           // want `cursor-agent is started`
	exec.Command("opencode", "run", "?").Run()                         // want `opencode is started`
	exec.Command("goose", "run", "-t", "?").Run()                      // want `goose is started`
	exec.Command("aider", "--message", "?").Run()                      // want `aider is started`
	exec.Command("copilot", "-p", "?").Run()                           // want `copilot is started`
	exec.Command("qwen", "-p", "?").Run()                              // want `qwen is started`
	exec.Command("amp", "-x", "?").Run()                               // want `amp is started`
	exec.Command("npx", "-y", "@zed-industries/claude-code-acp").Run() // want `npx @zed-industries/claude-code-acp is started`
	exec.Command("npx", "@anthropic-ai/claude-code", "-p", "?").Run()  // want `npx @anthropic-ai/claude-code is started`
}

func TestVariables(t *testing.T) {
	const name = "claude"
	var cmd = exec.Command(name, "-p", os.Getenv("PROMPT")) // want `claude is started`
	cmd.Dir = t.TempDir()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	path, err := exec.LookPath("codex")
	if err != nil {
		t.Skip(err)
	}
	exec.Command(path, "app-server").Run() // want `codex is started`
}

func start(t *testing.T) {
	exec.Command("claude").Start() // want `claude is started .* write rec := echotest.New\(t\)`
}

func TestOtherPackage(t *testing.T) {
	start(t)
	agent.Ask(t.Context(), "?") // want `agent.Ask starts a program \(claude, agent.go:14\)`
}

// What follows has a recorder, a program of the test, or starts nothing.

func TestRecorded(t *testing.T) {
	rec := echotest.New(t)
	c := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: echoexec.Command(rec, "weather", exec.Command("weather-server"))}, nil)
	cmd := exec.Command("weather-server")
	cmd.Env = os.Environ()
	echoexec.Command(rec, "weather", cmd)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	p, err := echoexec.Start(rec, "weather", exec.Command("weather-server"))
	if err != nil {
		t.Fatal(err)
	}
	c.Connect(t.Context(), &mcp.IOTransport{Reader: p, Writer: p}, nil)
	client.NewStdioMCPClient(echoexec.Path(t, rec, "weather", "npx"), nil, "@modelcontextprotocol/server-git")
	client.NewStdioMCPClientWithOptions("weather-server", nil, nil, transport.WithCommandFunc(
		func(ctx context.Context, command string, env, args []string) (*exec.Cmd, error) {
			return echoexec.Command(rec, "weather", exec.CommandContext(ctx, command, args...)), nil
		}))
	agent := exec.Command("claude", "-p", "?")
	agent = echoexec.Command(rec, "claude", agent)
	agent.Run()
	echoexec.Command(rec, "claude", exec.Command("claude", "-p", "?")).Run()
}

func TestOnPath(t *testing.T) {
	echoexec.OnPath(t, echotest.New(t), "claude", "claude")
	exec.Command("claude", "-p", "?").Run()
	start(t)
}

func TestOfTheTest(t *testing.T) {
	c := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(os.Args[0])}, nil)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("go", "run", "./server")}, nil)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("./server")}, nil)
	exec.Command("testdata/claude", "-p", "?").Run()
	exec.Command(os.Getenv("CLAUDE"), "-p", "?").Run()
	faked := exec.Command("claude", "-p", "?")
	faked.Path = "testdata/claude"
	faked.Run()
}

func TestOtherPrograms(t *testing.T) {
	exec.Command("goose", "up").Run()
	exec.Command("copilot", "svc", "deploy").Run()
	exec.Command("ollama", "run", "llama").Run()
	exec.Command("npx", "prettier", ".").Run()
	exec.Command("npx", "@modelcontextprotocol/inspector").Run()
	exec.Command("git", "status").Run()
	exec.Command("claude", "--version").Run()
	cmd := func(name string, args ...string) *exec.Cmd { return nil }
	cmd("claude", "-p", "?").Run()
}

func TestNotStarted(t *testing.T) {
	cmd := exec.Command("claude", "-p", "?")
	t.Log(cmd.String(), cmd.Args)
	transport := &mcp.CommandTransport{Command: exec.Command("weather-server")}
	t.Log(transport.TerminateDuration)
	if rec := echotest.New(t); rec.Online() {
		exec.Command("claude", "-p", "?").Run()
	}
}
