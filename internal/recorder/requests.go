package recorder

import (
	"io"
	"net/http"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// Sent returns the requests that the program has sent so far, in the order of their
// arrival, redacted as a cassette has them. It returns nil if the recorder is nil
// or closed.
//
// A request that is still being read is not among them, nor is one whose body could
// not be read, one to a server that passes through, and a call of a wrapped
// function.
func (r *Recorder) Sent() (list []*interaction.Request) {
	if r == nil {
		return nil
	}
	for _, s := range r.sent.known() {
		req, err := s.ReadRequest()
		if err != nil {
			continue // Close reports it
		}
		_ = r.redact.RedactNew(&req) // a failure replaces what could not be searched
		list = append(list, &req)
	}
	return list
}

// notePassing notes a request that passes because of the record mode, and returns
// the one to be sent in its place. A request to a server that always passes is
// returned as it is.
func (r *Recorder) notePassing(req *http.Request) *http.Request {
	if request.MatchServer(r.config.passing, req.URL) != "" {
		return req
	}
	in := &incoming{req: req}
	p := &passedRequest{head: r.normalize(in).Request, redact: r.redact.RedactBody}
	r.sent.set(r.sent.arrive(), p)
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}

	out := req.WithContext(req.Context())
	out.Body = copiedBody{io.TeeReader(req.Body, p), req.Body}
	if req.GetBody != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			p.again()
			return copiedBody{io.TeeReader(body, p), body}, nil
		}
	}
	return out
}
