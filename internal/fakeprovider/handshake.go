package fakeprovider

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// A Handshake is a request that opens a WebSocket to a model API, as the fake
// provider has read it.
type Handshake struct {
	// Problem is why the provider refuses to open the WebSocket; nil if it does
	// not.
	Problem *Problem

	request  *http.Request
	state    *State
	endpoint *socketEndpoint // nil for an unknown path
	call     *call           // without a body
}

// A socketEndpoint is an API that is used over a WebSocket.
type socketEndpoint struct {
	name string
	owns func(path string) bool

	// check checks a request that opens a WebSocket; nil if all are accepted.
	check func(c *call) *Problem

	start func(s *Session) socketAPI
}

// socketEndpoints are the endpoints that accept WebSockets.
var socketEndpoints = []socketEndpoint{
	{name: "openai.responses", owns: responses.owns, start: startResponsesSocket},
	{name: "openai.realtime", owns: realtime.owns, check: checkRealtime, start: startRealtime},
}

// ReadHandshake reads a request that opens a WebSocket. It returns nil for other
// requests. State is what the provider remembers of earlier requests, over HTTP
// too.
func ReadHandshake(r *http.Request, state *State) *Handshake {
	if !websocket.IsHandshake(r) {
		return nil
	}
	h := &Handshake{request: r, state: state, call: &call{
		method: http.MethodGet,
		path:   r.URL.Path,
		query:  r.URL.Query(),
	}}
	path := strings.TrimSuffix(r.URL.Path, "/")
	for i, e := range socketEndpoints {
		if e.owns(path) {
			h.endpoint = &socketEndpoints[i]
		}
	}
	h.Problem = h.check()
	return h
}

// check checks the request as OpenAI does, which has all endpoints.
func (h *Handshake) check() *Problem {
	switch {
	case h.endpoint == nil:
		return &Problem{Status: http.StatusNotFound}
	case socketKey(h.request) == "" && !h.state.NeedsNoKey:
		return &openai.keyless
	case h.endpoint.check == nil:
		return nil
	}
	return h.endpoint.check(h.call)
}

// keyProtocol is the beginning of a subprotocol that has a key. It is for
// browsers, which cannot set headers
// (https://platform.openai.com/docs/guides/realtime-websocket).
const keyProtocol = "openai-insecure-api-key."

// socketKey returns the key of a request that opens a WebSocket, which may be in
// its query (Azure) or in a subprotocol.
func socketKey(r *http.Request) string {
	key := cmp.Or(openai.key(r.Header), r.URL.Query().Get("api-key"))
	for _, protocol := range subprotocols(r) {
		if inProtocol, ok := strings.CutPrefix(protocol, keyProtocol); ok {
			key = cmp.Or(key, inProtocol)
		}
	}
	return key
}

// subprotocols returns the subprotocols that a client offers.
func subprotocols(r *http.Request) []string {
	var offered []string
	for name, values := range r.Header {
		if !strings.EqualFold(name, "Sec-WebSocket-Protocol") {
			continue
		}
		for _, protocol := range strings.Split(strings.Join(values, ","), ",") {
			offered = append(offered, strings.TrimSpace(protocol))
		}
	}
	return offered
}

// Endpoint returns the name of the endpoint, such as "openai.realtime", or "" if
// it is not known.
func (h *Handshake) Endpoint() string {
	if h.endpoint == nil {
		return ""
	}
	return h.endpoint.name
}

// Refuse answers the request with an error of its provider, and opens no
// WebSocket. n is the number of the response.
func (h *Handshake) Refuse(n int, p Problem) *Response {
	req := &Request{vendor: openai, call: h.call}
	return req.Refuse(n, p)
}

// Session starts the conversation of the WebSocket. Its number is that of the
// response which opens the WebSocket.
func (h *Handshake) Session(script Script) *Session {
	s := &Session{
		n:         script.Number(),
		script:    script,
		state:     h.state,
		post:      h.post(),
		protocols: subprotocols(h.request),
	}
	s.api = h.endpoint.start(s)
	return s
}

// post returns a POST request to the same endpoint with the same credentials, as
// a client sends that does not use a WebSocket.
func (h *Handshake) post() *http.Request {
	r := h.request.Clone(context.WithoutCancel(h.request.Context()))
	r.Method = http.MethodPost
	r.Header.Set("Content-Type", "application/json")
	for name := range r.Header {
		ofSocket := strings.HasPrefix(strings.ToLower(name), "sec-websocket-")
		if ofSocket || name == "Connection" || name == "Upgrade" {
			delete(r.Header, name)
		}
	}
	if key := socketKey(h.request); openai.key(r.Header) == "" && key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r
}

// header returns the headers of the response that opens the WebSocket.
func (s *Session) header(h *Handshake) http.Header {
	header := websocket.Headers(h.request)
	for _, protocol := range subprotocols(h.request) {
		if protocol == realtimeProtocol {
			header.Set("Sec-Websocket-Protocol", protocol)
		}
	}
	c := *h.call
	c.n = s.n
	openaiHeaders(&c, header, http.StatusSwitchingProtocols)
	return header
}
