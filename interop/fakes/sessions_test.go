package fakes

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/realtime"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
)

// A script answers the requests of one WebSocket of the Responses API in order, in the process and through Serve.
func TestScriptAnswersOverWebSocket(t *testing.T) {
	for _, through := range []string{"Client", "Serve"} {
		t.Run(through, func(t *testing.T) {
			p := echofake.New(t, echofake.Text("Good morning."), echofake.Text("Good night."))
			opts := []option.RequestOption{option.WithAPIKey("k"), option.WithHTTPClient(p.Client())}
			if through == "Serve" {
				base := echotest.Serve(t, p).URL("https://api.openai.com/v1")
				opts = []option.RequestOption{option.WithAPIKey("k"), option.WithBaseURL(base)}
			}
			client := openai.NewClient(opts...)
			conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{"Good morning.", "Good night."} {
				err := conn.Create(t.Context(), responses.ResponsesClientEventResponseCreateParam{
					Model: "gpt-5.4-mini",
					Input: responses.ResponsesClientEventResponseCreateInputUnionParam{OfString: openai.String("Hello.")},
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := textOver(t, conn); got != want {
					t.Errorf("answer %d: got %q, want %q", i+1, got, want)
				}
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			for _, r := range p.Requests() {
				if r.Last().Text != "Hello." || r.Model != "gpt-5.4-mini" || r.Endpoint != "openai.responses" {
					t.Errorf("the request was read as %+v", r)
				}
			}
		})
	}
}

// textOver returns the text of an answer over a WebSocket.
func textOver(t *testing.T, conn interface {
	Recv(context.Context) (responses.ResponsesServerEventUnion, error)
}) (text string) {
	t.Helper()
	for {
		e, err := conn.Recv(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "response.output_text.delta":
			text += e.OfResponsesServerEventResponseTextWsDelta.Delta
		case "response.completed":
			return text
		case "error":
			t.Fatal(e.RawJSON())
		}
	}
}

// A script answers a conversation of the Realtime API with a tool call and a text.
func TestScriptAnswersOverRealtime(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.ToolCall("get_weather", `{"city":"Oslo"}`),
		echofake.Text("It snows."),
	)
	client := openai.NewClient(option.WithAPIKey("k"), option.WithHTTPClient(p.Client()))
	conn, err := client.Realtime.Connect(t.Context(), realtime.RealtimeConnectionOptions{},
		option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		t.Fatal(err)
	}
	send := func(e realtime.RealtimeClientEventUnionParam) {
		if err := conn.Send(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	send(realtime.RealtimeClientEventUnionParam{OfSessionUpdate: &realtime.SessionUpdateEventParam{
		Session: realtime.SessionUpdateEventSessionUnionParam{OfRealtime: &realtime.RealtimeSessionCreateRequestParam{
			Instructions:     openai.String("Be kind."),
			OutputModalities: []string{"text"},
			Tools: realtime.RealtimeToolsConfigParam{{OfFunction: &realtime.RealtimeFunctionToolParam{
				Type: "function",
				Name: openai.String("get_weather"),
			}}},
		}},
	}})
	respond := func() realtime.RealtimeResponse {
		send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{}})
		for {
			e, err := conn.Recv(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == "response.done" {
				return e.OfResponseDoneEvent.Response
			}
		}
	}
	add := func(item realtime.ConversationItemUnionParam) {
		send(realtime.RealtimeClientEventUnionParam{
			OfConversationItemCreate: &realtime.ConversationItemCreateEventParam{Item: item},
		})
	}
	add(realtime.ConversationItemParamOfRealtimeUserMessageItem([]realtime.RealtimeConversationItemUserMessageContentParam{
		{Type: "input_text", Text: openai.String("How is the weather in Oslo?")},
	}))
	call := respond().Output[0].OfRealtimeConversationItemFunctionCall
	if call.Name != "get_weather" || call.Arguments != `{"city":"Oslo"}` {
		t.Errorf("got %s", call.RawJSON())
	}
	add(realtime.ConversationItemParamOfFunctionCallOutput(call.CallID, "snow"))
	if got := respond().Output[0].RawJSON(); !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	r := p.Requests()[1]
	if result, ok := r.Result("get_weather"); !ok || result.Text != "snow" || r.System != "Be kind." {
		t.Errorf("the request was read as %+v", r)
	}
}

// Tools of a test answer a client of MCP by their names.
func TestToolsAnswerMCP(t *testing.T) {
	t.Parallel()
	p := echofake.New(t)
	p.HandleTool("weather", func(args json.RawMessage) (any, error) {
		return map[string]any{"asked": args}, nil
	})
	p.HandleTool("fail", func(json.RawMessage) (any, error) { return nil, errors.New("disk full") })

	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   "https://tools.example/mcp",
		HTTPClient: p.Client(),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "weather", Arguments: map[string]any{"city": "Oslo"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Content[0].(*mcp.TextContent).Text; text != `{"asked":{"city":"Oslo"}}` {
		t.Errorf("got %s", text)
	}
	got, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail"})
	if err != nil || !got.IsError {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
