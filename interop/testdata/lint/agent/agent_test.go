package agent

import (
	"os/exec"
	"testing"

	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echotest"
)

func TestAsk(t *testing.T) {
	Ask(t.Context(), "?") // want `Ask starts a program \(claude, agent.go:14\), so this test runs the real one: let Ask take the command, and pass echoexec.Command\(rec, "claude", cmd\) here; until then, write echoexec.OnPath\(t, rec, "claude", "claude"\) \(childprocess\)`
}

func TestTwice(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		Twice(t.Context(), "?") // want `Twice starts a program \(claude, agent.go:14\)`
	})
}

func TestConnect(t *testing.T) {
	Connect(t.Context(), nil) // want `Connect starts a program \(npx @modelcontextprotocol/server-git@2025.1.0, agent.go:30\), .* echoexec.OnPath\(t, rec, "server-git", "npx"\)`
}

// What follows starts no real program, or leaves the choice to the test.

func TestGiven(t *testing.T) {
	Run(exec.Command("true"))
	RunProgram("testdata/fake")
	RunKind(t.Context(), "none")
	Default(exec.Command("true"))
	IsInstalled()
	Run(Command())
}

func TestOnPath(t *testing.T) {
	echoexec.OnPath(t, echotest.New(t), "claude", "claude")
	Ask(t.Context(), "?")
}

func TestSetenv(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	Ask(t.Context(), "?")
}

func fakeClaude(t testing.TB) { t.Setenv("PATH", "testdata") }

func TestFake(t *testing.T) {
	fakeClaude(t)
	Ask(t.Context(), "?")
}

func ExampleAsk() {
	Ask(nil, "?")
}
