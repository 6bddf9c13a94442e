package interop

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

// The first example of docs/AGENTS.md. Its cassette was recorded against the stand-in.

type planner struct {
	model   openai.Client
	weather *mcp.ClientSession
	book    func(ctx context.Context, b table) (string, error)
	now     func() time.Time
	ids     io.Reader
}

type table struct {
	ID    string `json:"id"`
	Place string `json:"place"`
}

func (p planner) plan(ctx context.Context, city string) (string, error) {
	arguments := map[string]any{"city": city}
	weather, err := p.weather.CallTool(ctx, &mcp.CallToolParams{Name: "get_weather", Arguments: arguments})
	if err != nil {
		return "", err
	}
	if len(weather.Content) == 0 {
		return "", errors.New("get_weather has no result")
	}
	forecast := weather.Content[0].(*mcp.TextContent).Text
	question := "It is " + p.now().Format(time.DateOnly) + ", " + forecast + ". Where do we eat in " + city + "?"
	answer, err := p.model.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    openai.ChatModelGPT5_4Mini,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	})
	if err != nil {
		return "", err
	}
	id, err := uuid.NewRandomFromReader(p.ids)
	if err != nil {
		return "", err
	}
	return p.book(ctx, table{ID: id.String(), Place: answer.Choices[0].Message.Content})
}

// An agent with a model, a tool, an MCP server, a clock and random ids replays without any of them.
func TestPlanner(t *testing.T) {
	rec := echotest.New(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "planner", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: weatherServer(t, rec), HTTPClient: rec.Client()}
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := planner{
		model:   openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("OPENAI_API_KEY"))),
		weather: session,
		book:    promptecho.Wrap(rec, "tool/book", book),
		now:     rec.Now,
		ids:     rec.Rand("bookings"),
	}
	booked, err := p.plan(t.Context(), "Rome")
	if err != nil || !strings.HasPrefix(booked, "booked: ") {
		t.Errorf("%q, %v", booked, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// book stands for a tool with an effect.
func book(_ context.Context, b table) (string, error) { return "booked: " + b.Place, nil }

// weatherServer returns the address of an MCP server. A run that records starts it.
func weatherServer(t *testing.T, rec *promptecho.Recorder) string {
	if !rec.Online() {
		return "http://localhost/mcp"
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "get_weather"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		City string `json:"city"`
	}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny in " + in.City}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Promptecho-Provider", "stand-in")
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}
