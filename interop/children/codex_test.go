package children

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/promptecho/promptecho/echoexec"
)

// runCodex is the Codex CLI: "codex exec --experimental-json" and "codex app-server", as their
// documentation has their lines. It is a fake, which no model answers.
func runCodex(args []string) int {
	switch {
	case len(args) > 0 && args[0] == "exec":
		return codexExec(args)
	case len(args) > 0 && args[0] == "app-server":
		return codexServer()
	}
	fmt.Fprintln(os.Stderr, "usage: codex exec|app-server")
	return 2
}

// printLine prints a message of Codex. Lines of several goroutines do not mix.
func printLine(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	codexWriting.Lock()
	defer codexWriting.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

var codexWriting sync.Mutex

// codexExec reads a prompt up to the end of stdin, and prints the events of one turn. A prompt that
// has "fail" makes the turn fail.
func codexExec(args []string) int {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	thread := uuid.NewString()
	if args[len(args)-2] == "resume" {
		thread = args[len(args)-1]
	}
	printLine(object{"type": "thread.started", "thread_id": thread})
	printLine(object{"type": "turn.started"})
	if bytes.Contains(prompt, []byte("fail")) {
		printLine(object{"type": "turn.failed", "error": object{"message": "You've hit your usage limit."}})
		fmt.Fprintln(os.Stderr, "ERROR: usage limit")
		return 1
	}
	printLine(object{"type": "item.started", "item": object{
		"id": "item_0", "type": "command_execution", "command": "/bin/bash -lc ls", "status": "in_progress",
	}})
	printLine(object{"type": "item.completed", "item": object{
		"id": "item_0", "type": "command_execution", "command": "/bin/bash -lc ls", "status": "completed",
		"aggregated_output": "go.mod\n", "exit_code": 0,
	}})
	answer := fmt.Sprintf("You said %d words.", len(bytes.Fields(prompt)))
	printLine(object{"type": "item.completed", "item": object{
		"id": "item_1", "type": "agent_message", "text": answer,
	}})
	printLine(object{"type": "turn.completed", "usage": object{
		"input_tokens": 24763, "cached_input_tokens": 24448, "output_tokens": 122,
	}})
	return 0
}

// A codexRequest is a request, a notification or an answer of a client of the app-server. They have
// no "jsonrpc".
type codexRequest struct {
	ID     any
	Method string
	Params struct {
		ThreadID string
		Cwd      string
		Input    []struct{ Text string }
	}
	Result object
}

// codexServer answers the requests of a client. Each turn runs in a goroutine of its own, and asks
// for an approval.
func codexServer() int {
	approvals := &codexApprovals{answers: map[float64]chan object{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var r codexRequest
		if err := json.Unmarshal(line, &r); err != nil {
			fmt.Fprintln(os.Stderr, "not JSON:", err)
			continue
		}
		switch r.Method {
		case "initialize":
			printLine(object{"id": r.ID, "result": object{"userAgent": "codex_cli_rs/0.100.0"}})
		case "thread/start":
			thread := object{
				"id": uuid.NewString(), "preview": "", "modelProvider": "openai",
				"createdAt": time.Now().Unix(),
			}
			result := object{"thread": thread, "model": "gpt-5.2-codex", "cwd": r.Params.Cwd}
			printLine(object{"id": r.ID, "result": result})
			printLine(object{"method": "thread/started", "params": object{"thread": thread}})
		case "turn/start":
			go codexTurn(r, approvals)
		case "":
			approvals.answer(r)
		}
	}
}

// codexApprovals are the questions that the server has asked its client.
type codexApprovals struct {
	mu      sync.Mutex
	answers map[float64]chan object // by the id of the question
}

func (a *codexApprovals) ask(params object) (decision any) {
	answer := make(chan object, 1)
	a.mu.Lock()
	id := float64(len(a.answers))
	a.answers[id] = answer
	a.mu.Unlock()
	printLine(object{"method": "item/commandExecution/requestApproval", "id": id, "params": params})
	return (<-answer)["decision"]
}

func (a *codexApprovals) answer(r codexRequest) {
	id, _ := r.ID.(float64)
	a.mu.Lock()
	answer := a.answers[id]
	a.mu.Unlock()
	if answer != nil {
		answer <- r.Result
	}
}

func codexTurn(r codexRequest, approvals *codexApprovals) {
	thread, turn, item := r.Params.ThreadID, uuid.NewString(), "call_"+uuid.NewString()
	prompt := r.Params.Input[0].Text
	begun := object{"id": turn, "items": []any{}, "status": "inProgress", "error": nil}
	printLine(object{"id": r.ID, "result": object{"turn": begun}})
	notify := func(method string, params object) {
		params["threadId"] = thread
		printLine(object{"method": method, "params": params})
	}
	notify("turn/started", object{"turn": object{"id": turn, "status": "inProgress"}})
	command := object{"type": "commandExecution", "id": item, "command": "ls", "status": "inProgress"}
	notify("item/started", object{"turnId": turn, "item": command})
	decision := approvals.ask(object{"threadId": thread, "turnId": turn, "itemId": item, "reason": prompt})
	notify("item/completed", object{"turnId": turn, "item": object{
		"type": "commandExecution", "id": item, "command": "ls", "status": "completed", "exitCode": 0,
	}})
	for _, word := range []string{"You said: ", prompt, fmt.Sprint(", ", decision)} {
		notify("item/agentMessage/delta", object{"turnId": turn, "itemId": "msg_1", "delta": word})
	}
	answer := fmt.Sprint("You said: ", prompt, ", ", decision)
	message := object{"type": "agentMessage", "id": "msg_1", "text": answer}
	notify("item/completed", object{"turnId": turn, "item": message})
	notify("turn/completed", object{"turn": object{"id": turn, "status": "completed", "items": []any{}}})
}

// codexRun runs one turn as activadee/godex does, which the module proxy does not have: it writes
// the prompt, closes stdin, reads the events, and waits for the exit. It returns the thread.
func codexRun(s *setup, topic, program, prompt string, args ...string) (thread string, err error) {
	args = append([]string{"exec", "--experimental-json", "--model", "gpt-5.2-codex"}, args...)
	cmd := exec.CommandContext(s.ctx, program, args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_, err = io.WriteString(stdin, prompt)
	if err := errors.Join(err, stdin.Close()); err != nil {
		return "", err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var event struct {
			Type     string
			ThreadID string `json:"thread_id"`
			Item     struct{ Type, Text string }
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return "", err
		}
		if event.ThreadID != "" {
			thread = event.ThreadID
		}
		s.see.add(topic, "%s %s %s", event.Type, event.Item.Type, event.Item.Text)
	}
	end := cmd.Wait()
	s.see.add(topic, "%v: %s", end, strings.TrimSpace(stderr.String()))
	return thread, lines.Err()
}

// Turns of Codex, each a process: one that resumes the thread of another, and one that fails.
func TestCodexExec(t *testing.T) {
	t.Parallel()
	r := replays(t, install(t, "codex"), 3, func(s *setup) error {
		path := echoexec.Path(s.t, s.rec, "codex", s.program)
		thread, err := codexRun(s, "first", path, "Count the files.\nAll of them.")
		if err != nil {
			return err
		}
		resumed, err := codexRun(s, "second", path, "Thank you.", "resume", thread)
		if err != nil {
			return err
		}
		s.see.add("second", "resumed: %v", thread == resumed)
		_, err = codexRun(s, "third", path, "fail")
		return err
	})
	wantSeen(t, r, "second: resumed: true", "third: exit status 1: ERROR: usage limit")
}

// A codexClient speaks to an app-server as pmenglund/codex-sdk-go does, which the module proxy does
// not have, over an io.ReadWriteCloser. It approves or declines each command.
type codexClient struct {
	s        *setup
	conn     io.ReadWriteCloser
	decision string

	mu      sync.Mutex
	next    int
	answers map[float64]chan json.RawMessage
	threads map[string]string // the topic of each thread
}

func newCodexClient(s *setup, conn io.ReadWriteCloser, decision string) *codexClient {
	c := &codexClient{
		s: s, conn: conn, decision: decision,
		answers: map[float64]chan json.RawMessage{},
		threads: map[string]string{},
	}
	go c.read()
	return c
}

func (c *codexClient) send(message object) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.conn.Write(append(line, '\n'))
	return err
}

// call sends a request, and reads its result.
func (c *codexClient) call(method string, params, result any) error {
	answer := make(chan json.RawMessage, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.answers[float64(id)] = answer
	c.mu.Unlock()
	if err := c.send(object{"id": id, "method": method, "params": params}); err != nil {
		return err
	}
	select {
	case text := <-answer:
		return json.Unmarshal(text, result)
	case <-c.s.ctx.Done():
		return fmt.Errorf("%s: %w", method, c.s.ctx.Err())
	}
}

// read reads what the program prints up to its end, and notes the deltas of each thread.
func (c *codexClient) read() {
	lines := bufio.NewReader(c.conn)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			c.s.see.add("end", "")
			return
		}
		var message struct {
			ID     any
			Method string
			Result json.RawMessage
			Error  json.RawMessage
			Params struct{ ThreadID, Delta, Reason string }
		}
		if err := json.Unmarshal(line, &message); err != nil {
			c.s.see.add("garbage", "%s", line)
			continue
		}
		c.mu.Lock()
		topic := c.threads[message.Params.ThreadID]
		id, _ := message.ID.(float64)
		answer := c.answers[id]
		c.mu.Unlock()
		switch {
		case message.Error != nil:
			c.s.see.add("error", "%s", message.Error)
			answer <- nil
		case message.Method == "":
			answer <- message.Result
		case message.ID != nil:
			c.s.see.add(topic, "%s of %q", message.Method, message.Params.Reason)
			go func() { _ = c.send(object{"id": message.ID, "result": object{"decision": c.decision}}) }()
		case message.Method == "thread/started":
			c.s.see.add("threads", "one has started")
		default:
			c.s.see.add(topic, "%s %s", message.Method, message.Params.Delta)
		}
	}
}

// useThread has a turn in a thread of its own.
func (c *codexClient) useThread(ctx context.Context, topic, prompt string) error {
	var started struct{ Thread struct{ ID string } }
	if err := c.call("thread/start", object{"cwd": c.s.t.TempDir()}, &started); err != nil {
		return err
	}
	c.mu.Lock()
	c.threads[started.Thread.ID] = topic
	c.mu.Unlock()
	var turn struct{ Turn struct{ Status string } }
	input := []object{{"type": "text", "text": prompt}}
	err := c.call("turn/start", object{"threadId": started.Thread.ID, "input": input}, &turn)
	if err != nil {
		return err
	}
	const lines = 9 // two items, an approval, three deltas, and the turn
	return c.s.see.wait(ctx, topic, lines)
}

// Three threads of one app-server at once. Each turn asks for an approval.
func TestCodexServer(t *testing.T) {
	t.Parallel()
	for _, decision := range []string{"accept", "decline"} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			replays(t, install(t, "codex"), 1, func(s *setup) error {
				p, err := echoexec.Start(s.rec, "codex", exec.Command(s.program, "app-server"))
				if err != nil {
					return err
				}
				c := newCodexClient(s, p, decision)
				var hello struct{ UserAgent string }
				info := object{"clientInfo": object{"name": "test", "version": "1"}}
				if err := c.call("initialize", info, &hello); err != nil {
					return err
				}
				if err := c.send(object{"method": "initialized"}); err != nil {
					return err
				}
				var threads sync.WaitGroup
				errs := make([]error, 3)
				for i := range errs {
					threads.Go(func() {
						errs[i] = c.useThread(s.ctx, fmt.Sprint("thread ", i), fmt.Sprint("Hello ", i))
					})
				}
				threads.Wait()
				return errors.Join(append(errs, p.Close(), s.see.wait(s.ctx, "end", 1))...)
			})
		})
	}
}
