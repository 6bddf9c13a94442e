package fakeprovider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// socketTurn is the answer to a request of a test, or an error.
type socketTurn struct {
	reply   Reply
	problem *Problem
	end     *Ending
}

// A socketProvider answers the requests of a test with its turns in order, as a
// transport in the process and as a server.
type socketProvider struct {
	Sockets
	state State

	mu       sync.Mutex
	turns    []socketTurn
	requests []*Request
	n        int
	last     socketTurn
}

func (p *socketProvider) script() Script {
	return Script{
		Number: func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.n++
			return p.n
		},
		Turn: func(req *Request) (Reply, *Problem) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.requests = append(p.requests, req)
			if len(p.turns) == 0 {
				return Reply{}, &Problem{Status: 500}
			}
			p.last, p.turns = p.turns[0], p.turns[1:]
			return p.last.reply, p.last.problem
		},
		End: func(*Request) *Ending {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.last.end
		},
	}
}

func (p *socketProvider) RoundTrip(r *http.Request) (*http.Response, error) {
	h := ReadHandshake(r, &p.state)
	if h == nil {
		return nil, errors.New("not a WebSocket")
	}
	if h.Problem != nil {
		resp := h.Refuse(1, *h.Problem)
		return &http.Response{
			StatusCode: resp.Status,
			Header:     resp.Header,
			Body:       io.NopCloser(bytes.NewReader(resp.Body)),
		}, nil
	}
	return p.Connect(h, h.Session(p.script())), nil
}

func (p *socketProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := ReadHandshake(r, &p.state)
	_ = p.Serve(w, h, h.Session(p.script()))
}

// dial opens a WebSocket to a path.
func (p *socketProvider) dial(t *testing.T, path string, header http.Header) *socket.Conn {
	t.Helper()
	t.Cleanup(p.Close)
	if header == nil {
		header = http.Header{"Authorization": {"Bearer sk-test"}}
	}
	d := socket.Dialer{Client: &http.Client{Transport: p}, Header: header}
	conn, err := d.Dial(t.Context(), "http://provider.test"+path)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// talk sends messages, and returns what the server sends until it has answered a
// ping that follows them.
func talk(t *testing.T, conn *socket.Conn, messages ...string) []object {
	t.Helper()
	for _, m := range messages {
		if err := conn.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	ping := websocket.Message{Opcode: websocket.Ping, Data: []byte("end")}
	if err := conn.SendMessage(ping); err != nil {
		t.Fatal(err)
	}
	var events []object
	for {
		m, err := conn.Receive()
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		if m.Opcode == websocket.Pong && string(m.Data) == "end" {
			return events
		}
		events = append(events, parse(t, string(m.Data)))
	}
}

// types returns the types of events; runs of equal ones as one with a +.
func types(events []object) string {
	var list []event
	for _, e := range events {
		list = append(list, event{name: e.text("type")})
	}
	return order(list, func(e event) string { return e.name })
}

// Over a WebSocket, the events of a response are those of its stream over HTTP.
func TestResponsesSocketHasEventsOfStream(t *testing.T) {
	for _, c := range []struct {
		name, body string
		reply      Reply
	}{
		{"text", `"input":"hello"`, Reply{Text: "Good morning."}},
		{"pieces", `"input":"hello"`, Reply{Pieces: []string{"Good ", "data: morning"}}},
		{"calls", `"input":"hello","tools":[` + responsesTool + `]`,
			Reply{Calls: []Call{{Name: "get_weather", Args: `{"city":"Oslo"}`}, {Name: "get_weather", Args: `{}`}}}},
		{"length", `"input":"hello"`, Reply{Text: "Good", Finish: FinishLength}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &socketProvider{turns: []socketTurn{{reply: c.reply}}}
			conn := p.dial(t, responsesPath, nil)
			got := talk(t, conn, `{"type":"response.create","model":"m",`+c.body+`}`)

			post := httptest.NewRequest("POST", responsesPath, nil)
			post.Header.Set("Authorization", "Bearer sk-test")
			req := Read(post, []byte(`{"model":"m",`+c.body+`,"stream":true}`), &State{})
			want := req.socketEvents(2, c.reply)
			if len(want) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %s\nwant %s", encodeAll(got), encodeAll(want))
			}
			if len(p.requests) != 1 || !reflect.DeepEqual(p.requests[0].prompt, req.prompt) {
				t.Errorf("the request was read as %+v", p.requests)
			}
		})
	}
}

// A response over a WebSocket can be continued, whether it is to be stored or only
// prepared.
func TestResponsesSocketContinues(t *testing.T) {
	for _, option := range []string{`"store":true`, `"store":false`, `"generate":false`} {
		turns := []socketTurn{{reply: Reply{Text: "Yes."}}, {reply: Reply{Text: "No."}}}
		if strings.Contains(option, "generate") {
			turns = turns[1:]
		}
		p := &socketProvider{turns: turns}
		conn := p.dial(t, responsesPath, nil)
		first := talk(t, conn, `{"type":"response.create","model":"m","input":"Really?",`+option+`}`)
		id := first[len(first)-1].sub("response").text("id")
		second := talk(t, conn, `{"type":"response.create","model":"m","input":"And now?","previous_response_id":`+quote(id)+`}`)
		if got := second[len(second)-1]; got.text("type") != "response.completed" {
			t.Errorf("%s: %s", option, encode(got))
		}
		got := p.requests[len(p.requests)-1].prompt
		var said []string
		for _, turn := range got.turns {
			if turn.text != "Yes." {
				said = append(said, turn.text)
			}
		}
		prepared := strings.Contains(option, "generate")
		if strings.Join(said, " ") != "Really? And now?" || prepared != (len(said) == len(got.turns)) {
			t.Errorf("%s: %+v", option, got.turns)
		}
	}
}

// Each event of an answer names the lane of its request.
func TestResponsesSocketLanes(t *testing.T) {
	p := &socketProvider{turns: []socketTurn{
		{reply: Reply{Text: "One."}},
		{problem: &Problem{Status: 429}},
	}}
	conn := p.dial(t, responsesPath, nil)
	for _, lane := range []string{"a", "b"} {
		events := talk(t, conn, `{"type":"response.create","model":"m","input":"x","stream_id":"`+lane+`"}`)
		for _, e := range events {
			if e.text("stream_id") != lane {
				t.Errorf("%s: %s", lane, encode(e))
			}
		}
	}
}

// Errors are events in the layout of the API, and leave the WebSocket open.
func TestSocketErrors(t *testing.T) {
	const create = `{"type":"response.create","model":"m","input":"x"}`
	overloaded := &Problem{Status: 503, Kind: "overloaded", Message: "Try later."}
	for _, c := range []struct {
		name, path, message string
		problem             *Problem
		want                string
	}{
		{"scripted", responsesPath, create, overloaded,
			`{"type":"error","status":503,"error":{"message":"Try later.","type":"overloaded","param":null,"code":null}}`},
		{"no model", responsesPath, `{"type":"response.create","input":"x"}`, nil,
			`{"type":"error","status":400,"error":{"message":"you must provide a model parameter","type":"invalid_request_error","param":null,"code":null}}`},
		{"unknown type", responsesPath, `{"type":"response.make"}`, nil,
			`{"type":"error","status":400,"error":{"message":"Invalid value: 'response.make'. Supported values are: 'response.create' and 'response.steer'.","type":"invalid_request_error","param":"type","code":"invalid_value"}}`},
		{"steering a complete response", responsesPath, `{"type":"response.steer","previous_response_id":"r","input":"x"}`, nil,
			`{"type":"response.steer.failed","sequence_number":0,"error":{"type":"invalid_request_error","code":"response_already_completed","message":"The response is completed and cannot be steered."},"steer":{"previous_response_id":"r","input":"x"}}`},
		{"scripted, realtime", realtimePath, `{"type":"response.create","event_id":"e1"}`, overloaded,
			`{"type":"error","event_id":"event_standin000001_2","error":{"message":"Try later.","type":"overloaded","param":null,"code":null,"event_id":"e1"}}`},
		{"no type, realtime", realtimePath, `{}`, nil,
			`{"type":"error","event_id":"event_standin000001_2","error":{"message":"Missing required parameter: 'type'.","type":"invalid_request_error","param":"type","code":"missing_required_parameter","event_id":null}}`},
		{"nothing to cancel", realtimePath, `{"type":"response.cancel"}`, nil,
			`{"type":"error","event_id":"event_standin000001_2","error":{"message":"Cancellation failed: no active response found","type":"invalid_request_error","param":null,"code":"response_cancel_not_active","event_id":null}}`},
	} {
		p := &socketProvider{turns: []socketTurn{{problem: c.problem}}}
		conn := p.dial(t, c.path, nil)
		events := talk(t, conn, c.message)
		if got := string(encode(events[len(events)-1])); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		talk(t, conn, c.message)
	}
	for _, message := range []string{"", "{", "[]", `"x"`, `{"type":"response.create"}{}`} {
		for _, path := range []string{responsesPath, realtimePath} {
			events := talk(t, (&socketProvider{}).dial(t, path, nil), message)
			last := events[len(events)-1]
			if !strings.Contains(last.sub("error").text("message"), "could not parse") {
				t.Errorf("%s %q: %s", path, message, encode(last))
			}
		}
	}
}

// A handshake without a key, to an unknown path or model is refused over HTTP.
func TestHandshakeRefused(t *testing.T) {
	key := http.Header{"Authorization": {"Bearer sk-test"}}
	inProtocol := http.Header{"Sec-Websocket-Protocol": {"realtime, openai-insecure-api-key.sk-test"}}
	for _, c := range []struct {
		path   string
		header http.Header
		status int
	}{
		{responsesPath, key, 101},
		{responsesPath + "/", key, 101},
		{realtimePath, key, 101},
		{realtimePath, inProtocol, 101},
		{"/openai/realtime?deployment=d&api-key=k", http.Header{}, 101},
		{"/v1/realtime?call_id=c", key, 101},
		{responsesPath, http.Header{}, 401},
		{realtimePath, http.Header{}, 401},
		{"/v1/realtime", key, 400},
		{"/v1/realtime?model=no-such-model", key, 404},
		{"/v1/chat/completions", key, 404},
	} {
		p := &socketProvider{}
		d := socket.Dialer{Client: &http.Client{Transport: p}, Header: c.header}
		_, err := d.Dial(t.Context(), "http://provider.test"+c.path)
		status := 101
		var refused *socket.Refused
		if errors.As(err, &refused) {
			status = refused.Status
			if parse(t, refused.Body).sub("error").text("message") == "" {
				t.Errorf("%s: %s", c.path, refused.Body)
			}
		}
		if status != c.status {
			t.Errorf("%s %v: status %d, want %d (%v)", c.path, c.header, status, c.status, err)
		}
		p.Close()
	}
	if ReadHandshake(httptest.NewRequest("GET", responsesPath, nil), &State{}) != nil {
		t.Error("a request without an upgrade is a handshake")
	}
}

// A WebSocket ends as the client or the script says, and with the code that the
// protocol has for a wrong message.
func TestSocketEnds(t *testing.T) {
	create := `{"type":"response.create","model":"m","input":"x"}`
	closed := func(code int, reason string) string {
		return string(websocket.CloseData(code, reason))
	}
	for _, c := range []struct {
		name   string
		act    func(*socket.Conn) error
		end    *Ending
		events int
		want   string // the data of the Close frame; "none" for an end without one
	}{
		{"closed by the client", func(conn *socket.Conn) error { return conn.SendClose(4000, "done") }, nil, 0, closed(4000, "done")},
		{"closed without a code", func(conn *socket.Conn) error { return conn.SendClose(1005, "") }, nil, 0, ""},
		{"binary", func(conn *socket.Conn) error { return conn.SendBytes([]byte(create)) }, nil, 0, closed(1003, "Binary messages are not supported.")},
		{"a frame without a mask", func(conn *socket.Conn) error {
			return conn.SendRaw(websocket.AppendFrame(nil, websocket.Text, []byte(create)))
		}, nil, 0, "\x03\xea"},
		{"closed by the script", func(conn *socket.Conn) error { return conn.Send(create) }, &Ending{After: 3, Code: 1011, Reason: "sorry"}, 3, closed(1011, "sorry")},
		{"broken by the script", func(conn *socket.Conn) error { return conn.Send(create) }, &Ending{After: 2}, 2, "none"},
		{"broken before the answer", func(conn *socket.Conn) error { return conn.Send(create) }, &Ending{}, 0, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &socketProvider{turns: []socketTurn{{reply: Reply{Text: "Good morning."}, end: c.end}}}
			conn := p.dial(t, responsesPath, nil)
			if err := c.act(conn); err != nil {
				t.Fatal(err)
			}
			events := 0
			got := "none"
			for {
				m, err := conn.Receive()
				if err != nil {
					break
				}
				if m.Opcode == websocket.Close {
					got = string(m.Data)
					_ = conn.SendClose(1000, "") // ignored where the client has sent one
					continue
				}
				events++
			}
			if events != c.events || !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%d events, then %q; want %d, then %q", events, got, c.events, c.want)
			}
			p.serving.Wait() // no goroutine is left
		})
	}
}

// A client that leaves without a word, in the middle of an answer or of a frame,
// leaves no goroutine.
func TestSocketClientLeaves(t *testing.T) {
	p := &socketProvider{turns: []socketTurn{{reply: Reply{Text: "Good morning."}}}}
	conn := p.dial(t, responsesPath, nil)
	if err := conn.Send(`{"type":"response.create","model":"m","input":"x"}`); err != nil {
		t.Fatal(err)
	}
	conn.Drop()
	half := p.dial(t, realtimePath, nil)
	if err := half.SendRaw([]byte{0x81, 0xff, 0}); err != nil {
		t.Fatal(err)
	}
	half.Drop()
	p.serving.Wait()
}

// Close ends WebSockets that are open, and those that are opened later.
func TestSocketsClose(t *testing.T) {
	p := &socketProvider{}
	before := p.dial(t, responsesPath, nil)
	p.Close()
	after := p.dial(t, responsesPath, nil)
	for _, conn := range []*socket.Conn{before, after} {
		if _, err := conn.Receive(); err != io.EOF {
			t.Errorf("%v", err)
		}
		if conn.Send("{}") == nil {
			t.Error("a message is sent to nobody")
		}
	}
}

// A server answers over a connection as a transport does in the process.
func TestSocketOfServer(t *testing.T) {
	p := &socketProvider{turns: []socketTurn{{reply: Reply{Text: "Good morning."}}}}
	server := httptest.NewServer(p)
	defer server.Close()
	defer p.Close()
	d := socket.Dialer{Client: server.Client(), Header: http.Header{
		"Authorization":          {"Bearer sk-test"},
		"Sec-Websocket-Protocol": {"realtime"},
	}}
	conn, err := d.Dial(context.Background(), server.URL+realtimePath)
	if err != nil {
		t.Fatal(err)
	}
	events := talk(t, conn, `{"type":"response.create"}`)
	if got := events[len(events)-1]; got.text("type") != "response.done" {
		t.Errorf("%s", encode(got))
	}
	if err := conn.SendClose(1000, ""); err != nil {
		t.Fatal(err)
	}
	m, err := conn.Receive()
	if err != nil || m.Opcode != websocket.Close {
		t.Errorf("%v, %v", m, err)
	}
	conn.Drop()
}

// An error in the middle of a stream has the layout of a WebSocket's errors.
func TestSocketErrorInStream(t *testing.T) {
	streamed := parse(t, `{"type":"error","code":"c","message":"m","param":null,"sequence_number":3}`)
	want := `{"type":"error","error":{"type":"server_error","code":"c","message":"m","param":null},"sequence_number":3}`
	if got := string(encode(socketError(streamed))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A provider that needs no key opens WebSockets without one, and answers.
func TestSocketNeedsNoKey(t *testing.T) {
	p := &socketProvider{turns: []socketTurn{{reply: Reply{Text: "Good morning."}}}}
	p.state.NeedsNoKey = true
	conn := p.dial(t, responsesPath, http.Header{})
	events := talk(t, conn, `{"type":"response.create","model":"m","input":"x"}`)
	if got := events[len(events)-1]; got.text("type") != "response.completed" {
		t.Errorf("%s", encode(got))
	}
}

// A scripted answer that breaks off ends with an error event and a failed response,
// and leaves the WebSocket open.
func TestSocketAnswerBreaksOff(t *testing.T) {
	broken := Reply{Text: "Good morning.", Broken: &Problem{Message: "sorry"}}
	p := &socketProvider{turns: []socketTurn{{reply: broken}, {problem: &Problem{}}}}
	conn := p.dial(t, responsesPath, nil)
	const create = `{"type":"response.create","model":"m","input":"x","store":false}`
	events := talk(t, conn, create)
	ends := events[max(0, len(events)-2):]
	if types(ends) != "error response.failed" || ends[0].sub("error").text("message") != "sorry" {
		t.Errorf("%s", encodeAll(ends))
	}
	if last := talk(t, conn, create)[0]; last.number("status") != 500 {
		t.Errorf("%s", encode(last))
	}
}
