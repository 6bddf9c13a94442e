package fakewires

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	mcpgo "github.com/mark3labs/mcp-go/client"
	mcpgotransport "github.com/mark3labs/mcp-go/client/transport"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	openaisocket "github.com/openai/openai-go/v3/packages/websocket"
	"github.com/openai/openai-go/v3/realtime"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A socketAnswer is one turn of a script.
type socketAnswer struct {
	reply   fakeprovider.Reply
	problem *fakeprovider.Problem
	end     *fakeprovider.Ending
}

// A socketFake answers WebSockets with its turns in order, in the process and over
// connections.
type socketFake struct {
	sockets fakeprovider.Sockets
	state   fakeprovider.State

	mu       sync.Mutex
	n        int
	turns    []socketAnswer
	last     socketAnswer
	sessions int
}

// newSocketFake returns a provider that ends with the test.
func newSocketFake(t *testing.T, turns ...socketAnswer) *socketFake {
	f := &socketFake{turns: turns}
	t.Cleanup(f.sockets.Close)
	return f
}

// socketText returns a turn with a text.
func socketText(text string) socketAnswer {
	return socketAnswer{reply: fakeprovider.Reply{Text: text}}
}

func (f *socketFake) session(h *fakeprovider.Handshake) *fakeprovider.Session {
	f.mu.Lock()
	f.sessions++
	f.mu.Unlock()
	return h.Session(fakeprovider.Script{
		Number: func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.n++
			return f.n
		},
		Turn: func(*fakeprovider.Request) (fakeprovider.Reply, *fakeprovider.Problem) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.last = socketAnswer{problem: &fakeprovider.Problem{Status: 500, Message: "no turn is left"}}
			if len(f.turns) > 0 {
				f.last = f.turns[0]
				f.turns = f.turns[1:]
			}
			return f.last.reply, f.last.problem
		},
		End: func(*fakeprovider.Request) *fakeprovider.Ending {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.last.end
		},
	})
}

func (f *socketFake) RoundTrip(r *http.Request) (*http.Response, error) {
	h := fakeprovider.ReadHandshake(r, &f.state)
	if h == nil {
		return nil, errors.New("the request opens no WebSocket")
	}
	if h.Problem != nil {
		refused := h.Refuse(1, *h.Problem)
		body := io.NopCloser(bytes.NewReader(refused.Body))
		return &http.Response{StatusCode: refused.Status, Header: refused.Header, Body: body, Request: r}, nil
	}
	return f.sockets.Connect(h, f.session(h)), nil
}

func (f *socketFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := fakeprovider.ReadHandshake(r, &f.state)
	if h == nil || h.Problem != nil {
		http.Error(w, "no WebSocket", http.StatusBadRequest)
		return
	}
	_ = f.sockets.Serve(w, h, f.session(h))
}

// socketWays calls test with a client in the process and with one of a server.
func socketWays(t *testing.T, turns []socketAnswer, test func(*testing.T, openai.Client)) {
	t.Run("in the process", func(t *testing.T) {
		fake := newSocketFake(t, turns...)
		test(t, openai.NewClient(
			option.WithHTTPClient(&http.Client{Transport: fake}),
			option.WithBaseURL("https://api.openai.com/v1"),
			option.WithAPIKey("sk-test"),
		))
	})
	t.Run("over a connection", func(t *testing.T) {
		server := httptest.NewServer(newSocketFake(t, turns...))
		t.Cleanup(server.Close)
		test(t, openai.NewClient(option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("sk-test")))
	})
}

// A socketReceiver is a connection of the Responses API or one of its lanes.
type socketReceiver interface {
	Recv(context.Context) (responses.ResponsesServerEventUnion, error)
}

// socketReceive returns the texts of the deltas of an answer, and the last event.
func socketReceive(t *testing.T, from socketReceiver) (text string, last responses.ResponsesServerEventUnion) {
	t.Helper()
	for {
		e, err := from.Recv(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "response.output_text.delta":
			text += e.OfResponsesServerEventResponseTextWsDelta.Delta
		case "response.completed", "response.incomplete", "error":
			return text, e
		}
	}
}

// socketCreate returns a message that asks for a response.
func socketCreate(input, previous string) responses.ResponsesClientEventResponseCreateParam {
	e := responses.ResponsesClientEventResponseCreateParam{
		Model: "gpt-5.4-mini",
		Input: responses.ResponsesClientEventResponseCreateInputUnionParam{OfString: openai.String(input)},
	}
	if previous != "" {
		e.PreviousResponseID = openai.String(previous)
	}
	return e
}

// openai-go gets texts, tool calls and errors of a script over one WebSocket of the
// Responses API.
func TestSocketResponses(t *testing.T) {
	turns := []socketAnswer{
		socketText("Good morning."),
		{reply: fakeprovider.Reply{Calls: []fakeprovider.Call{{Name: "get_weather", Args: `{"city":"Oslo"}`}}}},
		{problem: &fakeprovider.Problem{Status: 429, Kind: "requests", Code: "rate_limit_exceeded", Message: "Slow down."}},
		socketText("Good night."),
	}
	socketWays(t, turns, func(t *testing.T, client openai.Client) {
		conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}()
		ask := func(input, previous string) (string, responses.ResponsesServerEventUnion) {
			t.Helper()
			if err := conn.Create(t.Context(), socketCreate(input, previous)); err != nil {
				t.Fatal(err)
			}
			return socketReceive(t, conn)
		}

		text, last := ask("Hello.", "")
		first := last.OfResponsesServerEventResponseWsCompleted.Response
		if text != "Good morning." || first.OutputText() != text || first.Usage.OutputTokens == 0 {
			t.Errorf("%q, %s", text, last.RawJSON())
		}
		_, last = ask("How is the weather?", first.ID)
		call := last.OfResponsesServerEventResponseWsCompleted.Response.Output[0].AsFunctionCall()
		if call.Name != "get_weather" || call.Arguments != `{"city":"Oslo"}` || call.CallID == "" {
			t.Errorf("%s", last.RawJSON())
		}
		_, last = ask("Again.", "")
		wsError := last.OfResponsesServerEventResponseWsError
		if wsError.Status != 429 || wsError.Error.Code != "rate_limit_exceeded" || wsError.Error.Message != "Slow down." {
			t.Errorf("%s", last.RawJSON())
		}
		if _, last := ask("x", "resp_of_nobody"); !strings.Contains(last.RawJSON(), "previous_response_not_found") {
			t.Errorf("%s", last.RawJSON())
		}
		if text, _ := ask("Bye.", first.ID); text != "Good night." {
			t.Errorf("%q", text)
		}
	})
}

// Lanes of openai-go each get the answer to their own request.
func TestSocketLanes(t *testing.T) {
	socketWays(t, []socketAnswer{socketText("One."), socketText("Two.")}, func(t *testing.T, client openai.Client) {
		conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		lanes := map[string]socketReceiver{}
		for _, name := range []string{"a", "b"} {
			lane, err := conn.Lane(name)
			if err != nil {
				t.Fatal(err)
			}
			lanes[name] = lane
			e := socketCreate("Hello.", "")
			e.StreamID = openai.String(name)
			if err := conn.Create(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		for name, want := range map[string]string{"a": "One.", "b": "Two."} {
			if text, _ := socketReceive(t, lanes[name]); text != want {
				t.Errorf("lane %s: %q", name, text)
			}
		}
	})
}

// openai-go recovers a WebSocket that the script breaks in the middle of an answer.
func TestSocketRecovers(t *testing.T) {
	broken := socketText("Good morning.")
	broken.end = &fakeprovider.Ending{After: 5}
	socketWays(t, []socketAnswer{broken, socketText("Good night.")}, func(t *testing.T, client openai.Client) {
		conn, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(ctx context.Context, c *responses.ResponseConnection) error {
			return c.Create(ctx, socketCreate("Hello.", ""))
		}
		if err := ask(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		events := 0
		for err == nil {
			_, err = conn.Recv(t.Context())
			events++
		}
		if events != 6 {
			t.Errorf("%d events before %v", events-1, err)
		}
		conn, err = conn.Recover(t.Context(), responses.ResponseRecoveryOptions{Restore: ask})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if text, _ := socketReceive(t, conn); text != "Good night." {
			t.Errorf("%q", text)
		}
	})
}

// A handshake that the provider refuses fails in openai-go with its status.
func TestSocketRefused(t *testing.T) {
	client := openai.NewClient(
		option.WithHTTPClient(&http.Client{Transport: newSocketFake(t)}),
		option.WithAPIKey("sk-test"),
	)
	_, err := client.Realtime.Connect(t.Context(), realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "no-such-model"))
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}
}

// A socketTalk is a conversation over the Realtime API.
type socketTalk struct {
	t    *testing.T
	conn *realtime.RealtimeConnection
}

func (c socketTalk) send(e realtime.RealtimeClientEventUnionParam) {
	c.t.Helper()
	if err := c.conn.Send(c.t.Context(), e); err != nil {
		c.t.Fatal(err)
	}
}

// until returns the events up to the first of a type.
func (c socketTalk) until(kind string) (events []realtime.RealtimeServerEventUnion) {
	c.t.Helper()
	for {
		e, err := c.conn.Recv(c.t.Context())
		if err != nil {
			c.t.Fatal(err)
		}
		events = append(events, e)
		if e.Type == kind {
			return events
		}
	}
}

func (c socketTalk) add(item realtime.ConversationItemUnionParam) {
	c.t.Helper()
	c.send(realtime.RealtimeClientEventUnionParam{
		OfConversationItemCreate: &realtime.ConversationItemCreateEventParam{Item: item},
	})
	c.until("conversation.item.done")
}

func (c socketTalk) respond() (events []realtime.RealtimeServerEventUnion) {
	c.t.Helper()
	c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{}})
	return c.until("response.done")
}

// openai-go has a conversation of text, tools and audio over the Realtime API.
func TestSocketRealtime(t *testing.T) {
	sound := bytes.Repeat([]byte("sound "), 1000)
	turns := []socketAnswer{
		{reply: fakeprovider.Reply{Calls: []fakeprovider.Call{{ID: "call_1", Name: "get_weather", Args: `{"city":"Oslo"}`}}}},
		socketText("It snows."),
		{reply: fakeprovider.Reply{Text: "Good night.", Media: &fakeprovider.Media{Type: "audio/pcm", Data: sound}}},
	}
	socketWays(t, turns, func(t *testing.T, client openai.Client) {
		conn, err := client.Realtime.Connect(t.Context(), realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}()
		c := socketTalk{t, conn}
		created := c.until("session.created")[0].OfSessionCreatedEvent
		if got := created.Session.OfRealtimeSessionCreateRequest.Model; got != "gpt-realtime" {
			t.Errorf("model %q: %s", got, created.RawJSON())
		}
		c.send(realtime.RealtimeClientEventUnionParam{OfSessionUpdate: &realtime.SessionUpdateEventParam{
			Session: realtime.SessionUpdateEventSessionUnionParam{OfRealtime: &realtime.RealtimeSessionCreateRequestParam{
				Instructions:     openai.String("Be kind."),
				OutputModalities: []string{"text"},
			}},
		}})
		updated := c.until("session.updated")[0].OfSessionUpdatedEvent
		if got := updated.Session.OfRealtimeSessionCreateRequest.Instructions; got != "Be kind." {
			t.Errorf("instructions %q", got)
		}

		c.add(realtime.ConversationItemParamOfRealtimeUserMessageItem([]realtime.RealtimeConversationItemUserMessageContentParam{{
			Type: "input_text", Text: openai.String("How is the weather in Oslo?"),
		}}))
		events := c.respond()
		done := events[len(events)-1].OfResponseDoneEvent.Response
		call := done.Output[0].OfRealtimeConversationItemFunctionCall
		if done.Status != "completed" || call.Name != "get_weather" || call.CallID != "call_1" || call.Arguments != `{"city":"Oslo"}` {
			t.Errorf("%s", done.RawJSON())
		}

		c.add(realtime.ConversationItemParamOfFunctionCallOutput(call.CallID, "snow"))
		text := ""
		for _, e := range c.respond() {
			text += e.OfResponseTextDeltaEvent.Delta
		}
		if text != "It snows." {
			t.Errorf("%q", text)
		}

		c.send(realtime.RealtimeClientEventUnionParam{OfInputAudioBufferAppend: &realtime.InputAudioBufferAppendEventParam{
			Audio: base64.StdEncoding.EncodeToString(sound),
		}})
		c.send(realtime.RealtimeClientEventUnionParam{OfInputAudioBufferCommit: &realtime.InputAudioBufferCommitEventParam{}})
		c.until("input_audio_buffer.committed")
		c.until("conversation.item.done")
		c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{
			Response: realtime.RealtimeResponseCreateParams{OutputModalities: []string{"audio"}},
		}})
		transcript := ""
		var heard []byte
		for _, e := range c.until("response.done") {
			transcript += e.OfResponseAudioTranscriptDeltaEvent.Delta
			piece, err := base64.StdEncoding.DecodeString(e.OfResponseAudioDeltaEvent.Delta)
			if err != nil {
				t.Error(err)
			}
			heard = append(heard, piece...)
		}
		if transcript != "Good night." || !bytes.Equal(heard, sound) {
			t.Errorf("%q and %d bytes", transcript, len(heard))
		}

		c.send(realtime.RealtimeClientEventUnionParam{OfResponseCancel: &realtime.ResponseCancelEventParam{
			EventID: openai.String("cancel_1"),
		}})
		failed := c.until("error")[0].OfRealtimeErrorEvent.Error
		if failed.Code != "response_cancel_not_active" || failed.EventID != "cancel_1" {
			t.Errorf("%s", failed.RawJSON())
		}
	})
}

// openai-go opens a Realtime session again that the script breaks.
func TestSocketRealtimeReconnects(t *testing.T) {
	broken := socketText("Good morning.")
	broken.end = &fakeprovider.Ending{After: 3}
	socketWays(t, []socketAnswer{broken, socketText("Good night.")}, func(t *testing.T, client openai.Client) {
		isBack := make(chan bool, 1)
		conn, err := client.Realtime.Connect(t.Context(), realtime.RealtimeConnectionOptions{},
			option.WithQuery("model", "gpt-realtime"),
			option.WithWebSocketRecovery(openaisocket.RecoveryOptions{
				Enabled: true, InitialDelay: time.Millisecond, OnReconnected: func() { isBack <- true },
			}))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		c := socketTalk{t, conn}
		c.until("session.created")
		c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{}})
		c.until("response.created")
		c.until("session.created") // of the second connection, which Recv opens
		<-isBack
		text := ""
		for _, e := range c.respond() {
			text += e.OfResponseAudioTranscriptDeltaEvent.Delta
		}
		if text != "Good night." {
			t.Errorf("%q", text)
		}
	})
}

// gorilla/websocket, which dials by itself, talks to a server of the fake.
func TestSocketGorilla(t *testing.T) {
	server := httptest.NewServer(newSocketFake(t, socketText("Good morning.")))
	defer server.Close()
	address := strings.Replace(server.URL, "http", "ws", 1) + "/v1/realtime?model=gpt-realtime"
	header := http.Header{"Authorization": {"Bearer sk-test"}, "OpenAI-Beta": {"realtime=v1"}}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), address, header)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.WriteJSON(map[string]string{"type": "response.create"}); err != nil {
		t.Fatal(err)
	}
	text := ""
	for {
		var e struct{ Type, Delta string }
		if err := conn.ReadJSON(&e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "response.audio_transcript.delta" {
			text += e.Delta
		}
		if e.Type == "response.done" {
			break
		}
	}
	if text != "Good morning." {
		t.Errorf("%q", text)
	}
	closing := websocket.FormatCloseMessage(4000, "done")
	if err := conn.WriteMessage(websocket.CloseMessage, closing); err != nil {
		t.Fatal(err)
	}
	_, _, err = conn.ReadMessage()
	if !websocket.IsCloseError(err, 4000) {
		t.Errorf("%v", err)
	}
}

// mcpFake serves tools in the process.
type mcpFake struct{ fakeprovider.MCP }

func (f *mcpFake) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = data
	}
	if !f.Owns(r) {
		return nil, errors.New("not a request to the server: " + r.URL.String())
	}
	answer := f.Answer(r, body)
	return &http.Response{
		StatusCode: answer.Status,
		Header:     answer.Header,
		Body:       io.NopCloser(bytes.NewReader(answer.Body)),
		Request:    r,
	}, nil
}

func newMCPFake() *mcpFake {
	f := &mcpFake{}
	f.Add("weather", fakeprovider.Tool{
		Description: "says how the weather is",
		Input:       json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`),
		Call: func(args json.RawMessage) fakeprovider.ToolResult {
			return fakeprovider.ToolResult{Text: "snow", Structured: args}
		},
	})
	f.Add("fail", fakeprovider.Tool{Call: func(json.RawMessage) fakeprovider.ToolResult {
		return fakeprovider.ToolResult{Text: "disk full", IsError: true}
	}})
	return f
}

// The Go SDK of MCP lists and calls tools of a script, and sees their errors.
func TestMCPGoSDK(t *testing.T) {
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   "http://tools.test/mcp",
		HTTPClient: &http.Client{Transport: newMCPFake()},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools.Tools) != 2 || tools.Tools[0].Name != "fail" || tools.Tools[1].Description != "says how the weather is" {
		t.Errorf("%+v", tools.Tools)
	}
	if err := session.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}

	call := func(name string) (*mcp.CallToolResult, error) {
		return session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"city": "Oslo"}})
	}
	result, err := call("weather")
	if err != nil {
		t.Fatal(err)
	}
	structured, _ := result.StructuredContent.(map[string]any)
	if result.IsError || result.Content[0].(*mcp.TextContent).Text != "snow" || structured["city"] != "Oslo" {
		t.Errorf("%+v", result)
	}
	result, err = call("fail")
	if err != nil || !result.IsError || result.Content[0].(*mcp.TextContent).Text != "disk full" {
		t.Errorf("%+v, %v", result, err)
	}
	_, err = call("none")
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != -32602 {
		t.Errorf("%v", err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// mark3labs/mcp-go lists and calls tools of a script, and sees their errors.
func TestMCPMark3labs(t *testing.T) {
	client, err := mcpgo.NewStreamableHttpClient("http://tools.test/mcp",
		mcpgotransport.WithHTTPBasicClient(&http.Client{Transport: newMCPFake()}))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	initialize := mcpgotypes.InitializeRequest{}
	initialize.Params.ProtocolVersion = mcpgotypes.LATEST_PROTOCOL_VERSION
	initialize.Params.ClientInfo = mcpgotypes.Implementation{Name: "agent", Version: "1"}
	if _, err := client.Initialize(t.Context(), initialize); err != nil {
		t.Fatal(err)
	}
	tools, err := client.ListTools(t.Context(), mcpgotypes.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tools.Tools) != 2 || tools.Tools[0].Name != "fail" {
		t.Errorf("%+v", tools.Tools)
	}
	//lint:ignore SA1019 programs that use it are answered, too
	if err := client.Ping(t.Context()); err != nil {
		t.Error(err)
	}

	call := func(name string) (*mcpgotypes.CallToolResult, error) {
		request := mcpgotypes.CallToolRequest{}
		request.Params.Name = name
		request.Params.Arguments = map[string]any{"city": "Oslo"}
		return client.CallTool(t.Context(), request)
	}
	result, err := call("weather")
	if err != nil {
		t.Fatal(err)
	}
	if result.IsError || result.Content[0].(mcpgotypes.TextContent).Text != "snow" || result.StructuredContent == nil {
		t.Errorf("%+v", result)
	}
	result, err = call("fail")
	if err != nil || !result.IsError {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := call("none"); err == nil || !strings.Contains(err.Error(), "Unknown tool: none") {
		t.Errorf("%v", err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}
