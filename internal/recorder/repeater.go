package recorder

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/tape"
)

// A repeater keeps the model calls that were played, so that they can be sent once more
// when the test is over. The zero value is ready for use.
type repeater struct {
	mu    sync.Mutex   // guards what follows; no other lock is taken under it
	calls []playedCall // in the order asked
}

// A playedCall is a request as the program sent it, with its credentials, and the
// recording that answered it.
type playedCall struct {
	req *http.Request // nil for a session, which is not sent again
	rec *tape.Recording
}

// keep keeps a copy of a call that is played, if it asks a model and does nothing else. A
// recording that is played several times is compared once. The caller must not use the body
// again.
func (p *repeater) keep(req *http.Request, body *request.Body, rec *tape.Recording) {
	if !rec.Form().Repeatable() {
		return
	}
	// The caller may change its request, or cancel it, when it has the answer.
	c, err := body.Clone(req.WithContext(context.WithoutCancel(req.Context())))
	if err != nil {
		return // its client cannot send it again either
	}
	//lint:ignore SA1019 a client with a Timeout sets it
	c.Cancel = nil
	p.add(playedCall{c, rec})
}

// keepSession keeps a session that is played, so that the report says that it is not compared.
func (p *repeater) keepSession(rec *tape.Recording) { p.add(playedCall{nil, rec}) }

func (p *repeater) add(c playedCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	isKept := func(played playedCall) bool { return played.rec == c.rec }
	if !slices.ContainsFunc(p.calls, isKept) {
		p.calls = append(p.calls, c)
	}
}
