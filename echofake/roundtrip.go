package echofake

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// errOver is the error of a request that comes after the end of the test.
var errOver = errors.New("echofake: the test has ended: let the program end before the test does")

// RoundTrip answers a request. It returns an error if the context of the request
// ends, or if the test has ended.
func (p *Provider) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if p.over() {
		return nil, errOver
	}
	if h := p.handlerFor(req); h != nil {
		return serveTo(h, req, body), nil
	}

	if h := fakeprovider.ReadHandshake(req, &p.state); h != nil {
		return p.openSocket(req, h), nil
	}
	if p.mcp.HasTools() && p.mcp.Owns(req) {
		return response(req, p.mcp.Answer(req, body), nil), nil
	}
	read := fakeprovider.Read(req, body, &p.state)
	if read.Endpoint() != "" && !read.TakesTurn() {
		return response(req, read.Answer(0, fakeprovider.Reply{}), nil), nil
	}
	q := p.question(req, body)
	turn, problem := p.choose(q, read)
	if problem != nil {
		return response(req, refusal(read, *problem), nil), nil
	}
	if turn.compute != nil {
		turn = p.computed(q, read, turn)
	}
	if err := sleep(req.Context(), turn.after); err != nil {
		return nil, err
	}
	if turn.handler != nil {
		return serveTo(turn.handler, req, body), nil
	}
	answer := answerOf(read, turn)
	if err := turn.change(answer); err != nil {
		p.fail(unset(q, turn, err))
	}
	return response(req, answer, turn.hold), nil
}

// readBody reads and closes the body of a request.
func readBody(req *http.Request) ([]byte, error) {
	var b request.Body
	err := b.Read(req, request.ReadOptions{Whole: true})
	return b.Kept(true), err
}

// handlerFor returns the handler that [Provider.Handle] has for a request, or nil.
func (p *Provider) handlerFor(req *http.Request) http.Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hasHandler {
		return nil
	}
	h, pattern := p.mux.Handler(req)
	if pattern == "" {
		return nil
	}
	return h
}

// serveTo returns what a handler writes.
func serveTo(h http.Handler, req *http.Request, body []byte) *http.Response {
	in := req.Clone(req.Context())
	in.Body = io.NopCloser(bytes.NewReader(body))
	in.RequestURI = req.URL.RequestURI()
	return serveHandler(h, in, req)
}
