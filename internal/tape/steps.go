package tape

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Miss keeps a call that nothing answers.
func (t *Tape) Miss(c *Call) {
	it := &interaction.Interaction{Request: c.Request}
	it.Kind, it.Boundary = c.Form.Kind()
	if c.Form.Function {
		it.Response.Error = "not recorded"
	} else {
		it.Response.Status = http.StatusTeapot
	}
	t.change(func() {
		t.asked++
		t.missed = append(t.missed, Step{Missed: it, asked: t.asked})
	})
}

// Steps returns the calls of this run in the order asked; none if [Tape.Miss] kept none. The
// tape must be closed.
func (t *Tape) Steps() []Step {
	if len(t.missed) == 0 {
		return nil
	}
	steps := slices.Clone(t.missed)
	for _, rec := range t.Stored() {
		if rec.asked > 0 {
			steps = append(steps, Step{Recording: rec, asked: rec.asked})
		}
	}
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.asked, b.asked) })
	return steps
}

// Made returns the recordings that have answered calls of this run so far, each once, and those
// that it has made, in the order asked. under is how many calls have no whole answer yet.
func (t *Tape) Made() (made []*Recording, under int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, rec := range t.recordings {
		switch {
		case rec.replaced:
		case rec.asked > 0 && rec.Complete():
			made = append(made, rec)
		case rec.asked > 0:
			under++
		}
	}
	SortAsked(made)
	return made, under
}
