package echofake

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// openSocket opens a WebSocket, in which each request for an answer takes a turn.
func (p *Provider) openSocket(req *http.Request, h *fakeprovider.Handshake) *http.Response {
	if h.Problem != nil {
		q := p.question(req, nil)
		if h.Endpoint() == "" {
			p.fail(toUnknownEndpoint, unknown(q))
		} else {
			p.fail(wasRefused, wrong(q, h.Problem))
		}
		return p.response(req, h.Refuse(0, *h.Problem), nil)
	}
	s := &socketScript{provider: p, handshake: req}
	resp := p.sockets.Connect(h, h.Session(fakeprovider.Script{
		Number:  func() int { return s.number },
		Turn:    s.turn,
		Refused: s.refused,
	}))
	resp.Header.Set(fakeHeader, "fake")
	return resp
}

// A socketScript answers the requests of one WebSocket.
type socketScript struct {
	provider  *Provider
	handshake *http.Request
	number    int // of the last response
}

// turn returns the answer to a request.
func (s *socketScript) turn(read *fakeprovider.Request) (fakeprovider.Reply, *fakeprovider.Problem) {
	p := s.provider
	q := s.question(read)
	turn, refused := p.choose(q, read)
	if refused != nil {
		s.number = 0
		return fakeprovider.Reply{}, refused
	}
	if turn.compute != nil {
		turn = p.computed(q, read, turn)
	}
	s.number = turn.responseNumber()
	if turn.handler != nil {
		p.fail(didNotFit, fmt.Sprintf("turn %d (%s: %s): a Handler cannot answer in a WebSocket",
			turn.number, turn.line, turn.words))
		return fakeprovider.Reply{}, &fakeprovider.Problem{Status: http.StatusInternalServerError}
	}
	// The context of the request that opens a WebSocket may end when it is open.
	if err := p.sleep(p.ctx, turn.after); err != nil {
		return fakeprovider.Reply{}, &fakeprovider.Problem{Status: http.StatusInternalServerError}
	}
	return turn.reply, turn.problem
}

// refused reports a request that the provider refuses.
func (s *socketScript) refused(read *fakeprovider.Request) {
	s.number = 0
	s.provider.fail(wasRefused, wrong(s.question(read), read.Problem))
}

// question records a request as the one over HTTP that has the same body: those of
// Realtime have the layout of Responses.
func (s *socketScript) question(read *fakeprovider.Request) *question {
	url := request.URL(s.handshake)
	sent := interaction.Request{
		Method:  http.MethodPost,
		URL:     strings.Replace(url.String(), "/realtime", "/responses", 1),
		Headers: interaction.HeadersOf(s.handshake.Header),
	}
	q := s.provider.questionOf(&sent, read.Body())
	q.Endpoint = read.Endpoint()
	q.URL = url.String()
	return q
}
