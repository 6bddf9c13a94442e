package sessions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// lines are those that a process writes until its standard input is closed.
type lines chan string

func (l lines) CloseSend() error {
	close(l)
	return nil
}

func (l lines) Recv() ([]byte, error) {
	line, isOpen := <-l
	if !isOpen {
		return nil, io.EOF
	}
	return []byte(line), nil
}

// A process that answers JSON-RPC as an agent does: "new" opens a session with a random ID, and "ask"
// answers a question in a session, after two notifications of progress.
type process struct {
	lines
	mu    sync.Mutex
	count int // of calls
}

func (p *process) Send(line []byte) error {
	var call struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Session  string `json:"sessionId"`
			Question string
			Meta     struct {
				ProgressToken json.RawMessage
			} `json:"_meta"`
		}
	}
	err := json.Unmarshal(line, &call)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	switch call.Method {
	case "new":
		p.lines <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"sess_%016d"}}`, call.ID, p.count)
	case "ask":
		for n := range 2 {
			p.lines <- fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`,
				call.Params.Meta.ProgressToken, n)
		}
		p.lines <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":"%s in %s"}}`,
			call.ID, call.Params.Question, call.Params.Session)
	}
	return nil
}

// An rpcClient makes calls, and gives each answer and each progress to the call that waits for it.
type rpcClient struct {
	stream promptecho.Stream[[]byte, []byte]
	mu     sync.Mutex
	nextID int
	calls  map[string]*rpcCall
}

type rpcCall struct {
	progress int
	answer   chan string
}

func (c *rpcClient) call(method, params string) (answer string, progress int) {
	c.mu.Lock()
	c.nextID++
	id := fmt.Sprint(c.nextID)
	call := &rpcCall{answer: make(chan string, 1)}
	c.calls[id] = call
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{"progressToken":%s}%s}}`, id, method, id, params)
	err := c.stream.Send([]byte(line))
	c.mu.Unlock()
	if err != nil {
		return err.Error(), 0
	}
	answer = <-call.answer
	c.mu.Lock()
	defer c.mu.Unlock()
	return answer, call.progress
}

// read reads until the stream ends.
func (c *rpcClient) read() {
	for {
		line, err := c.stream.Recv()
		c.mu.Lock()
		if err != nil {
			for _, call := range c.calls {
				select {
				case call.answer <- err.Error():
				default:
				}
			}
			c.mu.Unlock()
			return
		}
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Params struct{ ProgressToken json.RawMessage }
		}
		_ = json.Unmarshal(line, &m)
		if m.Result != nil {
			c.calls[string(m.ID)].answer <- string(m.Result)
		} else {
			c.calls[string(m.Params.ProgressToken)].progress++
		}
		c.mu.Unlock()
	}
}

// Concurrent calls to a process get their own answers. The numbers of their IDs are due to chance,
// and so is which of several equal requests for a session gets which ID.
func TestConcurrentCallsOfAProcessReplay(t *testing.T) {
	t.Parallel()
	const sessions = 8
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) {
		rec := must.Open(t, file, promptecho.InMode(mode))
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "stdio://agent", strings.NewReader(`{"args":["--fast"]}`))
		stream, err := rec.Session(req, func(context.Context) (promptecho.Stream[[]byte, []byte], error) {
			if mode == promptecho.ModeNone {
				t.Error("a replay starts the process")
			}
			return &process{lines: make(lines, 100)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c := &rpcClient{stream: stream, calls: map[string]*rpcCall{}}
		var reading, calling sync.WaitGroup
		reading.Go(c.read)
		for n := range sessions {
			calling.Go(func() {
				opened, _ := c.call("new", "")
				var session struct{ SessionID string }
				_ = json.Unmarshal([]byte(opened), &session)
				for turn := range 3 {
					question := fmt.Sprintf("%d?", n)
					if turn > 0 {
						question = "more"
					}
					got, progress := c.call("ask", fmt.Sprintf(`,"sessionId":%q,"question":%q`, session.SessionID, question))
					want := fmt.Sprintf(`{"text":"%s in %s"}`, question, session.SessionID)
					if got != want || progress != 2 {
						t.Errorf("%s: call %d of session %d: %s and %d notifications, want %s and 2", mode, turn, n, got, progress, want)
					}
				}
			})
		}
		calling.Wait()
		_ = stream.CloseSend()
		reading.Wait()
		must.Close(t, rec)
	}
	run(promptecho.ModeAll)
	for range full.Cases(20, 1000) {
		run(promptecho.ModeNone)
	}
}

// A secret in a line is not written, whichever side has sent it, and ends with its line. A replay
// takes the line with another secret in its place.
func TestSecretsInLinesOfAProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	const recordedKey, otherKey = "M8nB6vC4xZ2lK0jHq7Xv", "R4tY7uI9oP2aS5dFw3Lm"
	for _, key := range []string{recordedKey, otherKey} {
		mode := promptecho.ModeNone
		if key == recordedKey {
			mode = promptecho.ModeAll
		}
		rec := must.Open(t, file, promptecho.InMode(mode))
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "stdio://env", strings.NewReader(`{"args":["--api-key","`+key+`"]}`))
		stream, err := rec.Session(req, func(context.Context) (promptecho.Stream[[]byte, []byte], error) {
			return &echo{make(lines, 10)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = stream.Send([]byte(`{"type":"login","password":"` + key + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.CloseSend()
		var got []string
		for {
			line, err := stream.Recv()
			if err != nil {
				break
			}
			got = append(got, string(line))
		}
		if len(got) != 2 || got[1] != "MODEL=small" {
			t.Errorf("%s: received %q", mode, got)
		}
		must.Close(t, rec)
	}
	cassette := must.Read(t, file)
	if strings.Contains(cassette, recordedKey) || !strings.Contains(cassette, "MODEL=small") {
		t.Errorf("the cassette:\n%s", cassette)
	}
}

// An echo is a process that prints a key which it has got, and a line that follows it.
type echo struct{ lines }

func (e *echo) Send(line []byte) error {
	var login struct{ Password string }
	err := json.Unmarshal(line, &login)
	if err != nil {
		return err
	}
	e.lines <- "API_KEY=" + login.Password
	e.lines <- "MODEL=small"
	return nil
}
