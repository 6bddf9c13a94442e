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

// A Made is a call of this run, whose answer is there.
type Made struct {
	*Recording
	Asked int    // its number
	Asker uint64 // the goroutine that called; 0 if nobody asked
}

// Made returns the calls of this run so far that a recording answered, each recording once,
// or that were recorded, in the order asked. under is how many of them have no whole answer
// yet.
func (t *Tape) Made() (made []Made, under int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, rec := range t.recordings {
		switch {
		case rec.replaced:
		case rec.asked > 0 && rec.Complete():
			made = append(made, Made{rec, rec.asked, rec.asker})
		case rec.asked > 0:
			under++
		}
	}
	slices.SortFunc(made, func(a, b Made) int { return cmp.Compare(a.Asked, b.Asked) })
	return made, under
}
