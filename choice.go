package promptecho

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/verdict"
)

// A contest is a recording that a request took which differs from it in what does
// not match, before the request came that it was recorded for; or after one came that
// differs only in how it is written and was recorded later.
type contest struct {
	lent  *slot
	given *slot // what its own request got instead; nil if there was nothing left
	late  *slot // what was played before, although it was recorded later
}

// judgeContests reports recordings that answered another request than theirs, if that
// made a difference. Where nothing was left, the miss says it.
func (r *Recorder) judgeContests(rep *verdict.Report) {
	for _, c := range r.contests {
		text := ""
		field := differing(c.lent)
		switch {
		case c.given == nil:
			continue
		case c.late != nil && !sameAnswer(c.lent, c.late):
			text = fmt.Sprintf("played after line %d, which was recorded later for the same request in another spelling. Record both again", c.late.line())
		case c.late == nil && !sameAnswer(c.lent, c.given):
			got := "a new recording"
			if !c.given.fresh {
				got = fmt.Sprintf("line %d", c.given.line())
			}
			text = fmt.Sprintf("played for a request that differs in %s; then this very request came, and got %s. ", inWhat(field, c.lent), got)
			text += "Record the request that took it, too"
			if field != "" {
				text += fmt.Sprintf(", or tell the two apart with promptecho.Match(%q)", field)
			}
		default:
			continue
		}
		line := c.lent.line()
		rep.Marks = append(rep.Marks, verdict.Mark{File: r.path, Line: line, Text: text})
		rep.Errors = append(rep.Errors, fmt.Sprintf("%s:%d: %s", r.file, line, text))
	}
}

// differing returns the first field in which a lent recording differs from the request
// that took it, as [Match] has it; "" if they differ only in what no option tells apart.
func differing(lent *slot) string {
	edits := diff.Drift(lent.form(), lent.lent)
	if len(edits) == 0 {
		return ""
	}
	return canon.Selector(edits[0].Path)
}

// inWhat says in words what differing has found.
func inWhat(field string, lent *slot) string {
	switch {
	case field != "":
		return field
	case lent.form().Origin != lent.lent.Origin:
		return "its local host"
	}
	return "its spelling"
}

// sameAnswer reports whether two recordings say the same.
func sameAnswer(a, b *slot) bool {
	x, y := relinked(a, &b.it().Request), &b.it().Response
	return x.Status == y.Status && bytes.Equal(x.Body, y.Body) && slices.EqualFunc(x.Events, y.Events, slices.Equal[cassette.Event])
}
