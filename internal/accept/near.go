package accept

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/diff/question"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	// farthest is the greatest distance of two requests of which one is an edit of the
	// other.
	farthest = 1 - question.Alike

	// farthestTold is the same if what is asked may differ: that may be short.
	farthestTold = 0.6

	// clearly is how much nearer a recording must be than the next one.
	clearly = 0.75

	// compared is how many recordings are compared field by field with a request.
	compared = 8
)

// muchNearer reports whether a distance is so much shorter than another that it is clear
// which recording is meant.
func muchNearer(distance, other float64) bool { return distance < clearly*other }

// candidates returns the recordings that are nearest to a group of calls, those of its
// endpoint first, with the reasons why they cannot take them.
func (a *assignment) candidates(i int) []candidate {
	if list, ok := a.near[i]; ok {
		return list
	}
	m := &a.missed[i]
	var list []candidate
	for to := range a.recorded {
		g := &a.recorded[to]
		free := g.free(a)
		if len(free) == 0 {
			continue
		}
		list = append(list, candidate{to: to, distance: distance(g.form, m.form), refused: a.unfit(free, m.form)})
	}
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(rank(a, x, m), rank(a, y, m)), cmp.Compare(x.distance, y.distance))
	})
	list = list[:min(len(list), compared)]
	for k := range list {
		c := &list[k]
		recorded, asked := a.Stored[a.recorded[c.to].free(a)[0]], a.Calls[m.members[0]].Missed
		c.edits = a.edits(recorded, asked)
		if path := question.Of(c.edits, m.form, &recorded.Request, &asked.Request); c.refused.IsZero() && path != "" && !a.told {
			c.refused = refusal(finding.QuestionChanged, "the question differs (%s), and not only the system prompt, tools or settings", fieldpath.Short(path))
		}
	}
	a.near[i] = list
	return list
}

// rank is 0 for recordings of the endpoint of a request and 1 for others, so that these are
// named only if there are no better ones.
func rank(a *assignment, c candidate, m *group) int {
	if a.recorded[c.to].form.Endpoint == m.form.Endpoint {
		return 0
	}
	return 1
}

// nearest returns the candidate that a group of calls is nearest to, of those that fit, or
// else of those that do not.
func (a *assignment) nearest(i int) candidate {
	list := a.candidates(i)
	if len(list) == 0 {
		return candidate{to: -1, distance: 1}
	}
	best := list[max(0, slices.IndexFunc(list, func(c candidate) bool { return c.refused.IsZero() }))]
	m := &a.missed[i]
	if best.refused.IsZero() {
		for _, number := range append(slices.Sorted(maps.Keys(a.playedAt)), slices.Sorted(maps.Keys(a.assigned))...) {
			played := a.form(a.Stored[number])
			if old := a.Before[number]; old != nil {
				played = a.form(old) // that both have the edit now makes them no more alike
			}
			if played.Endpoint == m.form.Endpoint && distance(played, m.form) < best.distance {
				why := "matched it exactly"
				if a.assigned[number] {
					why = "has the same question"
				}
				best.refused = refusal(finding.RecordingTaken, "the most similar recording, in line %s, went to another request, which %s. Perhaps the test makes one call more than before", a.line(number), why)
				break
			}
		}
	}
	return best
}

// taken returns the number of a recording that took another request before, if this one is
// more likely to be its own.
func (a *assignment) taken(m *group, best candidate) (number int, ok bool) {
	asked := a.Calls[m.members[0]].Missed
	for _, n := range slices.Sorted(maps.Keys(a.Before)) {
		old := a.Before[n]
		was := a.form(old)
		sameQuestion := func(it *interaction.Interaction) bool {
			return question.Of(a.edits(old, it), a.form(it), &old.Request, &it.Request) == ""
		}
		switch d := distance(was, m.form); {
		case was.Key() == m.form.Key():
			return n, true
		case best.refused.IsZero() && best.to >= 0 && best.distance <= d, muchNearer(distance(was, a.form(a.Stored[n])), d):
		case !a.unlike(was, m.form).IsZero(), a.told && sameQuestion(a.Stored[n]):
		case a.told || sameQuestion(asked):
			return n, true
		}
	}
	return 0, false
}

// unfit returns why none of the recordings of a group can take a request.
func (a *assignment) unfit(free []int, asked *canon.Form) Refusal {
	for _, n := range free {
		if failed(a.Stored[n]) {
			return refusal(finding.AnswerFailed, "the recording is a failure, and not an answer to keep")
		}
	}
	return a.unlike(a.form(a.Stored[free[0]]), asked)
}

// unlike returns why a request cannot be an edit of a recorded one.
func (a *assignment) unlike(recorded, asked *canon.Form) Refusal {
	limit := farthest
	if a.told {
		limit = farthestTold
	}
	switch {
	case recorded.Endpoint != asked.Endpoint:
		return refusal(finding.EndpointChanged, "it calls %s, and the recordings that are left call %s", call(asked), call(recorded))
	case recorded.Wire != asked.Wire:
		return refusal(finding.FramingChanged, "it wants another form of answer: %s", diff.WireNote(recorded.Wire, asked.Wire))
	case recorded.Model != asked.Model:
		return refusal(finding.ModelChanged, "it calls the model %s, and the recording is of %s", asked.Model, recorded.Model)
	case asked.Linked() && slices.ContainsFunc(asked.Lines(), isCall):
		return refusal(finding.AnswerHasID, "this is a JSON-RPC call, whose recorded answer repeats the id of the old request, so it cannot be kept for an edited one: record it again")
	case distance(recorded, asked) > limit:
		return refusal(finding.EditTooLarge, "the most similar recording is too different")
	}
	return Refusal{}
}

// isCall reports whether a field says that a JSON-RPC message is a call, or may be: a notification has no id.
func isCall(l canon.Line) bool {
	return l.Path == "body/id" || strings.HasPrefix(l.Path, "body/batch/")
}

// failed reports whether an answer is a failure.
func failed(it *interaction.Interaction) bool {
	r := &it.Response
	if it.Request.Function != "" {
		return r.Error != ""
	}
	return r.Status == 0 || r.Status >= 400 || r.End == interaction.EndError || r.End == interaction.EndCanceled
}

func distance(a, b *canon.Form) float64 { return 1 - diff.Likeness(a, b) }

// edits returns what differs between a recording and a request.
func (a *assignment) edits(recorded, asked *interaction.Interaction) []diff.Edit {
	known := asked.Request.KnownAs(&recorded.Request)
	return diff.Forms(a.form(recorded), a.Options.Trace(&known))
}

// call names a request for people: "http/api.example.com GET /v1/models".
func call(form *canon.Form) string {
	if form.Known || form.Function {
		return form.Name()
	}
	return form.Name() + " " + form.Endpoint
}
