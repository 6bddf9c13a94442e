package sessions

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho"
)

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// create returns a message that asks for a response. lane and previous may be empty.
func create(lane, previous, input string) responses.ResponsesClientEventResponseCreateParam {
	e := responses.ResponsesClientEventResponseCreateParam{
		Model: "gpt-5.4-mini",
		Input: responses.ResponsesClientEventResponseCreateInputUnionParam{OfString: openai.String(input)},
	}
	if lane != "" {
		e.StreamID = openai.String(lane)
	}
	if previous != "" {
		e.PreviousResponseID = openai.String(previous)
	}
	return e
}

// receiver is a connection or one of its lanes.
type receiver interface {
	Recv(context.Context) (responses.ResponsesServerEventUnion, error)
}

// readUntil notes the events up to the first one of a type, and returns that one's response.
func readUntil(ctx context.Context, from receiver, see *notes, goroutine, kind string) (id string, err error) {
	for {
		e, err := from.Recv(ctx)
		if err != nil {
			return "", err
		}
		see.add(goroutine, "%s", e.RawJSON())
		switch e.Type {
		case "response.created":
			id = e.OfResponsesServerEventResponseWsCreated.Response.ID
		case "error":
			return "", errors.New(e.RawJSON())
		}
		if e.Type == kind {
			return id, nil
		}
	}
}

// connect opens a connection to the Responses API.
func connect(ctx context.Context, rec *promptecho.Recorder, base string) (*responses.ResponseConnection, error) {
	client := openaiClient(rec, base)
	return client.Responses.Connect(ctx, responses.ResponseConnectionOptions{})
}

// serveResponses returns a server of the Responses API.
func serveResponses(t *testing.T, breaksAfter int) (serve func(*peer)) {
	t.Helper()
	return func(p *peer) { (&responder{peer: p, breaksAfter: breaksAfter}).talk() }
}

// A response over a WebSocket, and one that continues it, replay through openai-go.
func TestOpenAIResponsesOverWebSocket(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, serveResponses(t, 0), websocket.AcceptOptions{})
	ask := func(second string) program {
		return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
			conn, err := connect(ctx, rec, base)
			if err != nil {
				return err
			}
			defer conn.Close()
			previous := ""
			for _, input := range []string{"Say hello.", second} {
				if err := conn.Create(ctx, create("", previous, input)); err != nil {
					return err
				}
				previous, err = readUntil(ctx, conn, see, "events", "response.completed")
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	file := replays(t, server, ask("Say it again."))
	err := wantMiss(t, file, server.URL, ask("Say it twice."), "input", "Say it twice.")
	if !strings.Contains(err.Error(), "promptecho_miss") {
		t.Errorf("the program gets no error event: %v", err)
	}
}

// Four lanes of one connection, with two responses each at the same time, replay through openai-go.
func TestOpenAIResponsesInLanes(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, serveResponses(t, 0), websocket.AcceptOptions{})
	replays(t, server, func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		conn, err := connect(ctx, rec, base)
		if err != nil {
			return err
		}
		defer conn.Close()
		var lanes sync.WaitGroup
		errs := make([]error, 4)
		for n := range errs {
			lanes.Go(func() { errs[n] = talkInLane(ctx, conn, fmt.Sprintf("lane-%d", n), see) })
		}
		lanes.Wait()
		return errors.Join(errs...)
	})
}

// talkInLane has a conversation of two responses.
func talkInLane(ctx context.Context, conn *responses.ResponseConnection, name string, see *notes) error {
	lane, err := conn.Lane(name)
	if err != nil {
		return err
	}
	previous := ""
	for n := range 2 {
		err := conn.Create(ctx, create(name, previous, fmt.Sprintf("question %d of %s", n, name)))
		if err != nil {
			return err
		}
		previous, err = readUntil(ctx, lane, see, name, "response.completed")
		if err != nil {
			return err
		}
	}
	return nil
}

// A response that the client steers ends, and its successor replays, through openai-go.
func TestOpenAIResponseIsSteered(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, serveResponses(t, 0), websocket.AcceptOptions{})
	steers := func(input string) program {
		return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
			conn, err := connect(ctx, rec, base)
			if err != nil {
				return err
			}
			defer conn.Close()
			if err := conn.Create(ctx, create("", "", "steer me")); err != nil {
				return err
			}
			id, err := readUntil(ctx, conn, see, "events", "response.created")
			if err != nil {
				return err
			}
			err = conn.Send(ctx, responses.ResponsesClientEventUnionParam{OfResponseSteer: &responses.ResponseSteerEventParam{
				PreviousResponseID: id,
				Input:              responses.ResponseSteerInputUnionParam{OfString: openai.String(input)},
			}})
			if err != nil {
				return err
			}
			_, err = readUntil(ctx, conn, see, "events", "response.completed")
			return err
		}
	}
	file := replays(t, server, steers("In French."))
	wantMiss(t, file, server.URL, steers("In Greek."), "input", "In Greek.")
}

// A client of openai-go that leaves in the middle of a response replays, and its server is not
// waited for.
func TestOpenAIResponseIsLeft(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, serveResponses(t, 0), websocket.AcceptOptions{})
	replays(t, server, func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		conn, err := connect(ctx, rec, base)
		if err != nil {
			return err
		}
		if err := conn.Create(ctx, create("", "", "wait")); err != nil {
			return err
		}
		for range 4 {
			_, err := conn.Recv(ctx)
			if err != nil {
				return err
			}
		}
		waiting, cancel := context.WithCancel(ctx)
		cancel()
		_, err = conn.Recv(waiting)
		see.add("events", "%v", err)
		conn.Abort()
		_, err = conn.Recv(ctx)
		see.add("events", "%v", err)
		return nil
	})
}

// A Responses connection that breaks in the middle of a response, and that openai-go recovers, replays
// as two sessions. Both begin alike, since the question is asked again.
func TestOpenAIResponsesRecover(t *testing.T) {
	t.Parallel()
	for _, breaksAfter := range []int{1, 2} {
		t.Run(fmt.Sprintf("after %d deltas", breaksAfter), func(t *testing.T) {
			t.Parallel()
			server := serveSockets(t, serveResponses(t, breaksAfter), websocket.AcceptOptions{})
			file := replays(t, server, askUntilAnswered)
			if n := sessionsIn(t, file); n != 2 {
				t.Errorf("%d sessions, want 2:\n%s", n, read(t, file))
			}
		})
	}
}

func askUntilAnswered(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
	conn, err := connect(ctx, rec, base)
	if err != nil {
		return err
	}
	ask := func(ctx context.Context, c *responses.ResponseConnection) error {
		return c.Create(ctx, create("", "", "Say hello."))
	}
	if err := ask(ctx, conn); err != nil {
		return err
	}
	_, err = readUntil(ctx, conn, see, "events", "response.completed")
	if err == nil {
		return errors.New("the connection did not break")
	}
	conn, err = conn.Recover(ctx, responses.ResponseRecoveryOptions{Restore: ask})
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = readUntil(ctx, conn, see, "events", "response.completed")
	return err
}

func decodeBase64(text string) string {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
