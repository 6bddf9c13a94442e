// Package agent starts programs in several ways.
package agent

import (
	"context"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Ask starts an agent.
func Ask(ctx context.Context, prompt string) (string, error) {
	out, err := exec.CommandContext(ctx, "claude", "-p", prompt).Output()
	return string(out), err
}

// Twice starts it by another function.
func Twice(ctx context.Context, prompt string) error {
	for range 2 {
		if _, err := Ask(ctx, prompt); err != nil {
			return err
		}
	}
	return nil
}

// Connect starts an MCP server.
func Connect(ctx context.Context, client *mcp.Client) (*mcp.ClientSession, error) {
	cmd := exec.Command("npx", "-y", "@modelcontextprotocol/server-git@2025.1.0")
	cmd.Stderr = os.Stderr
	return client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
}

// Run starts what it is given.
func Run(cmd *exec.Cmd) error { return cmd.Run() }

// RunProgram starts a program that a test can choose.
func RunProgram(name string) error {
	if name == "" {
		name = "claude"
	}
	return exec.Command(name, "-p", "?").Run()
}

// RunKind starts an agent in some cases.
func RunKind(ctx context.Context, kind string) error {
	switch kind {
	case "claude":
		_, err := Ask(ctx, "?")
		return err
	case "codex":
		return exec.Command("codex", "exec", "?").Run()
	}
	return nil
}

// Default starts an agent only if it is given no command.
func Default(cmd *exec.Cmd) error {
	if cmd == nil {
		cmd = exec.Command("claude", "-p", "?")
	}
	return cmd.Run()
}

// IsInstalled asks for a version.
func IsInstalled() bool { return exec.Command("claude", "--version").Run() == nil }

// Command starts nothing.
func Command() *exec.Cmd { return exec.Command("claude", "-p", "?") }
