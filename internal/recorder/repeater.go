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
	req *http.Request
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(p.calls, func(played playedCall) bool { return played.rec == rec }) {
		p.calls = append(p.calls, playedCall{c, rec})
	}
}
