package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
)

// How much a report shows.
const (
	fullMisses     = 5  // misses with all that differs
	maxListed      = 20 // misses or recordings that are named at all
	maxAnnotations = 10 // of each sort; GitHub shows ten of a step
)

// Evidence is what a log cannot know by itself when it judges a run.
type Evidence struct {
	Entries  []Entry   // the recordings of the cassette, in order
	Contests []Contest // the recordings that answered another request than theirs
	Unasked  []string  // options, as code, that name a server to which no request went
}

// Judge says what is wrong with a run that ended so, after what the log was told before.
func (l *Log) Judge(o *Outcome, ev Evidence) Report {
	l.mu.Lock()
	rep := Report{Errors: slices.Concat(l.errors, l.refused), Notes: slices.Clone(l.notes)}
	reached, selected, compared, replayed := l.reached, maps.Clone(l.selected), maps.Clone(l.compared), l.replayed
	l.mu.Unlock()

	l.judgeContests(&rep, o, ev.Contests)
	if misses := l.Misses(); len(misses) > 0 {
		rep.Errors = append(rep.Errors, l.missReport(o, misses, ev.Entries, compared))
		for _, m := range misses[:min(len(misses), maxAnnotations)] {
			rep.annotate(Annotation{File: l.Path, Line: m.Line, Caller: m.Caller, Text: m.Reason})
		}
	}
	// Unused is evidence only if everything ran and went well: a miss, or
	// whatever else failed the test, can be why the rest was not asked for.
	if o.whole() && !l.AllowUnused && len(rep.Errors) == 0 {
		l.judgeUnused(&rep, o, reached, ev.Entries)
	}
	if reached && l.Rules != nil {
		l.noteUnselected(&rep, ev.Unasked, selected)
	}
	if o.Failed || o.Unsure && !l.KeepFailures {
		rep.Notes = append(rep.Notes, replayed...)
	}
	rep.printable()
	return rep
}

// missReport lists every miss, and what to do as its last lines.
func (l *Log) missReport(o *Outcome, misses []*Miss, entries []Entry, compared map[Recording]bool) string {
	var b strings.Builder
	verb := "were"
	if len(misses) == 1 {
		verb = "was"
	}
	used := 0
	for _, e := range entries {
		if e.Used {
			used++
		}
	}
	fmt.Fprintf(&b, "%s %s not recorded (%s; %d of %s used)", Count(len(misses), "request"), verb, l.mode(), used, Count(len(entries), "recording"))
	brief, recordable := false, false // whether the miss before was named in a line; whether any can be recorded
	for i, m := range misses {
		recordable = recordable || !m.unrecordable()
		if i >= maxListed {
			continue
		}
		full := i < fullMisses && (i == 0 || m.Diff != "" || m.Reason != misses[i-1].Reason)
		if full || !brief {
			b.WriteString("\n")
		}
		if full {
			fmt.Fprintf(&b, "\n%s", m.Error())
		} else {
			fmt.Fprintf(&b, "\n  %s", m.brief(misses[i-1].Reason))
		}
		brief = !full
	}
	if more := len(misses) - maxListed; more > 0 {
		fmt.Fprintf(&b, "\n  … and %d more", more)
	}
	if o.whole() {
		l.alsoUnused(&b, entries, compared)
	}
	if recordable {
		fmt.Fprintf(&b, "\n\n%s", l.howToRecord(o))
	}
	return b.String()
}

// alsoUnused names the recordings that answered nothing and that no miss was compared
// with: those that were are part of the report of their miss.
func (l *Log) alsoUnused(b *strings.Builder, entries []Entry, compared map[Recording]bool) {
	var lines []string
	for _, e := range l.Unused(entries) {
		if !compared[e.Recording] {
			lines = append(lines, fmt.Sprintf("%s:%d", l.File, e.Line()))
		}
	}
	const most = 5
	switch {
	case len(lines) > most:
		fmt.Fprintf(b, "\n\nNot used either: %s and %d more", strings.Join(lines[:most], ", "), len(lines)-most)
	case len(lines) > 0:
		fmt.Fprintf(b, "\n\nNot used either: %s", strings.Join(lines, ", "))
	}
}

// judgeUnused says whether recordings answered nothing, in a run that went well otherwise.
func (l *Log) judgeUnused(rep *Report, o *Outcome, reached bool, entries []Entry) {
	switch unused := l.Unused(entries); {
	case !reached && !l.Exists && l.MayAskNone:
		rep.Notes = append(rep.Notes, l.File+": no request reached the recorder, and there is no cassette: a test that asks nothing needs none; one that does hands rec.Client() to the SDK")
	case !reached:
		text := "no request reached the recorder: hand rec.Client() to the SDK, or give AllowUnused()"
		rep.Errors = append(rep.Errors, l.File+": "+text)
		rep.annotate(Annotation{File: l.Path, Text: text})
	case l.CheckUnused && len(unused) > 0:
		rep.Errors = append(rep.Errors, l.unusedReport(o, unused, entries))
		for _, e := range unused[:min(len(unused), maxAnnotations)] {
			rep.annotate(Annotation{File: l.Path, Line: e.Line(), Text: "this recording was not used"})
		}
	}
}

// Unused returns the recordings that answered nothing although the test should have
// asked for them.
func (l *Log) Unused(entries []Entry) (unused []Entry) {
	for _, e := range entries {
		if !e.Used && !e.Excused && !(l.AllowRaced && e.Concurrent()) {
			unused = append(unused, e)
		}
	}
	return unused
}

// unusedReport lists the recordings that no request used, and for each what was asked
// instead.
func (l *Log) unusedReport(o *Outcome, unused, entries []Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s not used", len(unused), Count(len(entries), "recording"))
	raced := false
	for _, e := range unused[:min(len(unused), maxListed)] {
		fmt.Fprintf(&b, "\n  %s:%d: %s", l.File, e.Line(), e.Form().Endpoint)
		if e.Form().Model != "" {
			fmt.Fprintf(&b, ", model %s", e.Form().Model)
		}
		if why := l.whyUnused(e, entries); why != "" {
			fmt.Fprintf(&b, "\n    %s", why)
		}
		if e.Concurrent() {
			b.WriteString("\n    it was recorded while another request was open")
			raced = true
		}
	}
	if more := len(unused) - maxListed; more > 0 {
		fmt.Fprintf(&b, "\n  … and %d more", more)
	}
	if raced {
		b.WriteString("\n\nWhat is asked in the background may not be asked before its test ends, since a replay answers at once. Wait for it, or give AllowRaced().")
	}
	b.WriteString("\n\nDelete them from the file, give AllowUnused(), or record again:\n" + l.command(o))
	return b.String()
}

// whyUnused compares a recording that was not used with those that were.
func (l *Log) whyUnused(unused Entry, entries []Entry) string {
	form := unused.Form()
	var candidates []diff.Candidate
	var used []Entry
	same, asked := 0, 0
	endpoint := false
	for _, e := range entries {
		if e.Form().Key() == form.Key() {
			same++
			if e.Used {
				asked++
			}
		}
		if e.Used {
			endpoint = endpoint || e.Form().Endpoint == form.Endpoint
			candidates = append(candidates, diff.Candidate{Form: e.Form()})
			used = append(used, e)
		}
	}
	if asked > 0 {
		return fmt.Sprintf("the same request is recorded %s and was asked %s", times(same), times(asked))
	}
	if !endpoint {
		return "nothing was asked of " + form.Endpoint
	}
	i := diff.Nearest(form, candidates)
	if i < 0 {
		return ""
	}
	edits := diff.Forms(unused.Trace(), used[i].Trace())
	if len(edits) == 0 || len(edits) > 3 {
		return ""
	}
	names := make([]string, len(edits))
	for j, e := range edits {
		names[j] = canon.Short(e.Path)
	}
	return fmt.Sprintf("%s:%d was used, which differs in %s", l.File, used[i].Line(), strings.Join(names, ", "))
}

// noteUnselected notes the servers and the patterns of options that no request and no
// recording had: most likely a slip.
func (l *Log) noteUnselected(rep *Report, unasked []string, selected map[string]bool) {
	for _, option := range unasked {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %s: no request went to this server", l.File, option))
	}
	for _, option := range []struct {
		name     string
		patterns []string
	}{{"MatchOn", l.Rules.MatchOn}, {"Match", l.Rules.Match}, {"Ignore", l.Rules.Ignore}} {
		for _, p := range option.patterns {
			// A header that is ignored may not be written at all: then it is a clash that
			// is ignored.
			if !selected[p] && !(option.name == "Ignore" && strings.HasPrefix(p, "header/")) {
				rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %s(%q): no request and no recording has such a field: is the path that of a miss report?", l.File, option.name, p))
			}
		}
	}
}

// judgeContests reports recordings that answered another request than theirs, where that
// made a difference.
func (l *Log) judgeContests(rep *Report, o *Outcome, contests []Contest) {
	var found []string
	for _, c := range contests {
		text := c.String()
		rep.annotate(Annotation{File: l.Path, Line: c.Line, Text: text})
		found = append(found, fmt.Sprintf("%s:%d: %s", l.File, c.Line, text))
	}
	if len(found) > 0 {
		rep.Errors = append(rep.Errors, strings.Join(found, "\n")+"\n\n"+l.howToRecord(o))
	}
}
