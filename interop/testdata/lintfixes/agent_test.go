package app

import (
	"os"
	"os/exec"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestServer(t *testing.T) {
	c := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	c.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command("weather-server", "-v")}, nil)
}

func TestServerOfPackage(t *testing.T) {
	t.Run("git", func(t *testing.T) {
		c, err := client.NewStdioMCPClient("npx", nil, "-y", "@modelcontextprotocol/server-git@1")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	})
}

func TestAgent(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "claude", "-p", "?")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}
