// Package accept finds the recording of each edited request, so that promptecho accept can
// replace the request in the recording and keep the answer. It works on the requests of a
// completed run: during a run, a later request could match a recording exactly. If several
// recordings are possible, it reports this and assigns none.
//
// From the bottom up: runs.go reads the files that tests have written, run.go has the
// requests of a run, group.go groups equal requests, near.go compares groups, tools.go finds
// calls of renamed tools, refusal.go has the reasons to refuse, and accept.go assigns.
package accept

import (
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Finding is the result for equal requests without a recording.
type Finding struct {
	Missed []*interaction.Interaction // in the order sent
	Form   *canon.Form                // of each of them

	// Recordings has the numbers of the recordings that take the first requests; nil if refused.
	Recordings []int

	Near  int         // the number of the recording that was compared, from 0; -1 without one
	Edits []diff.Edit // the differences from it

	Refused Refusal // zero if recordings take requests, or if FollowsMiss is set

	// FollowsMiss is set if the requests follow from another missed request: they have the text of
	// its error. The next run shows whether the program still sends them.
	FollowsMiss bool

	// Contested is set if a request accepted earlier has most likely taken the recording of
	// this one. All accepted requests of the cassette must be undone.
	Contested bool
}

// Assign returns the result for each group of equal requests without a recording, in the
// order sent. With [Run.AllowNewQuestions], requests with an unchanged question are assigned first,
// and the others are compared with the recordings that remain.
func Assign(r *Run) []Finding {
	a := newAssignment(r)
	findings := make([]Finding, len(a.missed))
	a.assign(findings)
	a.refuseLostTools(findings)
	return findings
}

// assign sets the finding of each group of requests, by their similarity to recordings.
func (a *assignment) assign(findings []Finding) {
	a.findAll(findings)
	isContested := slices.ContainsFunc(findings, func(f Finding) bool { return f.Contested })
	if isContested || !a.AllowNewQuestions {
		return
	}

	for i, f := range findings {
		a.missed[i].assigned = f.Recordings != nil
		for _, n := range f.Recordings {
			a.assigned[n] = true
		}
	}
	a.questionsMayDiffer = true
	a.candidateLists = map[int][]candidate{}
	a.findAll(findings)
}

// refuseLostTools refuses each answer that calls a tool which the edited request does not
// offer, since the tool was renamed or removed: the program could not carry out the call. If
// there is one, all requests of the cassette are refused. Otherwise one part of the cassette
// would have the old name of the tool, and the other part the new name.
func (a *assignment) refuseLostTools(findings []Finding) {
	lost := ""
	for i := range findings {
		f := &findings[i]
		for k, n := range f.Recordings {
			tool := lostTool(a.Stored[n], f.Missed[k], a.form(f.Missed[k]))
			if tool != "" {
				f.refuse(refusal(finding.ToolGone, "the recorded answer calls the tool %q, "+
					"which this request does not offer: record it again", tool))
				lost = tool
				break
			}
		}
	}
	if lost == "" {
		return
	}
	for i := range findings {
		if findings[i].Recordings != nil {
			findings[i].refuse(refusal(finding.ToolGone, "another answer in this cassette calls "+
				"the tool %q, which is not offered any more, "+
				"so the test must be recorded again as a whole", lost))
		}
	}
}

// refuse changes a finding to a refusal.
func (f *Finding) refuse(why Refusal) {
	f.Recordings = nil
	f.Refused = why
}

// findAll sets the findings of the groups that the first pass of assign has not assigned.
func (a *assignment) findAll(findings []Finding) {
	for i := range a.missed {
		m := &a.missed[i]
		if !m.assigned {
			findings[i] = Finding{Missed: m.missed(a.Run), Form: m.form, Near: -1}
			a.find(i, &findings[i])
		}
	}
}

// find sets the finding of missed group i.
func (a *assignment) find(i int, f *Finding) {
	missed := &a.missed[i]
	if strings.Contains(string(f.Missed[0].Request.Body), interaction.MissMark) {
		f.FollowsMiss = true
		return
	}
	if session := a.Calls[missed.members[0]].Session; session > 0 {
		a.refuseMessage(f, missed.form, session-1)
		return
	}
	if same := a.storedAs(missed.form.Key()); same != nil {
		a.assignAskedMoreOften(missed, same, f)
		return
	}

	best := a.nearest(i)
	if best.group < 0 {
		f.Refused = refusal(finding.NotRecorded,
			"the cassette has no unused recording of which this request could be an edit")
	} else {
		f.Near = a.recorded[best.group].unused(a)[0]
		f.Edits = best.edits
		f.Refused = best.refused
	}
	if n, ok := a.takenEarlier(missed, best); ok {
		f.Contested = true
		f.Near = n
		f.Edits = a.edits(a.Originals[n], f.Missed[0])
		f.Refused = refusal(finding.RecordingTaken, "the most similar recording already went "+
			"to another request: the test makes more calls than before, "+
			"or this request changes with each run")
	}

	if f.Refused.IsZero() {
		f.Refused = a.ambiguity(i, best)
	}
	if f.Refused.IsZero() {
		f.Recordings, f.Refused = a.pair(missed, &a.recorded[best.group])
	}
}

// refuseMessage sets the finding of a message of a session, which is never accepted. number is
// that of the recording of the session.
func (a *assignment) refuseMessage(f *Finding, form *canon.Form, number int) {
	f.Refused = refusal(finding.SessionEdited, "it is a message of a session (a WebSocket). What "+
		"came after the recorded message answers that one, and cannot be kept for an edited one: "+
		"record the session again")
	if number >= len(a.Stored) {
		return
	}
	f.Near = number
	session := a.Stored[number]
	var candidates []diff.Candidate
	for _, m := range session.Response.SentMessages() {
		req := session.Request.MessageRequest(&m)
		candidates = append(candidates, diff.Candidate{Form: a.Options.Trace(&req)})
	}
	candidate := func(i int) diff.Candidate { return candidates[i] }
	nearest := diff.Nearest(form, len(candidates), candidate)
	if nearest >= 0 {
		f.Edits = diff.Forms(candidates[nearest].Form, form)
	}
}

// assignAskedMoreOften sets the finding of a request that the run sent more often than it is
// recorded. Its recordings are the group recorded.
//
// The program may have sent an old request twice, and send an edited one twice now. If an
// earlier run of promptecho accept has put the edited request in the first of the two
// recordings, the second one still has the old request, and is unused: the missed request
// takes that recording. Without such a recording, the missed request is refused.
func (a *assignment) assignAskedMoreOften(missed, recorded *group, f *Finding) {
	f.Near = recorded.members[0]
	oldRequest := a.unusedOfOldRequest(missed)
	if oldRequest == nil {
		f.Refused = refusal(finding.AskedMoreOften, "the same request "+
			"was sent more often than it is recorded (recorded: %d)",
			len(recorded.members))
		return
	}
	f.Near = oldRequest.unused(a)[0]
	f.Edits = a.edits(a.Stored[f.Near], f.Missed[0])
	f.Recordings, f.Refused = a.pair(missed, oldRequest)
}

// unusedOfOldRequest looks for a request that an earlier run of promptecho accept has replaced
// by the missed request. It returns the recordings that still have the old request, if one of
// them is unused, or else nil.
func (a *assignment) unusedOfOldRequest(missed *group) *group {
	for _, n := range slices.Sorted(maps.Keys(a.Originals)) {
		wasReplacedByMissed := a.form(a.Stored[n]).Key() == missed.form.Key()
		if !wasReplacedByMissed {
			continue
		}
		oldRequest := a.storedAs(a.form(a.Originals[n]).Key())
		if oldRequest != nil && len(oldRequest.unused(a)) > 0 {
			return oldRequest
		}
	}
	return nil
}

// ambiguity returns a refusal if another recording is about as near to group i as best, or
// another group about as near to best.
func (a *assignment) ambiguity(i int, best candidate) Refusal {
	isAsNear := func(c candidate) bool {
		return c.refused.IsZero() && !muchNearer(best.distance, c.distance)
	}
	for _, other := range a.candidates(i) {
		if other.group != best.group && isAsNear(other) {
			return refusal(finding.EditAmbiguous, "two recordings are about equally similar "+
				"to this request (lines %s and %s), so it is not clear which of the two was edited",
				a.line(a.recorded[best.group].unused(a)[0]), a.line(a.recorded[other.group].unused(a)[0]))
		}
	}
	for j := range a.missed {
		if j == i || a.missed[j].assigned {
			continue
		}
		for _, rival := range a.candidates(j) {
			if rival.group == best.group && isAsNear(rival) {
				return refusal(finding.EditAmbiguous, "another request without a recording "+
					"is about as similar to this recording, or more similar, "+
					"so it is not clear which of the two requests is the edited one")
			}
		}
	}
	return Refusal{}
}

// WithRequest returns a recording with another request. It keeps the recorded URL if the
// request matches with this URL, too, and the same for the headers: the port of a local
// server differs with each run.
func WithRequest(
	recorded, asked *interaction.Interaction, options *canon.Options,
) *interaction.Interaction {
	it := *recorded
	it.Request = asked.Request
	it.Kind = asked.Kind
	it.Boundary = asked.Boundary
	it.Accepted = true

	plain := new(canon.Options)
	matches := func(r *interaction.Request) bool {
		matchesPlain := plain.Form(r).Key() == plain.Form(&asked.Request).Key()
		return matchesPlain && options.Form(r).Key() == options.Form(&asked.Request).Key()
	}
	withURL := it.Request
	withURL.URL = recorded.Request.URL
	if matches(&withURL) {
		it.Request = withURL
	}
	withHeaders := it.Request
	withHeaders.Headers = recorded.Request.Headers
	withHeaders.UnknownHeaders = recorded.Request.UnknownHeaders
	if matches(&withHeaders) {
		it.Request = withHeaders
	}
	it.MatchKey = plain.Form(&it.Request).Key()
	return &it
}
