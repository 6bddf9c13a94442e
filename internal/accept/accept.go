// Package accept says which recordings edited requests were recorded as, so that promptecho
// accept can put these requests into them and keep their answers. It works on what a run
// that is over asked, and never while a program runs: only then it is known what was asked
// exactly. Where it is not clear which recording is meant, it says so and assigns nothing.
//
// From the bottom up: left.go reads what tests have left, run.go is what one asked, group.go puts equal
// requests together, near.go compares groups, tools.go finds calls of renamed tools,
// refusal.go says why not, and accept.go assigns.
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

// A Finding is what is to become of requests that missed and are the same.
type Finding struct {
	Missed []*interaction.Interaction // in the order asked
	Form   *canon.Form                // of each
	Into   []int                      // the numbers of the recordings that take the first ones; nil if refused
	Near   int                        // the number of the recording that was compared, from 0; -1 if there is none
	Edits  []diff.Edit                // what differs from that

	Refused Refusal // why no recording takes them; zero if some do, or if Later is set

	// Later says that they were asked because another request missed: the next run shows
	// whether they still are.
	Later bool

	// Contested says that something accepted before was most likely another's: all that was
	// accepted of this cassette is to be undone.
	Contested bool
}

// Assign says what is to become of the requests that missed, in the order asked. Where
// questions may differ, requests whose question is the same come first: they are assigned
// as if none might, and the others are compared with what is left.
func Assign(r *Run) []Finding {
	a := newAssignment(r)
	findings := make([]Finding, len(a.missed))
	a.assign(findings)
	a.refuseLostTools(findings)
	return findings
}

// assign says what is to become of each group of requests, by how similar they are to
// recordings.
func (a *assignment) assign(findings []Finding) {
	a.findAll(findings)
	if !a.Questions || slices.ContainsFunc(findings, func(f Finding) bool { return f.Contested }) {
		return
	}
	for i, f := range findings {
		a.missed[i].settled = f.Into != nil
		for _, n := range f.Into {
			a.assigned[n] = true
		}
	}
	a.told, a.near = true, map[int][]candidate{}
	a.findAll(findings)
}

// refuseLostTools refuses to keep an answer that calls a tool which the edited request does not
// offer any more, since it was renamed or removed: the program could not carry out the call.
// Then no request of the cassette is accepted. A cassette of which one half knows the old name
// of a tool and the other half the new one is of no use.
func (a *assignment) refuseLostTools(findings []Finding) {
	lost := ""
	for i := range findings {
		f := &findings[i]
		for k, n := range f.Into {
			if tool := lostTool(a.Stored[n], f.Missed[k], a.form(f.Missed[k])); tool != "" {
				f.refuse(refusal(finding.ToolGone, "the recorded answer calls the tool %q, which this request does not offer: record it again", tool))
				lost = tool
				break
			}
		}
	}
	if lost == "" {
		return
	}
	for i := range findings {
		if findings[i].Into != nil {
			findings[i].refuse(refusal(finding.ToolGone, "another answer in this cassette calls the tool %q, which is not offered any more, "+
				"so the test must be recorded again as a whole", lost))
		}
	}
}

// refuse makes a finding one of requests that no recording takes.
func (f *Finding) refuse(why Refusal) {
	f.Into = nil
	f.Refused = why
}

// findAll says what is to become of the requests that are not settled.
func (a *assignment) findAll(findings []Finding) {
	for i := range a.missed {
		if m := &a.missed[i]; !m.settled {
			findings[i] = Finding{Missed: m.missed(a.Run), Form: m.form, Near: -1}
			a.find(i, &findings[i])
		}
	}
}

// find says what is to become of the requests of a group.
func (a *assignment) find(i int, f *Finding) {
	m := &a.missed[i]
	if strings.Contains(string(f.Missed[0].Request.Body), interaction.MissMark) {
		f.Later = true
		return
	}
	if same := a.storedAs(m.form.Key()); same != nil {
		a.again(m, same, f)
		return
	}
	best := a.nearest(i)
	if best.to < 0 {
		f.Refused = refusal(finding.NotRecorded, "the cassette has no unused recording of which this request could be an edit")
	} else {
		f.Near, f.Edits, f.Refused = a.recorded[best.to].free(a)[0], best.edits, best.refused
	}
	if n, ok := a.taken(m, best); ok {
		f.Contested = true
		f.Near, f.Edits = n, a.edits(a.Before[n], f.Missed[0])
		f.Refused = refusal(finding.RecordingTaken, "the most similar recording already went to another request: the test makes more calls than before, or this request changes with each run")
	}
	if f.Refused.IsZero() {
		f.Refused = a.clear(i, best)
	}
	if f.Refused.IsZero() {
		f.Into, f.Refused = a.pair(m, &a.recorded[best.to])
	}
}

// again assigns a request that was accepted before and is asked once more: it goes where the
// next recording of the same old request is.
func (a *assignment) again(m, same *group, f *Finding) {
	f.Near = same.members[0]
	for _, n := range slices.Sorted(maps.Keys(a.Before)) {
		old := a.Before[n]
		if a.form(a.Stored[n]).Key() != m.form.Key() {
			continue
		}
		if rest := a.storedAs(a.form(old).Key()); rest != nil && len(rest.free(a)) > 0 {
			f.Near, f.Edits = rest.free(a)[0], a.edits(a.Stored[rest.free(a)[0]], f.Missed[0])
			f.Into, f.Refused = a.pair(m, rest)
			return
		}
	}
	f.Refused = refusal(finding.AskedMoreOften, "the same request was sent more often than it is recorded (recorded: %d)", len(same.members))
}

// clear returns why it is not clear that a group goes where it is nearest.
func (a *assignment) clear(i int, best candidate) Refusal {
	for _, other := range a.candidates(i) {
		if other.to != best.to && other.refused.IsZero() && !muchNearer(best.distance, other.distance) {
			return refusal(finding.EditAmbiguous, "two recordings are about equally similar to this request (lines %s and %s), so it is not clear which of the two was edited",
				a.line(a.recorded[best.to].free(a)[0]), a.line(a.recorded[other.to].free(a)[0]))
		}
	}
	for j := range a.missed {
		if j == i || a.missed[j].settled {
			continue
		}
		for _, rival := range a.candidates(j) {
			if rival.to == best.to && rival.refused.IsZero() && !muchNearer(best.distance, rival.distance) {
				return refusal(finding.EditAmbiguous, "another request without a recording is about as similar to this recording, or more similar, so it is not clear which of the two requests is the edited one")
			}
		}
	}
	return Refusal{}
}

// Into returns a recording with another request. Where the request matches all the same, it
// keeps the URL and the headers of the recording: a local server has another port with each
// run.
func Into(recorded, asked *interaction.Interaction, options *canon.Options) *interaction.Interaction {
	it := *recorded
	it.Request, it.Kind, it.Boundary, it.Accepted = asked.Request, asked.Kind, asked.Boundary, true
	plain := new(canon.Options)
	for _, keep := range []func(*interaction.Request){
		func(r *interaction.Request) { r.URL = recorded.Request.URL },
		func(r *interaction.Request) {
			r.Headers, r.UnknownHeaders = recorded.Request.Headers, recorded.Request.UnknownHeaders
		},
	} {
		kept := it.Request
		keep(&kept)
		if options.Form(&kept).Key() == options.Form(&asked.Request).Key() && plain.Form(&kept).Key() == plain.Form(&asked.Request).Key() {
			it.Request = kept
		}
	}
	it.MatchKey = plain.Form(&it.Request).Key()
	return &it
}
