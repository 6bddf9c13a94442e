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

	// farthestQuestion is the greatest distance if the question may differ. It is greater,
	// since a request with a short question has few fields that stay the same.
	farthestQuestion = 0.6

	// clearly is the greatest ratio of the distances of the nearest and the next recording
	// at which the nearest one is certain.
	clearly = 0.75

	// compared is the number of recordings that are compared field by field with a request.
	compared = 8
)

// muchNearer reports whether a distance is so much shorter than another that the nearer
// recording is certain.
func muchNearer(distance, other float64) bool { return distance < clearly*other }

// candidates returns the groups of recordings that are nearest to group i of the calls,
// those of its endpoint first. Groups that cannot take the calls are among them, with their
// refusal.
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
		c := candidate{to: to, distance: distance(g.form, m.form), refused: a.unfit(free, m.form)}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Or(
			cmp.Compare(rank(a, x, m), rank(a, y, m)),
			cmp.Compare(x.distance, y.distance),
		)
	})
	list = list[:min(len(list), compared)]
	for k := range list {
		c := &list[k]
		recorded := a.Stored[a.recorded[c.to].free(a)[0]]
		asked := a.Calls[m.members[0]].Missed
		c.edits = a.edits(recorded, asked)
		if a.questionsDiffer || !c.refused.IsZero() {
			continue
		}
		path := question.Of(c.edits, m.form, &recorded.Request, &asked.Request)
		if path != "" {
			c.refused = refusal(finding.QuestionChanged, "the question differs (%s), "+
				"and not only the system prompt, tools or settings", fieldpath.Short(path))
		}
	}
	a.near[i] = list
	return list
}

// rank is 0 for recordings of the endpoint of a request and 1 for others. So a report names
// a recording of another endpoint only if there is none of the same endpoint.
func rank(a *assignment, c candidate, m *group) int {
	if a.recorded[c.to].form.Endpoint == m.form.Endpoint {
		return 0
	}
	return 1
}

// nearest returns the nearest candidate of group i that is not refused, or else the nearest
// of all. It refuses the candidate if a recording that went to another request is nearer.
func (a *assignment) nearest(i int) candidate {
	list := a.candidates(i)
	if len(list) == 0 {
		return candidate{to: -1, distance: 1}
	}
	firstFit := slices.IndexFunc(list, func(c candidate) bool { return c.refused.IsZero() })
	if firstFit < 0 {
		return list[0]
	}
	best := list[firstFit]
	m := &a.missed[i]
	used := slices.Concat(slices.Sorted(maps.Keys(a.playedAt)), slices.Sorted(maps.Keys(a.assigned)))
	for _, number := range used {
		// Compare requests before the edit: the same edit makes any two requests more similar.
		played := a.form(a.Stored[number])
		if old := a.Before[number]; old != nil {
			played = a.form(old)
		}
		if played.Endpoint != m.form.Endpoint || distance(played, m.form) >= best.distance {
			continue
		}
		why := "matched it exactly"
		if a.assigned[number] {
			why = "has the same question"
		}
		best.refused = refusal(finding.RecordingTaken, "the most similar recording, in line %s, "+
			"went to another request, which %s. Perhaps the test makes one call more than before",
			a.line(number), why)
		break
	}
	return best
}

// taken returns the number of a recording that took another request in an earlier run of
// promptecho accept, if the recording more likely belongs to this request.
func (a *assignment) taken(m *group, best candidate) (number int, ok bool) {
	asked := a.Calls[m.members[0]].Missed
	for _, n := range slices.Sorted(maps.Keys(a.Before)) {
		old := a.Before[n]
		was := a.form(old)
		sameQuestion := func(it *interaction.Interaction) bool {
			return question.Of(a.edits(old, it), a.form(it), &old.Request, &it.Request) == ""
		}
		if was.Key() == m.form.Key() {
			return n, true // the old request itself
		}

		d := distance(was, m.form)
		bestFits := best.refused.IsZero() && best.to >= 0
		if bestFits && best.distance <= d {
			continue // another recording is nearer
		}
		if muchNearer(distance(was, a.form(a.Stored[n])), d) {
			continue // the accepted request is nearer
		}
		if !a.unlike(was, m.form).IsZero() {
			continue
		}
		if a.questionsDiffer {
			if !sameQuestion(a.Stored[n]) {
				return n, true
			}
		} else if sameQuestion(asked) {
			return n, true
		}
	}
	return 0, false
}

// unfit returns a refusal if none of the recordings of a group can take a request.
func (a *assignment) unfit(free []int, asked *canon.Form) Refusal {
	for _, n := range free {
		if failed(a.Stored[n]) {
			return refusal(finding.AnswerFailed, "the recording is a failure, and not an answer to keep")
		}
	}
	return a.unlike(a.form(a.Stored[free[0]]), asked)
}

// unlike returns a refusal if a request cannot be an edit of a recorded one.
func (a *assignment) unlike(recorded, asked *canon.Form) Refusal {
	limit := farthest
	if a.questionsDiffer {
		limit = farthestQuestion
	}
	switch {
	case recorded.Endpoint != asked.Endpoint:
		return refusal(finding.EndpointChanged, "it calls %s, and the recordings that are left call %s",
			call(asked), call(recorded))
	case recorded.Wire != asked.Wire:
		return refusal(finding.FramingChanged, "it wants another form of answer: %s",
			diff.WireNote(recorded.Wire, asked.Wire))
	case recorded.Model != asked.Model:
		return refusal(finding.ModelChanged, "it calls the model %s, and the recording is of %s",
			asked.Model, recorded.Model)
	case asked.Linked() && slices.ContainsFunc(asked.Lines(), isCall):
		return refusal(finding.AnswerHasID, "this is a JSON-RPC call, whose recorded answer "+
			"repeats the id of the old request, so it cannot be kept for an edited one: record it again")
	case distance(recorded, asked) > limit:
		return refusal(finding.EditTooLarge, "the most similar recording is too different")
	}
	return Refusal{}
}

// isCall reports whether a JSON-RPC message with this field is a call, or a batch that may
// have one. A notification has no ID.
func isCall(l canon.Line) bool {
	return l.Path == "body/id" || strings.HasPrefix(l.Path, "body/batch/")
}

// failed reports whether an answer is a failure.
func failed(it *interaction.Interaction) bool {
	r := &it.Response
	if it.Request.Function != "" {
		return r.Error != ""
	}
	isBroken := r.End == interaction.EndError || r.End == interaction.EndCanceled
	return isBroken || r.Status == 0 || r.Status >= 400
}

// distance is 0 for equal requests, and 1 for requests without a common field.
func distance(a, b *canon.Form) float64 { return 1 - diff.Likeness(a, b) }

// edits returns the differences of a request from a recording.
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
