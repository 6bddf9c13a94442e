package tape

import (
	"cmp"
	"context"
	"slices"

	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Answer returns the recorded response to req, with its latency. Other fields of
// the interaction may not be set.
//
// If the response repeats IDs of its request, it gets those of req. For example,
// a JSON-RPC request was recorded with "id": 7, and req has "id": 9: the recorded
// response has 7, the returned one has 9. A caller that knows that req equals the
// recorded request byte for byte, so that all IDs are the same, passes nil. This
// is faster: only the response is read from the cassette, and not the request.
func (rec *Recording) Answer(req *interaction.Request) (*interaction.Interaction, error) {
	mayNeedOtherIDs := req != nil && rec.Form().Linked()
	if mayNeedOtherIDs {
		it := &interaction.Interaction{
			Response:  *rec.responseTo(req),
			LatencyMS: rec.Interaction().LatencyMS,
		}
		return it, nil
	}
	kept := cmp.Or(rec.content.interaction.Load(), rec.content.response.Load())
	if kept != nil {
		return kept, nil
	}

	it, err := rec.of.stored.Answer(rec.number)
	if err != nil {
		return nil, rec.of.unreadable(err)
	}
	// Most responses are played once. Keep in memory what is read a second time: a
	// benchmark plays it often.
	wasReadBefore := rec.content.isResponseRead.Swap(true)
	if wasReadBefore {
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
	return rec.Relinked(&rec.Interaction().Response, req)
}

// Relinked returns a response in the place of the recorded one, in which the IDs
// of req replace those that link it to the recorded request.
func (rec *Recording) Relinked(
	resp *interaction.Response, req *interaction.Request,
) *interaction.Response {
	ids := rec.IDs(req)
	if len(ids) == 0 {
		return resp
	}
	resp = resp.Clone()
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
