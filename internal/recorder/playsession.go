// Sessions: connections on which both sides send messages.

package recorder

import (
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// opensSession reports whether a request opens a session, and its recording is one. Most requests
// are told by their headers, so that the recording need not be read. A recorded stream may have no
// message of the client, if the server has ended it before the first one.
func opensSession(req *http.Request, rec *tape.Recording) bool {
	switch {
	case exchange.IsSocket(req):
		return rec.IsSession()
	case exchange.IsTwoWay(req):
		return rec.Interaction().Response.Stream != ""
	}
	return false
}

// playSession answers the request that opens a session, and plays the messages of the server that
// were recorded.
func (r *Recorder) playSession(in *incoming, rec *tape.Recording) (*http.Response, error) {
	played, err := r.scripts.Open(&in.match, rec, request.ServedBy(in.req.Context()).By)
	if err != nil {
		return nil, r.told(r.nameOf(in.req), err)
	}
	r.noteUnrecorded(in.req, &in.match.Request, rec)
	r.notePlayed(&in.match, rec)
	it := rec.Head()
	resp := it.Response
	resp.Headers = r.withOfferedSubprotocol(resp.Headers, in.req)
	play := r.player.PlaySocket
	in.hasUnreadBody = false
	if exchange.IsTwoWay(in.req) {
		play = r.player.PlayTwoWay
	}
	return play(in.req, &exchange.Playable{
		Response:  resp,
		LatencyMS: it.LatencyMS,
		File:      r.file,
		Line:      rec.Line(),
		Turn:      r.tape.Turn(rec, request.ServedBy(in.req.Context()).Far),
	}, played)
}

// withOfferedSubprotocol returns the headers of a recorded response. The subprotocol among them is
// one that the client offers: if it has the client's key, the recording has a placeholder.
func (r *Recorder) withOfferedSubprotocol(
	headers interaction.Headers, req *http.Request,
) interaction.Headers {
	const name = "sec-websocket-protocol"
	var offered []string
	for _, h := range interaction.HeadersOf(req.Header).Only([]string{name}) {
		offered = h.Values
	}
	out := slices.Clone(headers)
	for i, h := range out {
		if h.Name == name && len(h.Values) == 1 {
			out[i].Values = []string{r.redact.OfferedSubprotocol(h.Values[0], offered)}
		}
	}
	return out
}

// finishSessions says which recordings the sessions of this run have played, and fails the run
// for a client that has not sent all that it sent when its session was recorded.
func (r *Recorder) finishSessions() {
	for _, u := range r.scripts.Finish() {
		if r.log.AllowUnused.Select(u.Recording.Form().Name()) || len(r.log.Misses()) > 0 {
			continue
		}
		r.log.Error(r.errorAt(u.First.Line(), finding.SessionUnfinished, "the client of this session "+
			"did not send %d of the %d messages that it sent when the session was recorded; the "+
			"first one is here%s. PROMPTECHO_MODE=update records the session again; %s accepts this",
			u.Count, u.Of, report.LineKind(u.First), r.words().Code(advice.New(advice.AllowUnused))))
	}
}
