package recorder

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/tape"
)

// An incoming is a request, as it came and as it is matched.
type incoming struct {
	tape.Match
	body request.Body // as it came

	// What follows is set if it was sent while its body was read.

	sent   time.Time
	early  *http.Response // nil once it is recorded
	failed error
}

// drop closes an answer that came early and is not recorded.
func (in *incoming) drop() {
	if in.early != nil && in.early.Body != nil {
		in.early.Body.Close()
	}
}

// readBody reads the body of a request. A large one is sent meanwhile if no recording can answer
// it. One of unknown length may be sent for as long as its answer comes, which would never come:
// that is told while it lasts.
func (r *Recorder) readBody(req *http.Request, in *incoming) error {
	if req.ContentLength <= 0 && req.Body != nil && req.Body != http.NoBody {
		defer r.log.Sends(r.nameOf(req))()
	}
	var early func(out *http.Request)
	isNew := r.plan.record && r.config.selectsNone() && r.tape.IsBlank() && !r.orphans.IsRecorded(nil)
	if isNew && r.barred(req, r.missingKey()) == nil {
		early = func(out *http.Request) {
			in.sent = time.Now()
			in.early, in.failed = r.upstream.Send(out)
		}
	}
	err := in.body.Read(req, r.config.keepUploads, r.plan.mayGoUpstream(), early)
	if errors.Is(err, request.ErrNoRoom) {
		err = refusedError(fmt.Sprintf("%s: %s: %v", r.file, r.nameOf(req), err))
		r.log.Error(err) // the client may swallow the answer
	} else if err != nil {
		err = fmt.Errorf("reading the request: %w", err)
	}
	return err
}
