package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	openaisocket "github.com/openai/openai-go/v3/packages/websocket"
	"github.com/openai/openai-go/v3/realtime"

	"github.com/promptecho/promptecho"
)

// openaiClient returns a client as a program makes it for a test.
func openaiClient(rec *promptecho.Recorder, base string, opts ...option.RequestOption) openai.Client {
	opts = append(opts, option.WithHTTPClient(rec.Client()), option.WithBaseURL(base+"/v1"), option.WithAPIKey(fakeKey))
	return openai.NewClient(opts...)
}

// A realtimeChat is a conversation over the Realtime API.
type realtimeChat struct {
	ctx  context.Context
	conn *realtime.RealtimeConnection
	see  *notes
	err  error // the first one
}

func (c *realtimeChat) send(e realtime.RealtimeClientEventUnionParam) {
	if c.err == nil {
		c.err = c.conn.Send(c.ctx, e)
	}
}

// readUntil notes the events up to the first one of a type.
func (c *realtimeChat) readUntil(kind string) {
	for c.err == nil {
		e, err := c.conn.Recv(c.ctx)
		if err != nil {
			c.err = err
			return
		}
		c.see.add("events", "%s", e.RawJSON())
		switch e.Type {
		case kind:
			return
		case "error":
			c.err = errors.New(e.RawJSON())
		}
	}
}

// instruct sets the instructions of the session.
func (c *realtimeChat) instruct(instructions string) {
	session := realtime.RealtimeSessionCreateRequestParam{Instructions: openai.String(instructions)}
	c.send(realtime.RealtimeClientEventUnionParam{OfSessionUpdate: &realtime.SessionUpdateEventParam{
		EventID: openai.String(newID("event")),
		Session: realtime.SessionUpdateEventSessionUnionParam{OfRealtime: &session},
	}})
}

// write adds a message of the user to the conversation.
func (c *realtimeChat) write(text string) {
	item := realtime.ConversationItemParamOfRealtimeUserMessageItem([]realtime.RealtimeConversationItemUserMessageContentParam{{
		Type: "input_text", Text: openai.String(text),
	}})
	item.OfRealtimeUserMessageItem.ID = openai.String(newID("item"))
	c.send(realtime.RealtimeClientEventUnionParam{OfConversationItemCreate: &realtime.ConversationItemCreateEventParam{Item: item}})
}

// speak sends audio in pieces of a size.
func (c *realtimeChat) speak(audio []byte, size int) {
	for len(audio) > 0 {
		piece := audio[:min(size, len(audio))]
		audio = audio[len(piece):]
		c.send(realtime.RealtimeClientEventUnionParam{OfInputAudioBufferAppend: &realtime.InputAudioBufferAppendEventParam{Audio: base64Of(piece)}})
	}
	c.send(realtime.RealtimeClientEventUnionParam{OfInputAudioBufferCommit: &realtime.InputAudioBufferCommitEventParam{}})
}

func (c *realtimeChat) respond() {
	c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{EventID: openai.String(newID("event"))}})
}

func (c *realtimeChat) cancel() {
	c.send(realtime.RealtimeClientEventUnionParam{OfResponseCancel: &realtime.ResponseCancelEventParam{}})
}

// realtimeProgram has a conversation by text and by audio, and cancels a response.
func realtimeProgram(instructions string) program {
	runs := 0
	return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		runs++
		client := openaiClient(rec, base)
		conn, err := client.Realtime.Connect(ctx, realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
		if err != nil {
			return err
		}
		defer conn.Close()
		c := &realtimeChat{ctx: ctx, conn: conn, see: see}
		c.readUntil("session.created")
		c.instruct(instructions)
		c.readUntil("session.updated")
		c.write("Say hello.")
		c.readUntil("conversation.item.added")
		c.respond()
		c.readUntil("response.done")
		c.speak([]byte(strings.Repeat("audio of the user ", 100)), 100+7*runs) // cut differently in each run
		c.readUntil("input_audio_buffer.committed")
		c.respond()
		c.readUntil("response.output_text.delta")
		c.cancel()
		c.readUntil("response.done")
		c.readUntil("response.done")
		return c.err
	}
}

// A conversation by text and audio, with a response that is canceled, replays through the Realtime API
// of openai-go.
func TestOpenAIRealtime(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, talkRealtime, websocket.AcceptOptions{})
	file := replays(t, server, realtimeProgram("Be kind."))
	text := read(t, file)
	for _, want := range []string{`instructions: "Be kind."`, "stream: websocket", "input_audio_buffer.append"} {
		if !strings.Contains(text, want) {
			t.Errorf("the cassette does not have %q:\n%s", want, text)
		}
	}

	err := wantMiss(t, file, server.URL, realtimeProgram("Be rude."), "session/instructions", "Be rude.")
	if !strings.Contains(err.Error(), "promptecho_miss") {
		t.Errorf("the program gets no error event: %v", err)
	}
}

// A Realtime connection that breaks in the middle of a response, and that openai-go opens again,
// replays as two sessions. In the second one, what had no answer is sent again.
func TestOpenAIRealtimeReconnects(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, func(p *peer) {
		if p.connection > 1 {
			talkRealtime(p)
			return
		}
		p.sendf(`{"type":"session.created","event_id":"%s","session":{"id":"%s"}}`, newID("event"), newID("sess"))
		p.next()
		p.sendf(`{"type":"session.updated","event_id":"%s","session":{}}`, newID("event"))
		p.next()
		p.sendf(`{"type":"conversation.item.added","event_id":"%s","item":{"id":"%s","type":"message"}}`, newID("event"), newID("item"))
		p.next()
		p.sendf(`{"type":"response.created","event_id":"%s","response":{"id":"%s"}}`, newID("event"), newID("resp"))
		p.breakOff()
	}, websocket.AcceptOptions{})
	reconnects := func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		isBack := make(chan bool, 1)
		client := openaiClient(rec, base)
		conn, err := client.Realtime.Connect(ctx, realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"),
			option.WithWebSocketRecovery(openaisocket.RecoveryOptions{
				Enabled: true, InitialDelay: time.Millisecond, OnReconnected: func() { isBack <- true },
			}))
		if err != nil {
			return err
		}
		defer conn.Close()
		c := &realtimeChat{ctx: ctx, conn: conn, see: see}
		c.readUntil("session.created")
		ask := func() {
			c.instruct("Be kind.")
			c.readUntil("session.updated")
			c.write("Say hello.")
			c.readUntil("conversation.item.added")
			c.respond()
		}
		ask()
		c.readUntil("response.created")
		c.readUntil("session.created") // of the second connection, which Recv opens
		<-isBack
		ask()
		c.readUntil("response.done")
		return c.err
	}
	file := replays(t, server, reconnects)
	if n := sessionsIn(t, file); n != 2 {
		t.Errorf("%d sessions, want 2:\n%s", n, read(t, file))
	}
}

// Three sessions of the Realtime API that are open at once, and begin alike, each get their own
// recording.
func TestOpenAIRealtimeSessionsAtOnce(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, talkRealtime, websocket.AcceptOptions{})
	replays(t, server, func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		const sessions = 3
		errs := make(chan error, sessions)
		for n := range sessions {
			go func() {
				errs <- func() error {
					client := openaiClient(rec, base)
					conn, err := client.Realtime.Connect(ctx, realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
					if err != nil {
						return err
					}
					defer conn.Close()
					var saw notes // of this session
					c := &realtimeChat{ctx: ctx, conn: conn, see: &saw}
					c.readUntil("session.created")
					c.instruct("Be kind.")
					c.readUntil("session.updated")
					c.write(fmt.Sprintf("I am number %d.", n))
					c.readUntil("conversation.item.added")
					c.respond()
					c.readUntil("response.done")
					// The session is told from the others when it says its number.
					for _, line := range saw.all()[2:] {
						see.add(fmt.Sprint(n), "%s", line)
					}
					return c.err
				}()
			}()
		}
		var all error
		for range sessions {
			all = errors.Join(all, <-errs)
		}
		return all
	})
}
