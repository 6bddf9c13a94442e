package tape

import (
	"cmp"
	"context"
	"slices"

	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Answer returns the response to a request; req is nil if the request is
// recorded byte for byte. The recorded request is not read unless its IDs have
// to be replaced.
func (rec *Recording) Answer(req *interaction.Request) (*interaction.Interaction, error) {
	if req != nil && rec.Form().Linked() {
		it := &interaction.Interaction{
			Response:  *rec.responseTo(req),
			LatencyMS: rec.Interaction().LatencyMS,
		}
		return it, nil
	}
	if it := cmp.Or(rec.content.interaction.Load(), rec.content.response.Load()); it != nil {
		return it, nil
	}

	it, err := rec.of.stored.Answer(rec.number)
	if err != nil {
		return nil, rec.of.unreadable(err)
	}
	wasRead := rec.content.isResponseRead.Swap(true)
	if wasRead {
		rec.content.response.Store(it)
	}
	return it, nil
}

// IDs returns the IDs that link the recorded response to its request, where
// those of a request differ.
func (rec *Recording) IDs(req *interaction.Request) jsonrpc.IDs {
	if !rec.Form().Linked() {
		return nil
	}
	return jsonrpc.IDsOf(&rec.Interaction().Request, req)
}

// responseTo returns the response to a request: the recorded one, in which the
// IDs of req replace those that link it to the recorded request.
func (rec *Recording) responseTo(req *interaction.Request) *interaction.Response {
	ids := rec.IDs(req)
	if len(ids) == 0 {
		return &rec.Interaction().Response
	}
	resp := rec.Interaction().Response.Clone()
	resp.Body = ids.Relink(resp.Body)
	for _, event := range resp.Events {
		for i, field := range event {
			if interaction.IsPayload(field.Name) {
				event[i].Value = string(ids.Relink([]byte(field.Value)))
			}
		}
	}
	return resp
}

// ResponseText returns the text that a model answered.
func (rec *Recording) ResponseText() string {
	return said.Read(rec.Form(), &rec.Interaction().Response).Text
}

// Failed reports whether the response is a failure: a status of 400 or more,
// none, the error of a function, a deadline that passed, or what a model API
// reports as a failure.
func (rec *Recording) Failed() bool {
	if rec.live != nil && rec.live.failed {
		return true
	}

	resp := &rec.Head().Response
	hasOnlyError := resp.End == "" && resp.Error != ""
	hasTimedOut := resp.CancelCause() == context.DeadlineExceeded.Error()
	if hasOnlyError || hasTimedOut || resp.Status >= 400 || resp.End == interaction.EndError {
		return true
	}

	if rec.live != nil || !rec.Form().Known {
		return false
	}
	return said.Read(rec.Form(), &rec.Interaction().Response).Failed
}

// Canceled reports whether there is no response because the context of the
// request ended.
func (rec *Recording) Canceled() bool {
	if rec.live != nil {
		return rec.Head().Response.End == interaction.EndCanceled
	}
	return rec.outcome != answered
}

// succeededLater returns the recordings whose request succeeded when it was
// sent again; nil if none failed.
func succeededLater(list []*Recording) map[*Recording]bool {
	if !slices.ContainsFunc(list, (*Recording).Failed) {
		return nil
	}
	all := map[*Recording]bool{}
	succeeded := map[string]bool{} // by the keys of forms
	for _, rec := range slices.Backward(list) {
		key := rec.Form().Key()
		all[rec] = succeeded[key]
		succeeded[key] = succeeded[key] || rec.Complete() && !rec.Failed()
	}
	return all
}
