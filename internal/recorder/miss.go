package recorder

import (
	"net/http"
	"path/filepath"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// miss answers a request that no recording answers with an error, for which the
// run fails.
func (r *Recorder) miss(in *incoming) (*http.Response, error) {
	ctx := in.req.Context()
	if r.tape.IsCanceled(ctx) {
		return nil, ctx.Err() // the test cancels it at the same time
	}
	told := r.noteMiss(&in.match, request.ServedBy(ctx).By)
	resp := refusal(in.req, "promptecho: "+filepath.Base(told.Place), told.Text)
	resp.Body = missBody{resp.Body, &told.Miss}
	return resp, nil
}

// noteMiss keeps a call that is not recorded, and says why it is not answered; by
// names the process that made it, if that was another one.
func (r *Recorder) noteMiss(m *tape.Match, by string) report.Told {
	if missed.Dir() != "" {
		r.tape.Miss(m)
	}
	r.mutant.Miss()
	return r.log.Miss(m, by)
}
