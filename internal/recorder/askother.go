package recorder

import (
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// askOthers asks the model calls that were played of other models, one after the other, and
// compares the answers with the recorded ones.
func (r *Recorder) askOthers() {
	r.repeater.mu.Lock()
	calls := r.repeater.calls
	r.repeater.mu.Unlock()
	for _, c := range calls {
		form := c.rec.Form()
		isSession := c.req == nil
		if isSession || !r.isForOther(form) {
			continue
		}
		r.log.Others = append(r.log.Others, r.askOther(c, form))
	}
}

// askOther asks a call of another model, as often as the swap says.
func (r *Recorder) askOther(c playedCall, form *canon.Form) attr.OtherAnswer {
	model, _ := r.swap.For(form.Model, form.IsChat())
	other := attr.OtherAnswer{
		Cassette: r.log.Path,
		Line:     c.rec.Line(),
		Call:     form.Endpoint,
		Recorded: form.Model,
		Model:    model,
	}
	request, recorded := c.rec.Request(), c.rec.Interaction().Response.Clone()
	r.redact.Response(&request, recorded) // an edit may have added a secret
	other.RecordedTokens = tokensOf(form, recorded)
	other.Why = r.whyNotSent(c, recorded)
	if other.Why != "" {
		return other
	}

	var answers []*interaction.Response
	for range r.swap.Repeat {
		live, err := r.fetchOther(c, form)
		why := ""
		if err != nil {
			why = r.redact.Message(err.Error())
		} else {
			r.redact.Response(&request, live)
			why = r.whyNotComparable(recorded, live)
		}
		if why != "" {
			other.Why = why
			continue
		}
		answers = append(answers, live)
	}
	r.describeOther(&other, form, recorded, answers)
	return other
}

// whyNotComparable returns the reason why an answer of another model shows nothing about the model,
// or "" if it does.
func (r *Recorder) whyNotComparable(recorded, live *interaction.Response) string {
	why := compare.UnrelatedToModel(recorded, live)
	isRefusal := live.Status == http.StatusUnauthorized || live.Status == http.StatusForbidden
	hasNoKey := r.swap.Base != nil && r.swap.Key == ""
	if why != "" && isRefusal && hasNoKey {
		why += "; no key was sent: name the variable that has the key of this provider, with -key " +
			"or in " + modelswap.KeyVariable
	}
	return why
}

// fetchOther sends a call to another model, and returns the complete answer.
func (r *Recorder) fetchOther(c playedCall, form *canon.Form) (*interaction.Response, error) {
	out := c.req.Clone(c.req.Context())
	if c.req.GetBody != nil {
		body, err := c.req.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	out, err := r.readdressed(out, form)
	if err != nil {
		return nil, err
	}
	r.log.AskedOther.Add(1)
	return r.fetch(playedCall{out, c.rec})
}

// describeOther compares the answers of another model with the recorded one, and with each other.
func (r *Recorder) describeOther(
	other *attr.OtherAnswer, form *canon.Form, recorded *interaction.Response,
	answers []*interaction.Response,
) {
	other.Answers = len(answers)
	differing := map[compare.Part]int{}
	for _, live := range answers {
		d := compare.Models(form, recorded, live)
		for _, part := range d.Parts {
			differing[part]++
		}
		if other.Detail == "" && len(d.Edits) > 0 {
			other.Detail = d.Detail(maxOtherEdits)
		}
		used := tokensOf(form, live)
		if used == nil {
			continue
		}
		if other.Tokens == nil {
			other.Tokens = new(attr.Tokens)
		}
		other.Tokens.Add(*used)
	}
	for _, part := range compare.Parts {
		if differing[part] > 0 {
			other.Differs = append(other.Differs,
				attr.Differing{Part: string(part), Answers: differing[part]})
		}
	}
	if len(answers) > 1 {
		other.Alike = alike(form, answers)
	}
}

// maxOtherEdits is how many differing fields of a call are shown.
const maxOtherEdits = 6

// tokensOf returns the tokens that an answer reports; nil if it reports none.
func tokensOf(form *canon.Form, resp *interaction.Response) *attr.Tokens {
	used := said.Read(form, resp).Usage
	if used == nil {
		return nil
	}
	return &attr.Tokens{Input: used.InputTokens, Output: used.OutputTokens, Cached: used.CachedTokens}
}

// alike returns how many of some answers agree: for each part, the size of the largest group of
// answers that equal one of them.
func alike(form *canon.Form, answers []*interaction.Response) *attr.Alike {
	var most attr.Alike
	for _, a := range answers {
		var same attr.Alike
		for _, b := range answers {
			d := compare.Models(form, a, b)
			hasOne := func(parts ...compare.Part) bool { return slices.ContainsFunc(parts, d.Has) }
			if !hasOne(compare.PartStatus, compare.PartTools, compare.PartOrder, compare.PartArguments) {
				same.Tools++
			}
			if !hasOne(compare.PartStatus, compare.PartFinish) {
				same.Finish++
			}
			if !hasOne(compare.PartStatus, compare.PartTools, compare.PartShape) {
				same.Shape++
			}
		}
		most.Tools = max(most.Tools, same.Tools)
		most.Finish = max(most.Finish, same.Finish)
		most.Shape = max(most.Shape, same.Shape)
	}
	return &most
}
