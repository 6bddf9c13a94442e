package suite

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// protocol is the newest version of MCP that has a handshake. With newer ones, the SDK asks first
// whether the server knows them, and goes on if that fails.
const protocol = "2025-11-25"

// callTool calls the tool "weather" of an MCP server.
func callTool(ctx context.Context, transport mcp.Transport) (*mcp.CallToolResult, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "traveller", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return nil, err
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name:      "weather",
		Arguments: map[string]any{"city": "Oslo"},
	})
	return result, errors.Join(err, session.Close())
}

// textOfResult returns the text of the result of a tool, which may have no content.
func textOfResult(result *mcp.CallToolResult) (text string) {
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return text
}

// remote returns a connection to an MCP server over HTTP, whose tool has a result.
func remote(t *testing.T, result any) mcp.Transport {
	t.Helper()
	p := echofake.New(t)
	p.HandleTool("weather", func(json.RawMessage) (any, error) { return result, nil })
	rec := echotest.New(t, setup.Provider(p))
	return &mcp.StreamableClientTransport{
		Endpoint:             "https://tools.example/mcp",
		HTTPClient:           rec.Client(),
		DisableStandaloneSSE: true,
		MaxRetries:           -1,
	}
}

func TestRemoteTool(t *testing.T) {
	t.Parallel()
	result, err := callTool(t.Context(), remote(t, "It snows in Oslo."))
	if err != nil {
		t.Fatal(err)
	}
	if got := textOfResult(result); result.IsError || got != "It snows in Oslo." {
		t.Errorf("got %q, error: %v", got, result.IsError)
	}
}

func TestRemoteToolOneField(t *testing.T) {
	t.Parallel()
	result, err := callTool(t.Context(), remote(t, map[string]any{"city": "Oslo", "celsius": -3}))
	if err != nil {
		t.Fatal(err)
	}
	fields, _ := result.StructuredContent.(map[string]any)
	if result.IsError || fields["celsius"] != -3.0 {
		t.Errorf("got %v, error: %v", fields, result.IsError)
	}
}

func TestRemoteToolAnswers(t *testing.T) {
	t.Parallel()
	_, err := callTool(t.Context(), remote(t, "It snows in Oslo."))
	if err != nil {
		t.Error(err)
	}
}

// serverName is the name of the MCP server that the tests start.
const serverName = "weather-server"

// serveWeather is the MCP server, which runs only while its tests are recorded.
func serveWeather() {
	type input struct {
		City string `json:"city"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "weather", Description: "Tells the weather."},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			content := &mcp.TextContent{Text: "It snows in " + in.City + "."}
			return &mcp.CallToolResult{Content: []mcp.Content{content}}, nil, nil
		})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // until the client closes its input
}

// local returns a connection to an MCP server that runs as a child process.
func local(t *testing.T) mcp.Transport {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), serverName)
	err = os.Symlink(binary, program)
	if err != nil {
		t.Fatal(err)
	}
	cmd := echoexec.Command(echotest.New(t), "weather", exec.Command(program))
	return &mcp.CommandTransport{Command: cmd}
}

func TestLocalTool(t *testing.T) {
	t.Parallel()
	result, err := callTool(t.Context(), local(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := textOfResult(result); result.IsError || got != "It snows in Oslo." {
		t.Errorf("got %q, error: %v", got, result.IsError)
	}
}

func TestLocalToolAnswers(t *testing.T) {
	t.Parallel()
	_, err := callTool(t.Context(), local(t))
	if err != nil {
		t.Error(err)
	}
}
