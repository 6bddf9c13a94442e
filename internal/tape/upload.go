package tape

import "github.com/promptecho/promptecho/internal/interaction"

// IsBlank reports whether no request can be answered.
func (t *Tape) IsBlank() bool { return len(t.shelf.queues) == 0 && !t.Config.Rounds }

// Uploaded gives a recording its request, the body of which was read while it was sent.
func (t *Tape) Uploaded(rec *Recording, req interaction.Request) {
	t.policy.RedactBody(&req)
	it := *rec.Interaction()
	it.Request = req
	form := t.Config.Options.Form(&req)
	it.Kind, it.Boundary = form.Kind()
	it.MatchKey = formOf(&it).Key()
	rec.interaction.Store(&it)
	rec.form.Store(form)
}
