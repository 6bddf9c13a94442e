package decode

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/realtime"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// vectors returns a recorder with the answer to a request for an embedding.
func vectors(t *testing.T) *promptecho.Recorder {
	t.Helper()
	return setup.Recorder(t, echofake.Embedding([]float32{0.75, 0.5, 0.25}))
}

func TestFunction(t *testing.T) {
	t.Parallel()
	type flight struct {
		Number string
		Price  int
		Stops  []string
	}
	find := promptecho.Wrap(echotest.New(t), "tool/find_flight", func(context.Context, string) (flight, error) {
		return flight{Number: "PE 79", Price: 120, Stops: []string{"Bern"}}, nil
	})
	_, err := find(t.Context(), "Oslo")
	if err != nil {
		t.Fatal(err)
	}
}

func TestResponsesOverWebSocket(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(recorder(t, 1))
	conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Create(t.Context(), responses.ResponsesClientEventResponseCreateParam{
		Model: model,
		Input: responses.ResponsesClientEventResponseCreateInputUnionParam{OfString: openai.String(forText)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for {
		event, err := conn.Recv(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch event.Type {
		case "response.completed", "response.incomplete":
			return
		case "response.failed", "error":
			t.Fatal(event.RawJSON())
		}
	}
}

func TestRealtime(t *testing.T) {
	t.Parallel()
	client := setup.OpenAI(recorder(t, 1))
	conn, err := client.Realtime.Connect(t.Context(), realtime.RealtimeConnectionOptions{},
		option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, e := range []realtime.RealtimeClientEventUnionParam{
		{OfSessionUpdate: &realtime.SessionUpdateEventParam{
			Session: realtime.SessionUpdateEventSessionUnionParam{
				OfRealtime: &realtime.RealtimeSessionCreateRequestParam{OutputModalities: []string{"text"}},
			},
		}},
		{OfConversationItemCreate: &realtime.ConversationItemCreateEventParam{
			Item: realtime.ConversationItemParamOfRealtimeUserMessageItem(
				[]realtime.RealtimeConversationItemUserMessageContentParam{
					{Type: "input_text", Text: openai.String(forText)},
				}),
		}},
		{OfResponseCreate: &realtime.ResponseCreateEventParam{}},
	} {
		err := conn.Send(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
	}
	for {
		event, err := conn.Recv(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch event.Type {
		case "response.done":
			return
		case "error":
			t.Fatal(event.RawJSON())
		}
	}
}

// callTool calls the tool "weather" of an MCP server.
func callTool(ctx context.Context, transport mcp.Transport) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "traveller", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	_, err = session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "weather", Arguments: map[string]any{"city": "Oslo"}})
	return errors.Join(err, session.Close())
}

func TestRemoteTool(t *testing.T) {
	t.Parallel()
	p := echofake.New(t)
	p.HandleTool("weather", func(json.RawMessage) (any, error) {
		return map[string]any{"city": "Oslo", "celsius": -3}, nil
	})
	err := callTool(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:             "https://tools.example/mcp",
		HTTPClient:           echotest.New(t, setup.Provider(p)).Client(),
		DisableStandaloneSSE: true,
		MaxRetries:           -1,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// serverName is the name of the MCP server that a test starts.
const serverName = "weather-server"

// serveWeather is the MCP server, which runs only while its test is recorded.
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

func TestLocalTool(t *testing.T) {
	t.Parallel()
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
	err = callTool(t.Context(), &mcp.CommandTransport{Command: cmd})
	if err != nil {
		t.Fatal(err)
	}
}
