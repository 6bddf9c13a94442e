package children

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/promptecho/promptecho/echoexec"
)

// An acpAgent is an agent that reads a file, asks for permission, and writes the file. The prompt
// has the name of the file.
type acpAgent struct {
	acp.Agent // what the agent does not support

	// NewAgentSideConnection calls methods of the agent before it returns, so they wait for it.
	conn      *acp.AgentSideConnection
	connected chan struct{} // is closed when conn is set

	mu       sync.Mutex
	folders  map[acp.SessionId]string
	canceled map[acp.SessionId]context.CancelFunc
}

// runACPAgent is an agent that speaks the Agent Client Protocol.
func runACPAgent([]string) int {
	a := &acpAgent{
		connected: make(chan struct{}),
		folders:   map[acp.SessionId]string{},
		canceled:  map[acp.SessionId]context.CancelFunc{},
	}
	a.conn = acp.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	close(a.connected)
	<-a.conn.Done()
	return 0
}

func (a *acpAgent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (a *acpAgent) NewSession(_ context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	id := acp.SessionId("sess_" + rand.Text())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.folders[id] = r.Cwd
	return acp.NewSessionResponse{SessionId: id}, nil
}

func (a *acpAgent) Cancel(_ context.Context, r acp.CancelNotification) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.canceled[r.SessionId]; cancel != nil {
		cancel()
	}
	return nil
}

func (a *acpAgent) Prompt(ctx context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	<-a.connected
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.canceled[r.SessionId] = cancel
	folder := a.folders[r.SessionId]
	a.mu.Unlock()

	prompt := r.Prompt[0].Text.Text
	if err := a.say(r.SessionId, "You said: "+prompt); err != nil {
		return acp.PromptResponse{}, err
	}
	if prompt == "wait" {
		<-ctx.Done()
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	err := a.edit(ctx, r.SessionId, filepath.Join(folder, prompt))
	if err != nil {
		return acp.PromptResponse{}, err
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// edit reads a file, asks for permission, and writes the file.
func (a *acpAgent) edit(ctx context.Context, session acp.SessionId, path string) error {
	call := acp.ToolCallId("call_" + rand.Text())
	err := a.update(session, acp.StartToolCall(call, "Edit "+filepath.Base(path),
		acp.WithStartKind(acp.ToolKindEdit),
		acp.WithStartLocations([]acp.ToolCallLocation{{Path: path}}),
	))
	if err != nil {
		return err
	}
	file, err := a.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: session, Path: path})
	if err != nil {
		return err
	}
	answer, err := a.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: session,
		ToolCall:  acp.ToolCallUpdate{ToolCallId: call, Title: acp.Ptr("Edit " + filepath.Base(path))},
		Options: []acp.PermissionOption{
			{Kind: acp.PermissionOptionKindAllowOnce, Name: "Allow", OptionId: "allow"},
			{Kind: acp.PermissionOptionKindRejectOnce, Name: "Reject", OptionId: "reject"},
		},
	})
	if err != nil {
		return err
	}
	selected := answer.Outcome.Selected
	if selected == nil || selected.OptionId != "allow" {
		return a.say(session, "I may not edit it.")
	}
	_, err = a.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{
		SessionId: session,
		Path:      path,
		Content:   strings.ToUpper(file.Content),
	})
	if err != nil {
		return err
	}
	err = a.update(session, acp.UpdateToolCall(call, acp.WithUpdateStatus(acp.ToolCallStatusCompleted)))
	if err != nil {
		return err
	}
	return a.say(session, "It is in capitals <now>.")
}

func (a *acpAgent) say(session acp.SessionId, text string) error {
	return a.update(session, acp.UpdateAgentMessageText(text))
}

func (a *acpAgent) update(session acp.SessionId, u acp.SessionUpdate) error {
	return a.conn.SessionUpdate(context.Background(), acp.SessionNotification{SessionId: session, Update: u})
}

// An acpClient is an editor. It keeps its files in a folder.
type acpClient struct {
	acp.Client // what the client does not support
	s          *setup
	answer     acp.PermissionOptionId

	mu       sync.Mutex
	sessions map[acp.SessionId]string // the topic of each
}

func (c *acpClient) topic(session acp.SessionId) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[session]
}

func (c *acpClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	topic := c.topic(n.SessionId)
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		c.s.see.add(topic+" says", "%s", u.AgentMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c.s.see.add(topic+" calls", "%s, %d locations", u.ToolCall.Title, len(u.ToolCall.Locations))
	case u.ToolCallUpdate != nil:
		c.s.see.add(topic+" calls", "%v", *u.ToolCallUpdate.Status)
	}
	return nil
}

func (c *acpClient) ReadTextFile(
	_ context.Context, r acp.ReadTextFileRequest,
) (acp.ReadTextFileResponse, error) {
	c.s.see.add(c.topic(r.SessionId)+" reads", "%s", filepath.Base(r.Path))
	text, err := os.ReadFile(r.Path)
	return acp.ReadTextFileResponse{Content: string(text)}, err
}

func (c *acpClient) WriteTextFile(
	_ context.Context, r acp.WriteTextFileRequest,
) (acp.WriteTextFileResponse, error) {
	c.s.see.add(c.topic(r.SessionId)+" writes", "%s: %s", filepath.Base(r.Path), r.Content)
	return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o600)
}

func (c *acpClient) RequestPermission(
	_ context.Context, r acp.RequestPermissionRequest,
) (acp.RequestPermissionResponse, error) {
	c.s.see.add(c.topic(r.SessionId)+" asks", "%s", *r.ToolCall.Title)
	selected := &acp.RequestPermissionOutcomeSelected{OptionId: c.answer}
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Selected: selected}}, nil
}

// acpConnect starts an agent, and returns a connection to it and what ends the agent.
func acpConnect(c *acpClient, over string) (*acp.ClientSideConnection, func() error, error) {
	c.sessions = map[acp.SessionId]string{}
	cmd := exec.Command(c.s.program)
	if over == "Start" {
		p, err := echoexec.Start(c.s.rec, "agent", cmd)
		if err != nil {
			return nil, nil, err
		}
		return acp.NewClientSideConnection(c, p, p), p.Close, nil
	}
	cmd = echoexec.Command(c.s.rec, "agent", cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	conn := acp.NewClientSideConnection(c, stdin, stdout)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	end := func() error {
		err := stdin.Close()
		<-conn.Done()
		return errors.Join(err, cmd.Wait())
	}
	return conn, end, nil
}

// prompt prompts a session of an agent, and notes how the turn ended.
func (c *acpClient) prompt(
	ctx context.Context, conn *acp.ClientSideConnection, session acp.SessionId, text string,
) {
	blocks := []acp.ContentBlock{acp.TextBlock(text)}
	answer, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: session, Prompt: blocks})
	c.s.see.add(c.topic(session)+" turn", "%s %v", answer.StopReason, err)
}

// open opens a session in a folder.
func (c *acpClient) open(
	ctx context.Context, conn *acp.ClientSideConnection, folder, topic string,
) (acp.SessionId, error) {
	session, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: folder, McpServers: []acp.McpServer{}})
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[session.SessionId] = topic
	return session.SessionId, nil
}

// Four sessions of one agent at once. In each, the agent reads a file, asks for permission, and
// writes the file. In the second turn, the client cancels it.
func TestACPSessionsAtOnce(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"Start", "Command"} {
		for _, answer := range []acp.PermissionOptionId{"allow", "reject"} {
			t.Run(over+"/"+string(answer), func(t *testing.T) {
				t.Parallel()
				r := replays(t, install(t, "agent"), 1, func(s *setup) error {
					return useAgent(&acpClient{s: s, answer: answer}, over)
				})
				if answer == "allow" {
					wantSeen(t, r, "session 3 writes: file3.txt: TEXT 3", "session 3 turn: cancelled <nil>")
				}
			})
		}
	}
}

func useAgent(c *acpClient, over string) error {
	conn, end, err := acpConnect(c, over)
	if err != nil {
		return err
	}
	ctx := c.s.ctx
	files := acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}
	_, err = conn.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion:    acp.ProtocolVersionNumber,
		ClientCapabilities: acp.ClientCapabilities{Fs: files},
	})
	if err != nil {
		return err
	}
	folder := c.s.t.TempDir()
	const count = 4
	errs := make([]error, count)
	var sessions sync.WaitGroup
	for i := range count {
		sessions.Go(func() { errs[i] = useSession(c, conn, folder, i) })
	}
	sessions.Wait()
	c.s.see.add("end", "%v", end())
	return errors.Join(errs...)
}

// useSession opens a session, has a file edited in it, and cancels another turn.
func useSession(c *acpClient, conn *acp.ClientSideConnection, folder string, i int) error {
	ctx := c.s.ctx
	name := fmt.Sprintf("file%d.txt", i)
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, fmt.Appendf(nil, "text %d", i), 0o600); err != nil {
		return err
	}
	topic := fmt.Sprint("session ", i)
	session, err := c.open(ctx, conn, folder, topic)
	if err != nil {
		return err
	}
	c.prompt(ctx, conn, session, name)
	after, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	c.s.see.add(topic+" file", "%s", after)

	var turn sync.WaitGroup
	turn.Go(func() { c.prompt(ctx, conn, session, "wait") })
	said := 3 // in the first turn two messages, in this one the first
	err = c.s.see.wait(ctx, topic+" says", said)
	err = errors.Join(err, conn.Cancel(ctx, acp.CancelNotification{SessionId: session}))
	turn.Wait()
	return err
}

// The example agent of the SDK, as it is.
func TestACPExampleAgent(t *testing.T) {
	t.Parallel()
	program := build(t, ".", "github.com/coder/acp-go-sdk/example/agent")
	for _, over := range []string{"Start", "Command"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			replays(t, program, anyNumber, func(s *setup) error {
				c := &acpClient{s: s, answer: "allow"}
				conn, end, err := acpConnect(c, over)
				if err != nil {
					return err
				}
				_, err = conn.Initialize(s.ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
				if err != nil {
					return err
				}
				var sessions sync.WaitGroup
				errs := make([]error, 4)
				for i := range errs {
					sessions.Go(func() {
						session, err := c.open(s.ctx, conn, "/project", fmt.Sprint("session ", i))
						errs[i] = err
						c.prompt(s.ctx, conn, session, fmt.Sprint("Hello, agent ", i, "!"))
					})
				}
				sessions.Wait()
				s.see.add("end", "%v", end())
				return errors.Join(errs...)
			})
		})
	}
}

// build builds a program in the module of a folder, and returns its path.
func build(t *testing.T, folder, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return path
}
