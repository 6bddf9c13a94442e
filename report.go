package promptecho

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/verdict"
)

// How many misses a report shows in full, and how many it names at all.
const (
	fullMisses  = 5
	namedMisses = 20

	// GitHub shows ten annotations of a step.
	maxMarks = 10
)

// judge says what is wrong with the run.
func (r *Recorder) judge(o *verdict.Outcome, rep *verdict.Report) {
	rep.Errors = append(rep.Errors, r.refused...)
	r.judgeContests(o, rep)
	if len(r.misses) > 0 {
		rep.Errors = append(rep.Errors, r.missReport(o))
		for _, m := range r.misses[:min(len(r.misses), maxMarks)] {
			rep.Marks = append(rep.Marks, verdict.Mark{File: r.path, Line: m.Line, Caller: m.Caller, Text: m.Reason})
		}
	}
	// Unused is evidence only if everything ran and went well: a miss, or
	// whatever else failed the test, can be why the rest was not asked for.
	if r.cfg.allowUnused || o.Failed || o.Skipped || o.Filtered || len(rep.Errors) > 0 {
		return
	}
	switch {
	case !r.reached && r.old == nil && r.mode.mode != ModeAll && r.mode.mode != ModeNewEpisodes:
		rep.Notes = append(rep.Notes, r.file+": no request reached the recorder, and there is no cassette: a test that asks nothing needs none; one that does hands rec.Client() to the SDK")
	case !r.reached:
		text := "no request reached the recorder: hand rec.Client() to the SDK, or give AllowUnused()"
		rep.Errors = append(rep.Errors, r.file+": "+text)
		rep.Marks = append(rep.Marks, verdict.Mark{File: r.path, Text: text})
	case r.plan.checkUnused:
		if unused := r.unused(); len(unused) > 0 {
			rep.Errors = append(rep.Errors, r.unusedReport(unused, o))
			for _, s := range unused[:min(len(unused), maxMarks)] {
				rep.Marks = append(rep.Marks, verdict.Mark{File: r.path, Line: s.line(), Text: "this recording was not used"})
			}
		}
	}
}

// unused returns the recordings of the cassette that answered nothing. Not one that
// has no answer: whether a request is sent that is given up depends on how long others
// take.
func (r *Recorder) unused() (unused []*slot) {
	for _, s := range r.tape.slots {
		if s.used || s.fresh || s.resumed || s.canceled() || r.cfg.allowRaced && s.it().Concurrent {
			continue
		}
		unused = append(unused, s)
	}
	return unused
}

// missReport lists every miss, and what to do as its last line.
func (r *Recorder) missReport(o *verdict.Outcome) string {
	loaded, used := r.tape.count()
	var b strings.Builder
	verb := "were"
	if len(r.misses) == 1 {
		verb = "was"
	}
	fmt.Fprintf(&b, "%s %s not recorded (%s; %d of %s used)", plural(len(r.misses), "request"), verb, r.mode, used, plural(loaded, "recording"))
	brief := false // the miss before was named in a line
	for i, m := range r.misses {
		full := i < fullMisses && (i == 0 || m.Diff != "" || m.Reason != r.misses[i-1].Reason)
		switch {
		case i == namedMisses:
			fmt.Fprintf(&b, "\n  … and %d more", len(r.misses)-i)
		case i > namedMisses:
		case full:
			fmt.Fprintf(&b, "\n\n%s", m.Error())
		default:
			if !brief {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "\n  %s", m.brief(r.misses[i-1].Reason))
		}
		brief = !full
	}
	if !o.Failed && !o.Skipped && !o.Filtered {
		r.alsoUnused(&b)
	}
	if !slices.ContainsFunc(r.misses, func(m *MissError) bool { return !m.unrecordable }) {
		return b.String()
	}
	fmt.Fprintf(&b, "\n\n%s", r.howToRecord(o))
	return b.String()
}

// alsoUnused names the recordings that answered nothing and that no miss was
// compared with: those are one finding with it.
func (r *Recorder) alsoUnused(b *strings.Builder) {
	var lines []string
	for _, s := range r.unused() {
		if !s.near {
			lines = append(lines, fmt.Sprintf("%s:%d", r.file, s.line()))
		}
	}
	if len(lines) == 0 {
		return
	}
	const most = 5
	more := ""
	if len(lines) > most {
		more = fmt.Sprintf(" and %d more", len(lines)-most)
		lines = lines[:most]
	}
	fmt.Fprintf(b, "\n\nNot used either: %s%s", strings.Join(lines, ", "), more)
}

// unusedReport lists the recordings that no request used, and for each what was
// asked instead.
func (r *Recorder) unusedReport(unused []*slot, o *verdict.Outcome) string {
	loaded, _ := r.tape.count()
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s not used", len(unused), plural(loaded, "recording"))
	raced := false
	for i, s := range unused {
		if i == namedMisses {
			fmt.Fprintf(&b, "\n  … and %d more", len(unused)-namedMisses)
			break
		}
		fmt.Fprintf(&b, "\n  %s:%d: %s", r.file, s.line(), s.form().Endpoint)
		if s.form().Model != "" {
			fmt.Fprintf(&b, ", model %s", s.form().Model)
		}
		if why := r.whyUnused(s); why != "" {
			fmt.Fprintf(&b, "\n    %s", why)
		}
		if s.it().Concurrent {
			b.WriteString("\n    it was recorded while another request was open")
			raced = true
		}
	}
	if raced {
		b.WriteString("\n\nWhat is asked in the background may not be asked before its test ends, since a replay answers at once. Wait for it, or give AllowRaced().")
	}
	b.WriteString("\n\nDelete them from the file, give AllowUnused(), or record again:\n" + r.command(o))
	return b.String()
}

// whyUnused compares a recording that was not used with those that were.
func (r *Recorder) whyUnused(s *slot) string {
	var candidates []diff.Candidate
	var slots []*slot
	same, asked := 0, 0
	endpoint := false
	for _, other := range r.tape.slots {
		if other.form().Key() == s.form().Key() && !other.fresh {
			same++
			if other.used {
				asked++
			}
		}
		if other.used {
			endpoint = endpoint || other.form().Endpoint == s.form().Endpoint
			candidates = append(candidates, diff.Candidate{Form: other.form()})
			slots = append(slots, other)
		}
	}
	if asked > 0 {
		return fmt.Sprintf("the same request is recorded %s and was asked %s", times(same), times(asked))
	}
	if !endpoint {
		return fmt.Sprintf("nothing was asked of %s", s.form().Endpoint)
	}
	i := diff.Nearest(s.form(), candidates)
	if i < 0 {
		return ""
	}
	edits := diff.Forms(r.trace(s), r.trace(slots[i]))
	if len(edits) == 0 || len(edits) > 3 {
		return ""
	}
	names := make([]string, len(edits))
	for j, e := range edits {
		names[j] = canon.Short(e.Path)
	}
	return fmt.Sprintf("%s:%d was used, which differs in %s", r.file, slots[i].line(), strings.Join(names, ", "))
}

// trace returns the form of a recording with the paths of its request.
func (r *Recorder) trace(s *slot) *canon.Form {
	recorded := r.asked(s.it(), s.sealed)
	return r.cfg.rules.Trace(&recorded)
}

// plural returns "1 thing", "2 things".
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// howToRecord says how to record the test again, and what stands in the way.
func (r *Recorder) howToRecord(o *verdict.Outcome) string {
	before := "To record it again:"
	switch {
	case r.old == nil && r.cfg.mode != ModeNone:
		before = "To record it:"
	case r.old != nil && r.old.Pinned:
		before = fmt.Sprintf("%s is pinned. To record it again, remove \"pinned: true\" from its top, and run:", r.file)
	case r.cfg.mode == ModeNone:
		before = "InMode(ModeNone) in the code allows no recording. To record it again, remove that, and run:"
	case r.cfg.mode == ModeOnce && r.old != nil:
		before = fmt.Sprintf("InMode(ModeOnce) in the code keeps what is recorded. To record it again, delete %s, and run:", r.file)
	}
	return before + "\n" + r.command(o)
}

func (r *Recorder) command(o *verdict.Outcome) string {
	if o.Command == nil {
		return "  PROMPTECHO_MODE=all, and run what uses " + r.file
	}
	return "  " + o.Command()
}

// explain finds the nearest recording and what differs from it.
func (r *Recorder) explain(clean *interaction.Request, form *canon.Form, candidates []diff.Candidate, slots []*slot) (m MissError, near *slot) {
	i := diff.Nearest(form, candidates)
	if twin := elsewhere(form, candidates); twin >= 0 {
		i = twin
	}
	if i < 0 {
		m.Reason = fmt.Sprintf("nothing is recorded, and %s does not record", r.mode)
		if r.old == nil {
			m.Reason = fmt.Sprintf("the file does not exist, and %s does not record: was it committed?", r.mode)
		}
		return m, nil
	}
	near = slots[i]
	m.Line = near.line()
	if near.form().Endpoint != form.Endpoint && !slices.Equal(near.form().Lines(), form.Lines()) {
		m.Reason = fmt.Sprintf("nothing of %s is recorded; this is of %s", form.Endpoint, near.form().Endpoint)
		return m, near
	}
	recorded, asked := r.trace(near), r.cfg.rules.Trace(clean)
	edits := diff.Forms(recorded, asked)
	m.Reason = reasonFor(near.form(), form, edits)
	m.Diff = diff.Write(edits, "  ", maxEdits)
	if drift := diff.Drift(recorded, asked); len(drift) > 0 {
		m.Diff += "  different too, but it does not match:\n" + diff.Write(drift, "    ", 3)
	}
	m.Hint = hint(edits)
	return m, near
}

// reasonFor says in a line how a request differs from the nearest recording.
func reasonFor(recorded, asked *canon.Form, edits []diff.Edit) string {
	switch {
	case recorded.Endpoint != asked.Endpoint:
		return fmt.Sprintf("recorded for another endpoint, %s", recorded.Endpoint)
	case recorded.Wire != asked.Wire && len(edits) == 1:
		return fmt.Sprintf("recorded only with a %s answer", wireName(recorded.Wire))
	case recorded.Model != asked.Model && len(edits) == 1:
		return fmt.Sprintf("recorded for another model, %s", recorded.Model)
	case len(edits) == 1 && edits[0].Note == diff.ToolOrder:
		return "the nearest recording differs only in the order of its tools (SortTools makes it not match)"
	case len(edits) == 1:
		return "the nearest recording differs in " + canon.Short(edits[0].Path)
	}
	return "the nearest recording differs"
}

// elsewhere returns the index of a recording of the very same body for another
// endpoint, -1 if there is none: a gateway or a provider has changed.
func elsewhere(form *canon.Form, candidates []diff.Candidate) int {
	return slices.IndexFunc(candidates, func(c diff.Candidate) bool {
		return c.Form.Endpoint != form.Endpoint && slices.Equal(c.Form.Lines(), form.Lines())
	})
}

func wireName(wire string) string {
	switch wire {
	case "whole":
		return "plain"
	case "stream":
		return "streamed"
	}
	return "streamed (" + wire + ")"
}

// A volatile is text that changes from run to run, and what a user would mask it by.
type volatile struct {
	name, expr string
	re         *regexp.Regexp
}

// volatiles are compiled by the first miss that needs them, not by every program
// that links this package.
var volatiles = sync.OnceValue(func() []volatile {
	list := []volatile{
		{name: "TIME", expr: `\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?`},
		{name: "DATE", expr: `\d{4}-\d\d-\d\d`},
		{name: "TIME", expr: `\b\d\d?:\d\d(:\d\d)?\b`},
		{name: "UUID", expr: `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`},
		{name: "ADDRESS", expr: `127\.0\.0\.1:\d+`},
		{name: "TMP", expr: `/tmp/[^\s"']+`},
		{name: "HEX", expr: `\b[0-9a-f]{16,64}\b`},
		{name: "UNIXTIME", expr: `\b1\d{9}(\d{3})?\b`},
	}
	for i := range list {
		list[i].re = regexp.MustCompile(list[i].expr)
	}
	return list
})

// hint returns the option that would make the request match, as code to paste,
// if all that differs is text that changes from run to run or a field that only
// tells calls apart; else "".
func hint(edits []diff.Edit) string {
	if len(edits) == 0 {
		return ""
	}
	var options []string
	for _, e := range edits {
		option := hintFor(&e)
		if option == "" {
			return ""
		}
		if !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	if len(options) > 3 {
		return ""
	}
	return strings.Join(options, ", ")
}

// middles cuts off what two texts begin and end with alike, but for some of it, in
// which a volatile text may begin or end: prompts are long.
func middles(a, b string) (string, string) {
	const margin = 128
	i, n := 0, min(len(a), len(b))
	for i < n && a[i] == b[i] {
		i++
	}
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	i, j = max(0, i-margin), max(0, j-margin)
	return a[i : len(a)-j], b[i : len(b)-j]
}

func hintFor(e *diff.Edit) string {
	if e.Path == "endpoint" || e.Path == "wire" {
		return ""
	}
	if canon.OfOneCall(e.Path) {
		return fmt.Sprintf("promptecho.Ignore(%q)", canon.Short(e.Path))
	}
	a, aok := canon.Unquote(e.Recorded)
	b, bok := canon.Unquote(e.Incoming)
	if !aok || !bok {
		return ""
	}
	a, b = middles(a, b)
	for _, v := range volatiles() {
		if v.re.MatchString(a) && v.re.ReplaceAllString(a, v.name) == v.re.ReplaceAllString(b, v.name) {
			return fmt.Sprintf("promptecho.Mask(`%s`, %q)", v.expr, v.name)
		}
	}
	return ""
}
