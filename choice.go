package promptecho

import (
	"bytes"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
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

// matters reports whether it made a difference. Where nothing was left, the miss says it.
func (c *contest) matters() bool {
	switch {
	case c.given == nil:
		return false
	case c.late != nil:
		return !sameAnswer(c.lent, c.late)
	}
	return !sameAnswer(c.lent, c.given)
}

// told returns the contest as it is reported.
func (c *contest) told() report.Contest {
	told := report.Contest{Line: c.lent.line(), Field: c.field, Local: c.lent.form().Local}
	if c.late != nil {
		told.Late = c.late.line()
	}
	if c.given != nil && !c.given.fresh {
		told.Got = c.given.line()
	}
	return told
}

// sameAnswer reports whether two recordings say the same.
func sameAnswer(a, b *slot) bool {
	x, y := relinked(a, &b.it().Request), &b.it().Response
	return x.Status == y.Status && bytes.Equal(x.Body, y.Body) && slices.EqualFunc(x.Events, y.Events, slices.Equal[interaction.Event])
}
