package recorder

import (
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/script"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// sendTwoWay sends a request whose body is sent for as long as its response streams.
func (r *Recorder) sendTwoWay(in *incoming, rec *tape.Recording) (*http.Response, error) {
	var out *http.Request
	in.twoWay, out = exchange.NewTwoWay(in.req, r.httpSessionSink(in, rec))
	in.hasUnreadBody = false
	return r.upstream.Send(out)
}

// captureSession makes a session record itself while the caller reads and writes messages. It
// reports whether the response opens one.
func (r *Recorder) captureSession(
	in *incoming, rec *tape.Recording, resp *http.Response, sent time.Time,
) bool {
	switch {
	case exchange.OpensSocket(resp):
		exchange.CaptureSocket(resp, sent, r.httpSessionSink(in, rec))
		return true
	case in.twoWay != nil && resp.StatusCode == http.StatusOK:
		in.twoWay.Respond(resp)
		return true
	}
	return false
}

// httpSessionSink returns what records a live session that an HTTP request opens.
func (r *Recorder) httpSessionSink(in *incoming, rec *tape.Recording) exchange.SessionSink {
	sink := r.sessionSink(&in.match, rec)
	sink.Finish = func(resp *interaction.Response, latencyMS int64) {
		in.permit.End(r.finish(rec, resp, latencyMS, nil, in.isFake.Load()))
	}
	sink.DropsHeader = func(name string) bool { return r.dropsHeader(in.req, name, http.StatusOK) }
	return sink
}

// sessionSink returns what records a live session.
func (r *Recorder) sessionSink(opens *tape.Match, rec *tape.Recording) exchange.SessionSink {
	opening := script.Opening{Request: opens.Request, Form: opens.Form}
	return exchange.SessionSink{
		Pending:     &r.pending,
		DropsHeader: func(name string) bool { return r.dropsName(strings.ToLower(name), http.StatusOK) },
		Sent: func(m interaction.Message) (stored interaction.Message, audio []byte, isKept bool) {
			stored, audio = opening.Split(m)
			match, err := r.tape.MatchMessage(&opening.Request, &stored, false)
			if err != nil {
				r.log.Error(err)
			}
			stored.Data = string(redact.UnmarkOwn(match.Request.Body))
			return stored, audio, !match.Form.KeepsAlive()
		},
		Unreadable: func(err error) {
			r.log.Error(r.errorf(finding.SessionUnreadable, "%s: the session is not recorded from here "+
				"on: %v", opens.Request.String(), err))
		},
		Finish: func(resp *interaction.Response, latencyMS int64) {
			r.finish(rec, resp, latencyMS, nil, false)
		},
	}
}
