package promptecho

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/verdict"
)

// A contest is a recording that a request took which differs from it in what does
// not match, before the request came that it was recorded for; or after one came that
// differs only in how it is written and was recorded later.
type contest struct {
	lent  *slot
	given *slot       // what its own request got instead; nil if there was nothing left
	late  *slot       // what was played before lent, although it was recorded later
	field canon.Trait // in which lent differs from the request that took it
}

// judgeContests reports recordings that answered another request than theirs, if that
// made a difference. Where nothing was left, the miss says it.
func (r *Recorder) judgeContests(o *verdict.Outcome, rep *verdict.Report) {
	var found []string
	for _, c := range r.contests {
		text := ""
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
			words, selector := c.inWhat()
			text = fmt.Sprintf("played for a request that differs in %s; then this very request came, and got %s. ", words, got)
			text += "Record both again"
			if selector != "" {
				text += fmt.Sprintf(", or tell the two apart with promptecho.Match(%q)", selector)
			}
		default:
			continue
		}
		line := c.lent.line()
		rep.Marks = append(rep.Marks, verdict.Mark{File: r.path, Line: line, Text: text})
		found = append(found, fmt.Sprintf("%s:%d: %s", r.file, line, text))
	}
	if len(found) > 0 {
		rep.Errors = append(rep.Errors, strings.Join(found, "\n")+"\n\n"+r.howToRecord(o))
	}
}

// inWhat says what the request that took a recording differs in, and as what an option
// can select it; "" if none can.
func (c *contest) inWhat() (words, selector string) {
	switch {
	case c.field.Spelled():
		return "its spelling", ""
	case c.field.Path == "host" && c.lent.form().Local:
		return "its local host", ""
	}
	selector = canon.Selector(c.field.Path)
	return selector, selector
}

// sameAnswer reports whether two recordings say the same.
func sameAnswer(a, b *slot) bool {
	x, y := relinked(a, &b.it().Request), &b.it().Response
	return x.Status == y.Status && bytes.Equal(x.Body, y.Body) && slices.EqualFunc(x.Events, y.Events, slices.Equal[interaction.Event])
}
