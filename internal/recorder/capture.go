package recorder

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/tape"
)

// capture makes a response record itself while the caller reads it.
func (r *Recorder) capture(in *incoming, rec *tape.Recording, resp *http.Response, sent time.Time) {
	exchange.Capture(resp, sent, exchange.Sink{
		DropsHeader: func(name string) bool { return r.dropsHeader(in.req, name, resp.StatusCode) },
		Pending:     &r.pending,
		IsLastEvent: in.match.Form.Completes,
		Moment:      r.tape.Mark(rec).Now,
		Finish: func(resp *interaction.Response, latencyMS int64, pieces []int) {
			in.permit.End(r.finish(rec, resp, latencyMS, pieces, in.isFake.Load()))
		},
	})
}

// dropsHeader reports whether the cassette does not get a header of the response to a request, and
// so the client does not get it either.
func (r *Recorder) dropsHeader(req *http.Request, name string, status int) bool {
	name = strings.ToLower(name)
	// A client that dates what it signs corrects its clock by the response.
	header := req.Header
	signsDate := cmp.Or(header.Get("X-Amz-Date"), header.Get("X-Ms-Date"), header.Get("Date")) != ""
	isClock := name == "date" && signsDate
	return !isClock && r.dropsName(name, status)
}

// dropsName is dropsHeader for a header in lower case, whatever the request was.
func (r *Recorder) dropsName(name string, status int) bool {
	drops := r.redact.Drops(name, status)
	if drops {
		r.log.Headers.Add(name)
	}
	return drops
}

// finish records a response that has ended, complete or not. It returns how, for the command.
func (r *Recorder) finish(
	rec *tape.Recording, resp *interaction.Response, latencyMS int64, pieces []int, isFake bool,
) quota.End {
	for _, h := range resp.Headers {
		request.RewriteAddresses(h.Values, r.config.aliases.nameOf)
	}
	says := said.Read(rec.Form(), resp)
	resp.Text = says.Transcript

	it := *rec.Interaction()
	it.Response = *resp
	it.Fake = isFake
	if it.HasAge() {
		it.Recorded = today()
	}
	it.Usage = says.Usage
	it.LatencyMS = latencyMS
	end := endOf(rec.Form(), &it, &says)
	*resp = interaction.Response{} // drop the reference, so that the body can be freed early
	r.tape.Finish(rec, &it, pieces, says.Failed)
	return end
}
