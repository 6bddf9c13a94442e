package sessions_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// The conversations of these tests have six turns. At each turn, those that were alike so far part
// in two; in the last one each has a message of its own.
const branchTurns = 6

// branchMessage returns what a conversation sends at a turn.
func branchMessage(conversation, turn int) string {
	branch := conversation >> (branchTurns - 1 - turn)
	return fmt.Sprintf(`{"turn":%d,"branch":%d}`, turn, branch)
}

// A branchServer is the state of one conversation of a server whose answers depend on everything
// that the client has sent.
type branchServer struct{ heard strings.Builder }

// answers returns the answers to a message.
func (s *branchServer) answers(message string) (all []string) {
	s.heard.WriteString(message)
	for n := range 2 {
		sum := sha256.Sum256([]byte(s.heard.String()))
		all = append(all, fmt.Sprintf(`{"answer":%d,"to":"%x"}`, n, sum[:8]))
	}
	return all
}

// wantOfBranch returns all answers that a conversation gets.
func wantOfBranch(conversation int) string {
	var server branchServer
	var all []string
	for turn := range branchTurns {
		all = append(all, server.answers(branchMessage(conversation, turn))...)
	}
	return strings.Join(all, "\n")
}

// A textStream is a conversation as these tests have it, whatever carries it.
type textStream = promptecho.Stream[string, string]

// ways are the ways to open a conversation through a recorder.
var ways = map[string]func(*promptecho.Recorder) func(context.Context) (textStream, error){
	"WebSocket": func(rec *promptecho.Recorder) func(context.Context) (textStream, error) {
		return func(ctx context.Context) (textStream, error) {
			c, err := socket.Dialer{Client: rec.Client()}.Dial(ctx, "http://branches.test/chat")
			return socketStream{c}, err
		}
	},
	"WrapStream": func(rec *promptecho.Recorder) func(context.Context) (textStream, error) {
		return promptecho.WrapStream(rec, "tool/branches", openBranches)
	},
	"Session": func(rec *promptecho.Recorder) func(context.Context) (textStream, error) {
		return func(ctx context.Context) (textStream, error) {
			req, err := http.NewRequestWithContext(ctx, "POST", "branches://test/chat", nil)
			if err != nil {
				return nil, err
			}
			s, err := rec.Session(req, func(ctx context.Context) (promptecho.Stream[[]byte, []byte], error) {
				live, err := openBranches(ctx)
				return bytesStream{live}, err
			})
			return stringStream{s}, err
		}
	},
}

// branchesUpstream serves the WebSockets.
var branchesUpstream = promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
	var server branchServer
	for {
		m, err := c.Receive()
		if err != nil {
			return
		}
		if m.Opcode == websocket.Close {
			_ = c.SendClose(1000, "")
			return
		}
		for _, answer := range server.answers(string(m.Data)) {
			_ = c.Send(answer)
		}
	}
}))

// A socketStream is a conversation over a WebSocket.
type socketStream struct{ c *socket.Conn }

func (s socketStream) Send(text string) error { return s.c.Send(text) }

func (s socketStream) CloseSend() error { return s.c.SendClose(1000, "") }

func (s socketStream) Recv() (string, error) {
	m, err := s.c.Receive()
	switch {
	case err != nil:
		return "", err
	case m.Opcode == websocket.Close:
		s.c.Drop()
		code, reason, _ := websocket.ParseClose(m.Data)
		if code == 1000 {
			return "", io.EOF
		}
		return "", fmt.Errorf("closed: %d %s", code, reason)
	}
	return string(m.Data), nil
}

// openBranches opens a conversation over a pair of channels.
func openBranches(ctx context.Context) (textStream, error) {
	s := &channelStream{ctx, make(chan string), make(chan string)}
	go func() {
		defer close(s.answers)
		var server branchServer
		for message := range s.sent {
			for _, answer := range server.answers(message) {
				select {
				case s.answers <- answer:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return s, nil
}

// A channelStream is a conversation over a pair of channels.
type channelStream struct {
	ctx     context.Context
	sent    chan string
	answers chan string
}

func (s *channelStream) Send(text string) error {
	select {
	case s.sent <- text:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

func (s *channelStream) CloseSend() error {
	close(s.sent)
	return nil
}

func (s *channelStream) Recv() (string, error) {
	answer, ok := <-s.answers
	switch {
	case ok:
		return answer, nil
	case s.ctx.Err() != nil:
		return "", s.ctx.Err()
	}
	return "", io.EOF
}

// A bytesStream is a stream of strings whose messages are bytes.
type bytesStream struct{ textStream }

func (s bytesStream) Send(message []byte) error { return s.textStream.Send(string(message)) }

func (s bytesStream) Recv() ([]byte, error) {
	text, err := s.textStream.Recv()
	return []byte(text), err
}

// A stringStream is a stream of bytes whose messages are strings.
type stringStream struct {
	promptecho.Stream[[]byte, []byte]
}

func (s stringStream) Send(text string) error { return s.Stream.Send([]byte(text)) }

func (s stringStream) Recv() (string, error) {
	message, err := s.Stream.Recv()
	return string(message), err
}

// Sessions that are open at once, and begin alike, each get the messages of a recording that has what
// they send.
func TestConcurrentSessionsThatBeginAlikeReplay(t *testing.T) {
	t.Parallel()
	const conversations = 20
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range full.Cases(2, 10) {
				file := newCassette(t)
				runBranches(t, record(t, file, branchesUpstream), way, conversations)
				for range full.Cases(3, 10) {
					runBranches(t, replay(t, file), way, conversations)
				}
			}
		})
	}
}

// 64 sessions can be open at the same time.
func TestManyConcurrentSessionsReplay(t *testing.T) {
	t.Parallel()
	const conversations = 64
	file := newCassette(t)
	way := ways["WebSocket"]
	runBranches(t, record(t, file, branchesUpstream), way, conversations)
	for range full.Cases(2, 10) {
		runBranches(t, replay(t, file), way, conversations)
	}
}

// runBranches has conversations at the same time, and checks what each of them gets. Two
// goroutines belong to each.
func runBranches(
	t *testing.T, rec *promptecho.Recorder,
	way func(*promptecho.Recorder) func(context.Context) (textStream, error), conversations int,
) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), noTime)
	defer cancel()
	open := way(rec)
	var all sync.WaitGroup
	for k := range conversations {
		all.Go(func() {
			got, err := haveConversation(ctx, open, k)
			want := wantOfBranch(k)
			if got != want || err != nil {
				t.Errorf("conversation %d: got\n%s\n%v\nwant\n%s", k, got, err, want)
			}
		})
	}
	inTime(t, "a conversation", all.Wait)
	must.Pass(t, rec)
	if t.Failed() {
		t.FailNow()
	}
}

// haveConversation sends all messages of a conversation, and returns what it has received. It waits
// for the answers to each second message before it sends the next one.
func haveConversation(
	ctx context.Context, open func(context.Context) (textStream, error), conversation int,
) (string, error) {
	s, err := open(ctx)
	if err != nil {
		return "", err
	}
	mayGoOn := make(chan bool, branchTurns)
	failed := make(chan error, 1)
	go func() {
		for turn := range branchTurns {
			waits := turn%2 == 1
			if waits && !<-mayGoOn {
				break
			}
			err := s.Send(branchMessage(conversation, turn))
			if err != nil {
				failed <- err
				return
			}
		}
		failed <- s.CloseSend()
	}()

	var got []string
	for {
		answer, err := s.Recv()
		if err != nil {
			close(mayGoOn)
			sendErr := <-failed
			if err == io.EOF {
				err = sendErr
			}
			return strings.Join(got, "\n"), err
		}
		got = append(got, answer)
		isLastOfTwo := len(got)%4 == 2
		if isLastOfTwo {
			mayGoOn <- true
		}
	}
}

// Concurrent sessions that the server greets, each with an ID of its own, get what they ask for.
// OpenAI's Realtime API greets so, before the client says anything.
func TestConcurrentSessionsGreetedWithAnIDReplay(t *testing.T) {
	t.Parallel()
	const sessions = 8
	var opened atomic.Int64
	upstream := promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
		id := 1e9 + opened.Add(1)*7919
		_ = c.Send(fmt.Sprintf(`{"type":"session.created","event_id":"event_CyAKBrahiT%d",`+
			`"session":{"id":"sess_CyAKBrahiT%d","expires_at":%d}}`, id, id, id))
		m, err := c.Receive()
		if err != nil {
			return
		}
		_ = c.Send(fmt.Sprintf(`{"type":"answer","to":%s}`, m.Data))
		_, _ = c.Receive()
	}))
	run := func(rec *promptecho.Recorder) {
		var all, greeted sync.WaitGroup
		greeted.Add(sessions)
		for k := range sessions {
			all.Go(func() {
				c := dial(t, t.Context(), rec, realtimeURL)
				defer c.Drop()
				_, _ = c.Receive()
				greeted.Done()
				greeted.Wait() // so that each session has a recording when the first one asks
				question := fmt.Sprintf(`{"type":"ask","number":%d}`, k)
				_ = c.Send(question)
				answer := received(c.Receive())
				if answer != `{"type":"answer","to":`+question+`}` {
					t.Errorf("session %d: %s", k, answer)
				}
			})
		}
		inTime(t, "a session", all.Wait)
		must.Close(t, rec)
	}
	file := newCassette(t)
	run(record(t, file, upstream))
	for range full.Cases(5, 100) {
		run(replay(t, file))
	}
}
