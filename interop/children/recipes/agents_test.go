package recipes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echotest"
)

// ask returns the result of "claude -p --output-format stream-json".
func ask(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(out) {
		var message struct{ Type, Result string }
		if err := json.Unmarshal(line, &message); err != nil {
			return "", err
		}
		if message.Type == "result" {
			return message.Result, nil
		}
	}
	return "", errors.New("claude printed no result")
}

// Claude Code answers a prompt, and replays without being installed.
func TestClaude(t *testing.T) {
	rec := echotest.New(t)
	cmd := exec.Command("claude", "-p", "Count the files.", "--output-format", "stream-json", "--verbose")
	answer, err := ask(echoexec.Command(rec, "claude", cmd))
	if err != nil || answer != "Done: Count the files." {
		t.Errorf("%q, %v", answer, err)
	}
}

// countFiles starts Claude Code by itself.
func countFiles(ctx context.Context) (string, error) {
	return ask(exec.CommandContext(ctx, "claude", "-p", "Count the files.", "--output-format", "stream-json", "--verbose"))
}

// Code that looks for claude in PATH finds the stand-in.
func TestCountFiles(t *testing.T) {
	rec := echotest.New(t)
	echoexec.OnPath(t, rec, "claude", "claude")
	answer, err := countFiles(t.Context())
	if err != nil || answer != "Done: Count the files." {
		t.Errorf("%q, %v", answer, err)
	}
}

// The files that Claude Code writes are there in a replay, too.
func TestNotes(t *testing.T) {
	rec := echotest.New(t)
	folder := t.TempDir()
	cmd := exec.Command("claude", "-p", "Write notes.", "--output-format", "stream-json", "--verbose")
	cmd.Dir = folder
	answer, err := ask(echoexec.Command(rec, "claude", cmd, echoexec.Files(folder)))
	if err != nil || answer != "Done: Write notes." {
		t.Fatalf("%q, %v", answer, err)
	}
	notes, err := os.ReadFile(filepath.Join(folder, "NOTES.md"))
	if err != nil || string(notes) != "# Notes\n" {
		t.Errorf("%q, %v", notes, err)
	}
}

// lastMessage returns the answer of "codex exec --json".
func lastMessage(cmd *exec.Cmd) (text string, err error) {
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(out) {
		var event struct {
			Type string
			Item struct{ Type, Text string }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return "", err
		}
		if event.Item.Type == "agent_message" {
			text = event.Item.Text
		}
	}
	return text, nil
}

// Codex answers a prompt, and replays without being installed.
func TestCodex(t *testing.T) {
	rec := echotest.New(t)
	cmd := exec.Command("codex", "exec", "--json", "Count the files.")
	answer, err := lastMessage(echoexec.Command(rec, "codex", cmd))
	if err != nil || answer != "Done: Count the files." {
		t.Errorf("%q, %v", answer, err)
	}
}

// turn has one turn with "codex app-server", and returns the text of the answer.
func turn(server io.ReadWriter, prompt string) (text string, err error) {
	requests := json.NewEncoder(server)
	messages := json.NewDecoder(server)
	params := []any{
		map[string]any{"clientInfo": map[string]any{"name": "test", "version": "1"}},
		map[string]any{},
	}
	var started struct {
		Result struct{ Thread struct{ ID string } }
	}
	for id, method := range []string{"initialize", "thread/start"} {
		err := requests.Encode(map[string]any{"id": id, "method": method, "params": params[id]})
		if err != nil {
			return "", err
		}
		if err := messages.Decode(&started); err != nil {
			return "", err
		}
	}
	input := []any{map[string]any{"type": "text", "text": prompt}}
	start := map[string]any{"threadId": started.Result.Thread.ID, "input": input}
	err = requests.Encode(map[string]any{"id": 2, "method": "turn/start", "params": start})
	for err == nil {
		var message struct {
			Method string
			Params struct{ Delta string }
		}
		err = messages.Decode(&message)
		text += message.Params.Delta
		if message.Method == "turn/completed" {
			return text, nil
		}
	}
	return text, err
}

// A turn with the app-server of Codex replays without a process.
func TestCodexAppServer(t *testing.T) {
	rec := echotest.New(t)
	server, err := echoexec.Start(rec, "codex", exec.Command("codex", "app-server"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	answer, err := turn(server, "Count the files.")
	if err != nil || answer != "There are two files." {
		t.Errorf("%q, %v", answer, err)
	}
}

// An editor is a client of an ACP agent. It allows what the agent asks for, and writes its files.
type editor struct {
	acp.Client // what the editor does not support
	said       string
}

func (e *editor) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	allowed := &acp.RequestPermissionOutcomeSelected{OptionId: r.Options[0].OptionId}
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Selected: allowed}}, nil
}

func (e *editor) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	if chunk := n.Update.AgentMessageChunk; chunk != nil {
		e.said += chunk.Content.Text.Text
	}
	return nil
}

// prompt has one turn with an ACP agent in a folder.
func (e *editor) prompt(ctx context.Context, agent *acp.ClientSideConnection, folder, text string) error {
	files := acp.FileSystemCapabilities{WriteTextFile: true}
	_, err := agent.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion:    acp.ProtocolVersionNumber,
		ClientCapabilities: acp.ClientCapabilities{Fs: files},
	})
	if err != nil {
		return err
	}
	session, err := agent.NewSession(ctx, acp.NewSessionRequest{Cwd: folder, McpServers: []acp.McpServer{}})
	if err != nil {
		return err
	}
	_, err = agent.Prompt(ctx, acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	return err
}

// An ACP agent asks for permission and has a file written, and replays without a process.
func TestGemini(t *testing.T) {
	rec := echotest.New(t)
	p, err := echoexec.Start(rec, "gemini", exec.Command("gemini", "--experimental-acp"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	e := &editor{}
	folder := t.TempDir()
	if err := e.prompt(t.Context(), acp.NewClientSideConnection(e, p, p), folder, "Write notes."); err != nil {
		t.Fatal(err)
	}
	notes, err := os.ReadFile(filepath.Join(folder, "NOTES.md")) // the editor has written it, in a replay, too
	if err != nil || string(notes) != "# Notes\n" || e.said != "The notes are written." {
		t.Errorf("%q, %q, %v", notes, e.said, err)
	}
}

// Any program with a JSON mode replays, line by line.
func TestSpelling(t *testing.T) {
	rec := echotest.New(t)
	p, err := echoexec.Start(rec, "spellcheck", exec.Command("spellcheck", "--json"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	answers := json.NewDecoder(p)
	for _, text := range []string{"teh end", "the end"} {
		if err := json.NewEncoder(p).Encode(map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		var answer struct{ Mistakes int }
		err := answers.Decode(&answer)
		if want := strings.Count(text, "teh"); err != nil || answer.Mistakes != want {
			t.Fatalf("%q: %d mistakes, want %d; %v", text, answer.Mistakes, want, err)
		}
	}
}
