package children

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/promptecho/promptecho/echoexec"
)

// An object is a value of JSON that a program reads or prints.
type object = map[string]any

// A claude is a process of Claude Code with --output-format stream-json, as the documentation of
// its Agent SDK has its messages. It is a fake, which no model answers.
type claude struct {
	session string
	folder  string
	partial bool // with --include-partial-messages

	writing     sync.Mutex
	interrupted chan struct{}
	ended       chan struct{} // is closed at the end of stdin
	mu          sync.Mutex
	permissions map[string]chan object // by request_id
}

// runClaude is Claude Code: "claude -v", "claude --print PROMPT", and with --input-format
// stream-json a session of several turns.
func runClaude(args []string) int {
	if slices.Contains(args, "-v") {
		fmt.Println("2.1.0 (Claude Code)")
		return 0
	}
	c := &claude{
		session:     uuid.NewString(),
		partial:     slices.Contains(args, "--include-partial-messages"),
		interrupted: make(chan struct{}, 1),
		ended:       make(chan struct{}),
		permissions: map[string]chan object{},
	}
	for _, option := range []string{"--session-id", "--resume"} {
		if at := slices.Index(args, option); at >= 0 {
			c.session = args[at+1]
		}
	}
	folder, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c.folder = folder
	fmt.Fprintln(os.Stderr, "[debug] started in", folder)
	if at := slices.Index(args, "--print"); at >= 0 {
		c.turn(args[at+1])
		return 0
	}
	prompts := make(chan string, 16)
	go c.read(prompts)
	for prompt := range prompts {
		c.turn(prompt)
	}
	return 0
}

// print prints a message as a line.
func (c *claude) print(message object) {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

// read reads the lines of the client: prompts, requests, and answers to permission requests.
func (c *claude) read(prompts chan<- string) {
	defer close(prompts)
	defer close(c.ended)
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			Type      string
			RequestID string `json:"request_id"`
			Request   struct{ Subtype string }
			Response  object
			Message   struct{ Content string }
		}
		if err := json.Unmarshal(line, &message); err != nil {
			fmt.Fprintln(os.Stderr, "not JSON:", err)
			continue
		}
		switch message.Type {
		case "user":
			prompts <- message.Message.Content
		case "control_request":
			c.control(message.RequestID, message.Request.Subtype)
		case "control_response":
			c.mu.Lock()
			waiting := c.permissions[fmt.Sprint(message.Response["request_id"])]
			c.mu.Unlock()
			if waiting != nil {
				waiting <- message.Response
			}
		}
	}
}

// control answers a request of the client.
func (c *claude) control(id, subtype string) {
	response := object{}
	if subtype == "initialize" {
		response = object{"commands": []any{}, "output_style": "default"}
	}
	c.print(object{
		"type":     "control_response",
		"response": object{"subtype": "success", "request_id": id, "response": response},
	})
	if subtype == "interrupt" {
		c.interrupted <- struct{}{}
	}
}

// turn answers a prompt. "wait" is answered until the client interrupts it.
func (c *claude) turn(prompt string) {
	began := time.Now()
	c.print(object{
		"type": "system", "subtype": "init", "session_id": c.session, "uuid": uuid.NewString(), "cwd": c.folder,
		"model": "claude-sonnet-4-5", "tools": []string{"Bash", "Read"}, "permissionMode": "default",
	})
	if c.partial {
		for _, part := range []string{"Let ", "me ", "look."} {
			c.printOf("stream_event", "event", object{
				"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": part},
			})
		}
	}
	if prompt == "wait" {
		c.assistant(object{"type": "text", "text": "This takes long."})
		<-c.interrupted
		c.result("error_during_execution", "", began)
		return
	}
	tool := "toolu_01" + rand.Text()
	input := object{"command": "ls " + c.folder}
	c.assistant(object{"type": "tool_use", "id": tool, "name": "Bash", "input": input})
	behavior := c.ask(tool, input)
	output := object{"type": "tool_result", "tool_use_id": tool, "content": "go.mod\nmain.go"}
	if behavior != "allow" {
		output = object{"type": "tool_result", "tool_use_id": tool, "content": "not allowed", "is_error": true}
	}
	c.printOf("user", "message", object{"role": "user", "content": []object{output}})
	answer := "You said: " + prompt
	c.assistant(object{"type": "text", "text": answer})
	c.result("success", answer, began)
}

// printOf prints a message of the session.
func (c *claude) printOf(kind, member string, value object) {
	c.print(object{
		"type": kind, "session_id": c.session, "uuid": uuid.NewString(), "parent_tool_use_id": nil,
		member: value,
	})
}

func (c *claude) assistant(block object) {
	c.printOf("assistant", "message", object{
		"id": "msg_01" + rand.Text(), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
		"content": []object{block}, "stop_reason": nil,
		"usage": object{"input_tokens": 4, "output_tokens": 8, "service_tier": "standard"},
	})
}

// ask asks the client whether a tool may be used. A client that has closed stdin does not allow it.
func (c *claude) ask(tool string, input object) (behavior any) {
	id := uuid.NewString()
	answer := make(chan object, 1)
	c.mu.Lock()
	c.permissions[id] = answer
	c.mu.Unlock()
	c.print(object{
		"type": "control_request", "request_id": id,
		"request": object{"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": tool, "input": input},
	})
	select {
	case response := <-answer:
		decision, _ := response["response"].(object)
		return decision["behavior"]
	case <-c.ended:
		return "deny"
	}
}

func (c *claude) result(subtype, text string, began time.Time) {
	c.print(object{
		"type": "result", "subtype": subtype, "is_error": subtype != "success", "result": text,
		"session_id": c.session, "uuid": uuid.NewString(), "num_turns": 1, "total_cost_usd": 0.10457895,
		"duration_ms": time.Since(began).Milliseconds(), "duration_api_ms": time.Since(began).Milliseconds(),
		"usage": object{"input_tokens": 4, "output_tokens": 8}, "permission_denials": []any{},
	})
}

// A claudeClient handles its process as severity1/claude-agent-sdk-go does, which the module proxy
// does not have: it looks for claude in PATH, asks for its version, makes up the ids of its
// requests, and ends the process with the end of stdin, then SIGTERM.
type claudeClient struct {
	s        *setup
	topic    string
	behavior string // the answer to permission requests
	isNamed  bool   // the client has chosen the id of the session

	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stderr   bytes.Buffer
	messages chan object

	mu        sync.Mutex
	requests  int
	responses map[string]chan object // by request_id
}

// startClaude starts Claude Code in its streaming mode.
func startClaude(s *setup, topic, program, behavior string, args ...string) (*claudeClient, error) {
	version, err := exec.CommandContext(s.ctx, program, "-v").Output()
	if err != nil {
		return nil, err
	}
	s.see.add(topic+" version", "%s", bytes.TrimSpace(version))
	args = append([]string{"--permission-prompt-tool", "stdio"}, args...)
	cmd := exec.CommandContext(s.ctx, program, streaming(args...)...)
	return claudeOf(s, topic, cmd, behavior)
}

// streaming returns the arguments for lines of JSON both ways, and others.
func streaming(args ...string) []string {
	options := []string{"--output-format", "stream-json", "--verbose", "--input-format", "stream-json"}
	return append(options, args...)
}

// userLine returns the line of a prompt.
func userLine(prompt string) string {
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":%q}}`+"\n", prompt)
}

// claudeOf returns a client of a command, which it starts.
func claudeOf(s *setup, topic string, cmd *exec.Cmd, behavior string) (*claudeClient, error) {
	c := &claudeClient{
		s: s, topic: topic, behavior: behavior,
		cmd:       cmd,
		messages:  make(chan object, 16),
		responses: map[string]chan object{},
	}
	c.cmd.Stderr = &c.stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(stdout)
	return c, c.control("initialize")
}

func (c *claudeClient) send(message object) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.stdin.Write(append(line, '\n'))
	return err
}

// read reads what the program prints, and answers its permission requests.
func (c *claudeClient) read(stdout io.Reader) {
	defer close(c.messages)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var message object
		if err := json.Unmarshal(line, &message); err != nil {
			c.s.see.add(c.topic+" garbage", "%s", line)
			continue
		}
		switch message["type"] {
		case "control_response":
			response, _ := message["response"].(object)
			c.mu.Lock()
			waiting := c.responses[fmt.Sprint(response["request_id"])]
			c.mu.Unlock()
			if waiting != nil {
				waiting <- response
			}
		case "control_request":
			go c.permit(message)
		default:
			c.messages <- message
		}
	}
}

func (c *claudeClient) permit(message object) {
	request, _ := message["request"].(object)
	c.s.see.add(c.topic+" asks", "%v", request["tool_name"])
	err := c.send(object{"type": "control_response", "response": object{
		"subtype": "success", "request_id": message["request_id"],
		"response": object{"behavior": c.behavior, "updatedInput": request["input"]},
	}})
	if err != nil {
		c.s.see.add(c.topic+" error", "%v", err)
	}
}

// control sends a request, and returns when the program has answered it.
func (c *claudeClient) control(subtype string) error {
	answer := make(chan object, 1)
	c.mu.Lock()
	c.requests++
	id := fmt.Sprintf("req_%d_%s", c.requests, uuid.NewString()[:8])
	c.responses[id] = answer
	c.mu.Unlock()
	err := c.send(object{
		"type": "control_request", "request_id": id,
		"request": object{"subtype": subtype},
	})
	if err != nil {
		return err
	}
	select {
	case response := <-answer:
		if response["subtype"] != "success" {
			return fmt.Errorf("%s: %v", subtype, response["error"])
		}
		return nil
	case <-c.s.ctx.Done():
		return fmt.Errorf("%s: %w", subtype, c.s.ctx.Err())
	}
}

// turn sends a prompt, and notes the messages up to the result.
func (c *claudeClient) turn(prompt, session string) error {
	err := c.send(object{
		"type": "user", "session_id": session, "uuid": uuid.NewString(), "parent_tool_use_id": nil,
		"message": object{"role": "user", "content": prompt},
	})
	if err != nil {
		return err
	}
	for message := range c.messages {
		if id := message["session_id"]; id != session && c.isNamed {
			c.s.see.add(c.topic+" error", "the session is %v", id)
		}
		c.note(message)
		if message["type"] == "result" {
			return nil
		}
		if prompt == "wait" && message["type"] == "assistant" {
			if err := c.control("interrupt"); err != nil {
				return err
			}
		}
	}
	return errors.New("no result")
}

// note notes what a user of the client sees of a message.
func (c *claudeClient) note(message object) {
	switch message["type"] {
	case "assistant", "user":
		content := message["message"].(object)["content"].([]any)[0].(object)
		for _, member := range []string{"text", "name", "content"} {
			if content[member] != nil {
				c.s.see.add(c.topic, "%v %v %v", message["type"], content["type"], content[member])
			}
		}
	case "result":
		c.s.see.add(c.topic, "result %v %v, $%v",
			message["subtype"], message["result"], message["total_cost_usd"])
	case "stream_event":
		c.s.see.add(c.topic, "part %v", message["event"].(object)["delta"].(object)["text"])
	default:
		c.s.see.add(c.topic, "%v %v", message["type"], message["model"])
	}
}

// close ends the program.
func (c *claudeClient) close() error {
	if err := c.stdin.Close(); err != nil {
		return err
	}
	for message := range c.messages {
		c.note(message)
	}
	// The program may have exited.
	err := c.cmd.Process.Signal(syscall.SIGTERM)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	end := fmt.Sprint(c.cmd.Wait())
	if end == "signal: terminated" {
		end = "<nil>" // the program was about to exit
	}
	c.s.see.add(c.topic+" end", "%s", end)
	if end == "<nil>" {
		started := strings.HasPrefix(c.stderr.String(), "[debug] started in /")
		c.s.see.add(c.topic+" end", "printed where it started: %v", started)
	}
	return nil
}

// useClaude has two turns and one that is interrupted.
func useClaude(s *setup, topic, program, behavior string, prompts ...string) error {
	session := uuid.NewString()
	c, err := startClaude(s, topic, program, behavior, "--session-id", session, "--include-partial-messages")
	if err != nil {
		return err
	}
	c.isNamed = true
	var errs []error
	for _, prompt := range prompts {
		errs = append(errs, c.turn(prompt, session))
	}
	return errors.Join(append(errs, c.close())...)
}

// The client finds Claude Code in PATH. Of a replay, PATH has none but the stand-in.
func TestClaudeOnPath(t *testing.T) {
	path := os.Getenv("PATH")
	r := replays(t, install(t, "claude"), 2, func(s *setup) error {
		s.t.Setenv("PATH", path) // without the stand-ins of earlier runs
		echoexec.OnPath(s.t, s.rec, "claude", s.program)
		found, err := exec.LookPath("claude")
		if err != nil {
			return err
		}
		return useClaude(s, "claude", found, "allow", "List the files.", "wait", "Thank you.")
	})
	wantSeen(t, r, "claude: assistant text You said: Thank you.",
		"claude version: 2.1.0 (Claude Code)", "claude end: <nil>")
}

// Four processes of one command at once, which differ in what they are asked.
func TestClaudesAtOnce(t *testing.T) {
	t.Parallel()
	const count = 4
	replays(t, install(t, "claude"), 2*count, func(s *setup) error {
		path := echoexec.Path(s.t, s.rec, "claude", s.program)
		var clients sync.WaitGroup
		errs := make([]error, count)
		for i := range count {
			clients.Go(func() {
				topic := fmt.Sprint("claude ", i)
				errs[i] = useClaude(s, topic, path, "deny", "List the files.", "Question "+topic)
			})
		}
		clients.Wait()
		return errors.Join(errs...)
	})
}

// A session that another process resumes keeps its id, which the first process has made up.
func TestClaudeResumes(t *testing.T) {
	t.Parallel()
	replays(t, install(t, "claude"), 2, func(s *setup) error {
		ask := func(prompt string, args ...string) (session string, err error) {
			cmd := exec.CommandContext(s.ctx, s.program, streaming(args...)...)
			cmd.Stdin = strings.NewReader(userLine(prompt))
			out, err := echoexec.Command(s.rec, "claude", cmd).Output()
			for line := range strings.Lines(string(out)) {
				var message object
				if err := json.Unmarshal([]byte(line), &message); err != nil {
					return "", err
				}
				session, _ = message["session_id"].(string)
				s.see.add(prompt, "%v", message["type"])
			}
			return session, err
		}
		// The turn waits for an answer that stdin does not have: it ends with stdin.
		first, err := ask("one")
		if err != nil {
			return err
		}
		second, err := ask("two", "--resume", first)
		s.see.add("resumed", "the same session: %v", first == second)
		return err
	})
}

// A client that times out kills its process in the middle of a turn.
func TestClaudeCanceled(t *testing.T) {
	t.Parallel()
	r := replays(t, install(t, "claude"), 1, func(s *setup) error {
		ctx, cancel := context.WithCancel(s.ctx)
		defer cancel()
		cmd := exec.CommandContext(ctx, s.program, streaming()...)
		cmd = echoexec.Command(s.rec, "claude", cmd)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		_, err = io.WriteString(stdin, userLine("wait"))
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			var message object
			if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
				return err
			}
			s.see.add("claude", "%v", message["type"])
			if message["type"] == "assistant" {
				cancel()
			}
		}
		s.see.add("claude", "%v", cmd.Wait())
		return nil
	})
	wantSeen(t, r, "claude: signal: killed")
}
