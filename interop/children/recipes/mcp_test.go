package recipes

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mark3 "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echotest"
)

// forecast asks an MCP server for the weather.
func forecast(ctx context.Context, session *mcp.ClientSession, city string) (string, error) {
	arguments := map[string]any{"city": city}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get_weather", Arguments: arguments})
	if err != nil {
		return "", err
	}
	if len(result.Content) == 0 {
		return "", errors.New("get_weather has no result")
	}
	return result.Content[0].(*mcp.TextContent).Text, nil
}

// A client of the official SDK that starts an MCP server replays without it.
func TestForecast(t *testing.T) {
	rec := echotest.New(t)
	cmd := echoexec.Command(rec, "weather", exec.Command("weather-server", "--units", "metric"))
	planner := mcp.NewClient(&mcp.Implementation{Name: "planner", Version: "1"}, nil)
	session, err := planner.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := forecast(t.Context(), session, "Rome"); err != nil || got != "sunny in Rome" {
		t.Errorf("%q, %v", got, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// A client of the official SDK that takes a reader and a writer replays without a process.
func TestForecastWithoutProcess(t *testing.T) {
	rec := echotest.New(t)
	p, err := echoexec.Start(rec, "weather", exec.Command("weather-server"))
	if err != nil {
		t.Fatal(err)
	}
	planner := mcp.NewClient(&mcp.Implementation{Name: "planner", Version: "1"}, nil)
	session, err := planner.Connect(t.Context(), &mcp.IOTransport{Reader: p, Writer: p}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := forecast(t.Context(), session, "Rome"); err != nil || got != "sunny in Rome" {
		t.Errorf("%q, %v", got, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// callWeather opens a session of mark3labs/mcp-go, and calls its tool.
func callWeather(ctx context.Context, c *client.Client) (string, error) {
	_, err := c.Initialize(ctx, mark3.InitializeRequest{})
	if err != nil {
		return "", err
	}
	call := mark3.CallToolRequest{}
	call.Params.Name = "get_weather"
	call.Params.Arguments = map[string]any{"city": "Rome"}
	result, err := c.CallTool(ctx, call)
	if err != nil {
		return "", err
	}
	if len(result.Content) == 0 {
		return "", errors.New("get_weather has no result")
	}
	return result.Content[0].(mark3.TextContent).Text, nil
}

// A client of mark3labs/mcp-go that starts an MCP server by its path replays without it.
func TestForecastOfMark3(t *testing.T) {
	rec := echotest.New(t)
	server := echoexec.Path(t, rec, "weather", "weather-server")
	c, err := client.NewStdioMCPClient(server, nil, "--units", "metric")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := callWeather(t.Context(), c); err != nil || got != "sunny in Rome" {
		t.Errorf("%q, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A client of mark3labs/mcp-go that takes a reader and a writer replays without a process.
func TestForecastOfMark3WithoutProcess(t *testing.T) {
	rec := echotest.New(t)
	p, err := echoexec.Start(rec, "weather", exec.Command("weather-server"))
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(transport.NewIO(p.Stdout, p.Stdin, p.Stderr))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := callWeather(t.Context(), c); err != nil || got != "sunny in Rome" {
		t.Errorf("%q, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
