package recipes

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/coder/acp-go-sdk"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// programs are fakes of what the recipes start, by name. No model answers them.
var programs = map[string]func(args []string){
	"weather-server": serveWeather,
	"claude":         runClaude,
	"codex":          runCodex,
	"gemini":         runGemini,
	"spellcheck":     checkSpelling,
}

// serveWeather is an MCP server.
func serveWeather([]string) {
	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	type input struct {
		City string `json:"city"`
	}
	tool := &mcp.Tool{Name: "get_weather", Description: "Tells the weather of a city."}
	mcp.AddTool(server, tool,
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			content := &mcp.TextContent{Text: "sunny in " + in.City}
			return &mcp.CallToolResult{Content: []mcp.Content{content}}, nil, nil
		})
	err := server.Run(context.Background(), &mcp.StdioTransport{})
	if err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(1)
	}
}

// An object is a value of JSON.
type object = map[string]any

// printLine prints a value of JSON in a line.
func printLine(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

// runClaude answers a prompt as Claude Code does, and writes a file if it is asked for notes.
func runClaude(args []string) {
	prompt := args[1] // after -p
	session := uuid.NewString()
	printLine(object{"type": "system", "subtype": "init", "session_id": session, "model": "claude-sonnet-4-5"})
	if strings.Contains(prompt, "notes") {
		err := os.WriteFile("NOTES.md", []byte("# Notes\n"), 0o644)
		if err != nil {
			panic(err)
		}
	}
	content := object{"type": "text", "text": "Done: " + prompt}
	printLine(object{"type": "assistant", "session_id": session, "message": object{"role": "assistant", "content": []any{content}}})
	printLine(object{
		"type": "result", "subtype": "success", "is_error": false, "result": "Done: " + prompt,
		"session_id": session, "num_turns": 1, "total_cost_usd": 0.0104,
	})
}

// runCodex is "codex exec --json" and "codex app-server".
func runCodex(args []string) {
	if args[0] == "app-server" {
		serveCodex()
		return
	}
	printLine(object{"type": "thread.started", "thread_id": uuid.NewString()})
	printLine(object{"type": "turn.started"})
	item := object{"id": "item_0", "type": "agent_message", "text": "Done: " + args[len(args)-1]}
	printLine(object{"type": "item.completed", "item": item})
	usage := object{"input_tokens": 24763, "cached_input_tokens": 24448, "output_tokens": 122}
	printLine(object{"type": "turn.completed", "usage": usage})
}

func serveCodex() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r struct {
			ID     any
			Method string
			Params struct{ ThreadID string }
		}
		err := json.Unmarshal(lines.Bytes(), &r)
		if err != nil {
			panic(err)
		}
		switch r.Method {
		case "initialize":
			printLine(object{"id": r.ID, "result": object{"userAgent": "codex_cli_rs/0.100.0"}})
		case "thread/start":
			printLine(object{"id": r.ID, "result": object{"thread": object{"id": uuid.NewString()}}})
		case "turn/start":
			turn := object{"id": uuid.NewString(), "status": "inProgress"}
			printLine(object{"id": r.ID, "result": object{"turn": turn}})
			delta := object{"threadId": r.Params.ThreadID, "delta": "There are two files."}
			printLine(object{"method": "item/agentMessage/delta", "params": delta})
			done := object{"threadId": r.Params.ThreadID, "turn": object{"id": turn["id"], "status": "completed"}}
			printLine(object{"method": "turn/completed", "params": done})
		}
	}
}

// A gemini is an agent that speaks ACP. It asks whether it may write a file, and has its client
// write it.
type gemini struct {
	acp.Agent // what the agent does not support
	conn      *acp.AgentSideConnection
	folder    string
}

func runGemini([]string) {
	g := &gemini{}
	g.conn = acp.NewAgentSideConnection(g, os.Stdout, os.Stdin)
	g.conn.SetLogger(slog.New(slog.DiscardHandler))
	<-g.conn.Done()
}

func (g *gemini) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (g *gemini) NewSession(_ context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	g.folder = r.Cwd
	return acp.NewSessionResponse{SessionId: acp.SessionId("sess_" + rand.Text())}, nil
}

func (g *gemini) Prompt(ctx context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	path := filepath.Join(g.folder, "NOTES.md")
	answer, err := g.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: r.SessionId,
		ToolCall:  acp.ToolCallUpdate{ToolCallId: "call_1", Title: acp.Ptr("Write NOTES.md")},
		Options:   []acp.PermissionOption{{Kind: acp.PermissionOptionKindAllowOnce, Name: "Allow", OptionId: "allow"}},
	})
	if err != nil || answer.Outcome.Selected == nil {
		return acp.PromptResponse{StopReason: acp.StopReasonRefusal}, err
	}
	_, err = g.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: r.SessionId, Path: path, Content: "# Notes\n"})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	update := acp.SessionNotification{SessionId: r.SessionId, Update: acp.UpdateAgentMessageText("The notes are written.")}
	err = g.conn.SessionUpdate(ctx, update)
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, err
}

// checkSpelling reads texts, one JSON value a line, and prints a verdict for each.
func checkSpelling([]string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var in struct{ Text string }
		err := json.Unmarshal(lines.Bytes(), &in)
		if err != nil {
			panic(err)
		}
		printLine(object{"mistakes": strings.Count(in.Text, "teh")})
	}
}
