package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

// A peer is the server's side of a WebSocket. Its methods end the connection at the first error.
type peer struct {
	ctx        context.Context
	conn       *websocket.Conn
	connection int // 1 for the first connection of the server
}

// serveSockets returns a server that calls talk for each WebSocket, and closes it afterwards.
func serveSockets(t *testing.T, talk func(p *peer), opts websocket.AcceptOptions) *httptest.Server {
	s := httptest.NewServer(socketHandler(t.Context(), talk, opts))
	t.Cleanup(s.Close)
	return s
}

func socketHandler(ctx context.Context, talk func(p *peer), opts websocket.AcceptOptions) http.HandlerFunc {
	var connections atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &opts)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		talk(&peer{ctx: ctx, conn: conn, connection: int(connections.Add(1))})
	}
}

// An event is a message of a client of OpenAI.
type event struct {
	Type               string          `json:"type"`
	EventID            string          `json:"event_id"`
	Audio              string          `json:"audio"`
	StreamID           string          `json:"stream_id"`
	Input              json.RawMessage `json:"input"`
	PreviousResponseID string          `json:"previous_response_id"`
}

// next returns the next message of the client. It returns false at the end of the connection.
func (p *peer) next() (e event, ok bool) {
	_, text, err := p.conn.Read(p.ctx)
	if err != nil {
		return e, false
	}
	err = json.Unmarshal(text, &e)
	return e, err == nil
}

// sendf sends a message.
func (p *peer) sendf(format string, args ...any) {
	_ = p.conn.Write(p.ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
}

// breakOff ends the connection without a close frame.
func (p *peer) breakOff() { _ = p.conn.CloseNow() }

// newID returns an ID as an API makes it up, another one in each run.
func newID(kind string) string { return kind + "_" + uuid.NewString() }

// talkRealtime plays OpenAI's Realtime API. A response to "wait" does not end before the client
// cancels it. The first connection breaks in the middle of a response to "break".
func talkRealtime(p *peer) {
	p.sendf(`{"type":"session.created","event_id":"%s","session":{"id":"%s","model":"gpt-realtime"}}`, newID("event"), newID("sess"))
	asked := ""
	response := ""
	audio := 0
	for {
		e, ok := p.next()
		if !ok {
			return
		}
		switch e.Type {
		case "session.update":
			p.sendf(`{"type":"session.updated","event_id":"%s","session":{"model":"gpt-realtime"}}`, newID("event"))
		case "conversation.item.create":
			asked = "text"
			p.sendf(`{"type":"conversation.item.added","event_id":"%s","item":{"id":"%s","type":"message"}}`, newID("event"), newID("item"))
		case "input_audio_buffer.append":
			audio += len(e.Audio)
		case "input_audio_buffer.commit":
			asked = "audio"
			p.sendf(`{"type":"input_audio_buffer.committed","event_id":"%s","item_id":"%s"}`, newID("event"), newID("item"))
		case "response.create":
			response = newID("resp")
			p.sendf(`{"type":"response.created","event_id":"%s","response":{"id":"%s","status":"in_progress"}}`, newID("event"), response)
			for n := range 3 {
				p.sendf(`{"type":"response.output_text.delta","event_id":"%s","response_id":"%s","item_id":"item_1","output_index":0,"content_index":0,"delta":"%s %d "}`,
					newID("event"), response, asked, n)
			}
			p.sendf(`{"type":"response.done","event_id":"%s","response":{"id":"%s","status":"completed"}}`, newID("event"), response)
		case "response.cancel":
			p.sendf(`{"type":"response.done","event_id":"%s","response":{"id":"%s","status":"cancelled"}}`, newID("event"), response)
		}
	}
}

// A responder plays OpenAI's Responses API over a WebSocket: each response in a goroutine of its
// own, so the events of concurrent responses are mixed.
type responder struct {
	*peer
	writing sync.Mutex

	// breaksAfter is the number of deltas after which the first connection breaks; 0 if it does
	// not.
	breaksAfter int
}

// sendf sends an event with the lane of the message that it answers.
func (r *responder) send(e event, kind, format string, args ...any) {
	lane := ""
	if e.StreamID != "" {
		lane = fmt.Sprintf(`"stream_id":%q,`, e.StreamID)
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	r.sendf(`{"type":%q,%s%s}`, kind, lane, fmt.Sprintf(format, args...))
}

func (r *responder) talk() {
	steered := make(chan event)
	var responses sync.WaitGroup
	defer responses.Wait()
	for {
		e, ok := r.next()
		if !ok {
			return
		}
		switch e.Type {
		case "response.create":
			responses.Go(func() { r.respond(e, steered) })
		case "response.steer":
			id := newID("steer")
			r.send(e, "response.steer.accepted", `"steer":{"id":%q,"response_id":%q}`, id, e.PreviousResponseID)
			steered <- e
		}
	}
}

// respond sends a response. Its text repeats the input. A response to "steer me" waits until the
// client steers it, and one to "wait" never ends.
func (r *responder) respond(e event, steered chan event) {
	id := newID("resp")
	r.send(e, "response.created", `"response":{"id":%q,"status":"in_progress","output":[]}`, id)
	for n := range 3 {
		if r.breaksAfter > 0 && n == r.breaksAfter && r.connection == 1 {
			r.breakOff()
			return
		}
		r.send(e, "response.output_text.delta", `"item_id":"msg_1","output_index":0,"content_index":0,"sequence_number":%d,"delta":"%d"`, n, n)
	}
	switch string(e.Input) {
	case `"wait"`:
		return
	case `"steer me"`:
		steer := <-steered
		r.send(e, "response.incomplete", `"response":{"id":%q,"status":"incomplete","incomplete_details":{"reason":"steered"},"output":[]}`, id)
		id = newID("resp")
		r.send(e, "response.created", `"response":{"id":%q,"status":"in_progress","output":[]}`, id)
		e.Input = steer.Input
	}
	r.send(e, "response.completed", `"response":{"id":%q,"status":"completed","previous_response_id":%q,"output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
		id, e.PreviousResponseID, e.Input)
}
