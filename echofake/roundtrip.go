package echofake

import (
	"bytes"
	"io"
	"net/http"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

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
	if p.ctx.Err() != nil {
		return nil, errOver
	}
	if h := p.handlerFor(req); h != nil {
		return p.serveTo(h, req, body)
	}
	if h := fakeprovider.ReadHandshake(req, &p.state); h != nil {
		return p.openSocket(req, h), nil
	}

	q := p.question(req, body)
	if p.mcp.HasTools() && p.mcp.Owns(req) {
		return p.response(req, p.mcp.Answer(req, body), nil), nil
	}
	read := fakeprovider.Read(req, body, &p.state)
	isFree := !read.TakesTurn() && read.Problem == nil
	if isFree {
		return p.response(req, read.Answer(0, fakeprovider.Reply{}), nil), nil
	}
	turn, problem := p.choose(q, read)
	if problem != nil {
		return p.response(req, refusal(read, *problem), nil), nil
	}
	if turn.compute != nil {
		turn = p.computed(q, read, turn)
	}
	if err := p.sleep(req.Context(), turn.after); err != nil {
		return nil, err
	}
	if turn.handler != nil {
		return p.serveTo(turn.handler, req, body)
	}
	answer := answerOf(read, turn)
	if err := turn.change(answer); err != nil {
		p.fail(didNotFit, unset(q, turn, err))
	}
	return p.response(req, answer, turn.hold), nil
}

// readBody reads and closes the body of a request.
func readBody(req *http.Request) ([]byte, error) {
	var b request.Body
	err := b.Read(req, request.ReadOptions{Whole: true})
	return b.Kept(true), err
}

// handlerFor returns the handlers of [Provider.Handle] if one is for the request, or
// nil.
func (p *Provider) handlerFor(req *http.Request) http.Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hasHandler {
		return nil
	}
	_, pattern := p.mux.Handler(req)
	if pattern == "" {
		return nil
	}
	return p.mux
}

// serveTo returns what a handler writes.
func (p *Provider) serveTo(h http.Handler, req *http.Request, body []byte) (*http.Response, error) {
	in := req.Clone(req.Context())
	in.Body = io.NopCloser(bytes.NewReader(body))
	in.RequestURI = req.URL.RequestURI()
	return p.serveHandler(h, in, req)
}
