package fakeprovider

import (
	"bytes"
	"context"
	"net/http"
)

// A Script has the answers of the model in the sessions of a provider.
type Script struct {
	// Number returns the number of the next response, or of the one that Turn has
	// just returned. IDs and times count up with it, so responses over HTTP take
	// their numbers from the same function.
	Number func() int

	// Turn returns the answer to a request, or the error of the provider.
	Turn func(*Request) (Reply, *Problem)

	// Refused is called with each request that the provider refuses by itself, of
	// which Turn is not asked; nil if it need not be known.
	Refused func(*Request)

	// End returns how the connection ends after the answer to a request. It may be
	// nil, and return nil: then the connection stays open.
	End func(*Request) *Ending
}

// An Ending is the end of a WebSocket by the server, during an answer or after it.
type Ending struct {
	After  int    // the number of messages of the answer that are sent before
	Code   int    // of the Close frame; 0 for an end without one
	Reason string // of the Close frame
}

// A Session is the side of the provider in the conversation of one WebSocket. It
// is not safe for concurrent use.
type Session struct {
	n      int // the number of the response that opened the WebSocket
	script Script
	state  *State
	api    socketAPI

	post      *http.Request // to the endpoint, without a WebSocket and without a body
	protocols []string      // the subprotocols that the client offers
}

// A socketAPI is the side of the provider in a conversation over a WebSocket.
type socketAPI interface {
	// open returns the messages that are sent before the client sends any.
	open() []object

	// receive returns the answer to a message of the client.
	receive(message object) ([]object, *Ending)

	// refusal returns the message that reports an error. The error is the member
	// "error" of a response over HTTP with this status.
	refusal(message, err object, status int) object
}

// open returns the messages that the server sends first.
func (s *Session) open() [][]byte { return encodeAll(s.api.open()) }

// Receive returns the answer to a message of the client, and how the connection
// ends after it; nil if it stays open.
func (s *Session) Receive(message []byte) (answer [][]byte, end *Ending) {
	v, err := decode(message)
	m, isObject := v.(object)
	if err != nil || !isObject {
		refusal := s.refuse(nil, s.unread(), s.n, openai.badJSON(err))
		return encodeAll([]object{refusal}), nil
	}
	events, end := s.api.receive(m)
	if end != nil {
		events = events[:min(max(end.After, 0), len(events))]
	}
	return encodeAll(events), end
}

// ask answers a request that a message of the client has.
func (s *Session) ask(message object, req *Request) (a sessionAnswer) {
	if req.Problem != nil {
		a.n = s.script.Number()
		if s.script.Refused != nil {
			s.script.Refused(req)
		}
		a.refusal = s.refuse(message, req, a.n, *req.Problem)
		return a
	}

	reply, problem := s.script.Turn(req)
	a.n = s.script.Number()
	if s.script.End != nil {
		a.end = s.script.End(req)
	}
	if problem != nil {
		a.refusal = s.refuse(message, req, a.n, *problem)
		return a
	}
	a.events = req.socketEvents(a.n, reply)
	return a
}

// A sessionAnswer is the answer to one request of a session.
type sessionAnswer struct {
	n       int
	events  []object // nil if the request is refused
	refusal object   // the message that reports why the request is refused
	end     *Ending
}

// socketEvents returns the events of an answer, without the frames of a stream.
func (r *Request) socketEvents(n int, reply Reply) []object {
	var events []object
	for _, framed := range r.Answer(n, reply).Events {
		events = append(events, unframe(framed))
	}
	return events
}

// refuse returns the message that reports a problem.
func (s *Session) refuse(message object, req *Request, n int, p Problem) object {
	resp := req.Refuse(n, p)
	v, _ := decode(resp.Body)
	body, _ := v.(object)
	return s.api.refusal(message, body.sub("error"), resp.Status)
}

// unread returns a request for a message that has none.
func (s *Session) unread() *Request {
	return &Request{vendor: openai, call: &call{method: s.post.Method, path: s.post.URL.Path}}
}

// unknownType refuses a message whose type the API does not have.
func (s *Session) unknownType(message object, types string) object {
	p := Problem{
		Status: http.StatusBadRequest,
		Kind:   "invalid_request_error",
		Param:  "type",
		Code:   "invalid_value",
		Message: "Invalid value: '" + message.text("type") + "'. Supported values are: " +
			types + ".",
	}
	if message.text("type") == "" {
		p = *missing("type")
	}
	return s.refuse(message, s.unread(), s.n, p)
}

// request returns the POST request of the session. Its body is read by the caller.
func (s *Session) request() *http.Request { return s.post.Clone(context.Background()) }

func encodeAll(messages []object) [][]byte {
	var encoded [][]byte
	for _, m := range messages {
		encoded = append(encoded, encode(m))
	}
	return encoded
}

// unframe returns the data of an event of a stream.
func unframe(event []byte) object {
	if bytes.HasPrefix(event, []byte("event: ")) {
		_, event, _ = bytes.Cut(event, []byte("\n"))
	}
	event = bytes.TrimPrefix(event, []byte("data: "))
	v, _ := decode(event)
	o, _ := v.(object)
	return o
}
