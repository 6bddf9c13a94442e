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
	// maxDistance is the greatest distance of two requests of which one is an edit of the
	// other.
	maxDistance = 1 - question.Alike

	// maxQuestionDistance is the greatest distance if the question may differ. It is greater,
	// since a request with a short question has few fields that stay the same.
	maxQuestionDistance = 0.6

	// maxRatio is the greatest ratio of the distances of the nearest and the next recording
	// at which the nearest one is certain.
	maxRatio = 0.75

	// maxCandidates is the number of groups of recordings that are compared field by field
	// with a request.
	maxCandidates = 8
)

// muchNearer reports whether a distance is so much shorter than another that the nearer
// recording is certain.
func muchNearer(distance, other float64) bool { return distance < maxRatio*other }

// candidates returns the groups of recordings that are nearest to group i of the calls,
// those of its endpoint first. Groups that cannot take the calls are among them, with their
// refusal.
func (a *assignment) candidates(i int) []candidate {
	if list, ok := a.candidateLists[i]; ok {
		return list
	}
	missed := &a.missed[i]
	var list []candidate
	for k := range a.recorded {
		recorded := &a.recorded[k]
		unused := recorded.unused(a)
		if len(unused) == 0 {
			continue
		}
		list = append(list, candidate{
			group:    k,
			distance: distance(recorded.form, missed.form),
			refused:  a.refusalOfGroup(unused, missed.form),
		})
	}
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Or(
			cmp.Compare(rank(a, x, missed), rank(a, y, missed)),
			cmp.Compare(x.distance, y.distance),
		)
	})
	list = list[:min(len(list), maxCandidates)]
	for k := range list {
		a.compareFields(&list[k], missed)
	}
	a.candidateLists[i] = list
	return list
}

// compareFields sets the edits of a candidate, and refuses it if the question differs and
// must not.
func (a *assignment) compareFields(c *candidate, missed *group) {
	recorded := a.Stored[a.recorded[c.group].unused(a)[0]]
	asked := a.Calls[missed.members[0]].Missed
	c.edits = a.edits(recorded, asked)
	if a.questionsMayDiffer || !c.refused.IsZero() {
		return
	}
	path := question.Of(c.edits, missed.form, &recorded.Request, &asked.Request)
	if path != "" {
		c.refused = refusal(finding.QuestionChanged, "the question differs (%s), "+
			"and not only the system prompt, tools or settings", fieldpath.Short(path))
	}
}

// rank is 0 for recordings of the endpoint of a request and 1 for others. So a report names
// a recording of another endpoint only if there is none of the same endpoint.
func rank(a *assignment, c candidate, m *group) int {
	if a.recorded[c.group].form.Endpoint == m.form.Endpoint {
		return 0
	}
	return 1
}

// nearest returns the nearest candidate of group i that is not refused, or else the nearest
// of all. It refuses the candidate if a recording that went to another request is nearer.
func (a *assignment) nearest(i int) candidate {
	list := a.candidates(i)
	if len(list) == 0 {
		return candidate{group: -1, distance: 1}
	}
	isPossible := func(c candidate) bool { return c.refused.IsZero() }
	firstPossible := slices.IndexFunc(list, isPossible)
	if firstPossible < 0 {
		return list[0]
	}
	best := list[firstPossible]
	missed := &a.missed[i]
	used := slices.Concat(
		slices.Sorted(maps.Keys(a.playedAt)),
		slices.Sorted(maps.Keys(a.assigned)),
	)
	for _, number := range used {
		// Compare requests before the edit: the same edit makes any two requests more similar.
		recorded := a.form(a.Stored[number])
		if original := a.Originals[number]; original != nil {
			recorded = a.form(original)
		}
		if recorded.Endpoint != missed.form.Endpoint || distance(recorded, missed.form) >= best.distance {
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

// takenEarlier returns the number of a recording that an earlier run of promptecho accept
// has assigned to another request, although it more likely belongs to this group. ok is
// false if there is none.
func (a *assignment) takenEarlier(missed *group, best candidate) (number int, ok bool) {
	asked := a.Calls[missed.members[0]].Missed
	for _, n := range slices.Sorted(maps.Keys(a.Originals)) {
		original := a.Originals[n]
		originalForm := a.form(original)
		sameQuestion := func(it *interaction.Interaction) bool {
			return question.Of(a.edits(original, it), a.form(it), &original.Request, &it.Request) == ""
		}
		if originalForm.Key() == missed.form.Key() {
			return n, true // the old request itself
		}

		toOriginal := distance(originalForm, missed.form)
		bestFits := best.refused.IsZero() && best.group >= 0
		if bestFits && best.distance <= toOriginal {
			continue // another recording is nearer
		}
		if muchNearer(distance(originalForm, a.form(a.Stored[n])), toOriginal) {
			continue // the accepted request is nearer
		}
		if !a.refusalOfEdit(originalForm, missed.form).IsZero() {
			continue
		}
		var isContested bool
		if a.questionsMayDiffer {
			// An accepted request with the recorded question is in the right place.
			isContested = !sameQuestion(a.Stored[n])
		} else {
			isContested = sameQuestion(asked)
		}
		if isContested {
			return n, true
		}
	}
	return 0, false
}

// refusalOfGroup returns a refusal if none of the recordings of a group can take a request.
func (a *assignment) refusalOfGroup(unused []int, asked *canon.Form) Refusal {
	for _, n := range unused {
		if isFailure(a.Stored[n]) {
			return refusal(finding.AnswerFailed,
				"the recording is a failure, and not an answer to keep")
		}
		if a.Stored[n].Response.IsSession() {
			return refusal(finding.SessionEdited, "the recording is a session (a WebSocket), whose "+
				"messages depend on the request that opens it: record the session again")
		}
	}
	return a.refusalOfEdit(a.form(a.Stored[unused[0]]), asked)
}

// refusalOfEdit returns a refusal if a request cannot be an edit of a recorded one.
func (a *assignment) refusalOfEdit(recorded, asked *canon.Form) Refusal {
	limit := maxDistance
	if a.questionsMayDiffer {
		limit = maxQuestionDistance
	}
	switch {
	case recorded.Endpoint != asked.Endpoint:
		return refusal(finding.EndpointChanged,
			"it calls %s, and the recordings that are left call %s",
			callName(asked), callName(recorded))
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

// isFailure reports whether an answer is a failure.
func isFailure(it *interaction.Interaction) bool {
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

// callName names a request for people: "http/api.example.com GET /v1/models".
func callName(form *canon.Form) string {
	if form.Known || form.Function || form.GRPC {
		return form.Name()
	}
	return form.Name() + " " + form.Endpoint
}
