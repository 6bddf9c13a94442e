package fakeprovider

import "slices"

// A responsesSocket is OpenAI's Responses over a WebSocket: the client sends
// response.create with the body of a request, and gets the events of its stream
// (https://platform.openai.com/docs/guides/websocket-mode).
type responsesSocket struct{ session *Session }

func startResponsesSocket(s *Session) socketAPI { return &responsesSocket{s} }

func (*responsesSocket) open() []object { return nil }

func (a *responsesSocket) receive(message object) ([]object, *Ending) {
	switch message.text("type") {
	case "response.create":
		return a.create(message)
	case "response.steer":
		return []object{a.steer(message)}, nil
	}
	types := "'response.create' and 'response.steer'"
	return []object{a.session.unknownType(message, types)}, nil
}

// create answers response.create.
func (a *responsesSocket) create(message object) ([]object, *Ending) {
	// The members that the body of a POST request does not have.
	body := message.without("type", "stream_id", "event_id", "generate")
	body = body.with("stream", true)
	req := Read(a.session.request(), encode(body), a.session.state)

	if message.get("generate") == false && req.Problem == nil {
		return a.inLane(message, a.prepare(req)), nil
	}
	answer := a.session.ask(message, req)
	if answer.refusal != nil {
		return []object{answer.refusal}, answer.end
	}
	a.remember(req, answer.events)
	return a.inLane(message, answer.events), answer.end
}

// prepare answers a request with "generate": false, which prepares the state of
// a later request. The model is not asked, and the response has no output.
func (a *responsesSocket) prepare(req *Request) []object {
	var events []object
	for _, e := range req.socketEvents(a.session.script.Number(), Reply{}) {
		if resp := e.sub("response"); resp != nil {
			events = append(events, e.with("response", resp.with("output", []any{})))
		}
	}
	a.session.state.recall.put(responsesID(req.call), req.prompt.turns)
	return events
}

// remember keeps a response that is not to be stored: it can be continued over
// WebSockets, which keep it in memory.
func (a *responsesSocket) remember(req *Request, events []object) {
	if req.call.body.get("store") != false || len(events) == 0 {
		return
	}
	resp := events[len(events)-1].sub("response")
	isWhole := slices.Contains([]string{"completed", "incomplete"}, resp.text("status"))
	if !isWhole {
		return
	}
	p := prompt{turns: slices.Clone(req.prompt.turns)}
	for _, item := range objects(resp.list("output")) {
		p.add(item)
	}
	a.session.state.recall.put(resp.text("id"), p.turns)
}

// inLane adds the lane of a message to the events of its answer.
func (a *responsesSocket) inLane(message object, events []object) []object {
	var inLane []object
	for _, e := range events {
		inLane = append(inLane, laned(message, socketError(e)))
	}
	return inLane
}

// socketError returns an event of a stream as a WebSocket has it: the members of an
// error are in an object of their own.
func socketError(e object) object {
	if e.text("type") != "error" {
		return e
	}
	err := append(object{{"type", "server_error"}}, e.without("type", "sequence_number")...)
	number := field{"sequence_number", e.number("sequence_number")}
	return object{{"type", "error"}, {"error", err}, number}
}

// laned adds the lane of a message to an event of its answer.
func laned(message, event object) object {
	if id := message.text("stream_id"); id != "" {
		return event.with("stream_id", id)
	}
	return event
}

// steer refuses to steer: each response is complete before the next message of
// the client is read.
func (a *responsesSocket) steer(message object) object {
	return object{
		{"type", "response.steer.failed"},
		{"sequence_number", 0},
		{"error", object{
			{"type", "invalid_request_error"},
			{"code", "response_already_completed"},
			{"message", "The response is completed and cannot be steered."},
		}},
		{"steer", object{
			{"previous_response_id", message.text("previous_response_id")},
			{"input", message.get("input")},
		}},
	}
}

func (a *responsesSocket) refusal(message, err object, status int) object {
	event := object{{"type", "error"}, {"status", status}, {"error", err}}
	return laned(message, event)
}
