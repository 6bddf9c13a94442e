package tape

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Call is an incoming request, or a call of a wrapped function, as it came.
type Call struct {
	// Request is redacted except for its body.
	Request interaction.Request

	// Outer is the recording of the function that makes the call, or nil if no
	// function is being recorded.
	Outer *Recording

	// Cancelable is set if the context of the call can be canceled.
	Cancelable bool

	// Retried is set if an SDK sent the request again, see
	// [interaction.Interaction]. Only Reserve needs it.
	Retried bool
}

// A Match is a call with what [Tape.Take] found for it.
type Match struct {
	// Call is the call. If Form is set, the body of its request is redacted,
	// too.
	Call

	// Recording answers the call. It is nil if nothing is left that does. If
	// the call is recorded all the same, what is recorded replaces it.
	Recording *Recording

	// Form is the canonical form of the request. It is nil if the recording was
	// found by its bytes, which needs no form.
	Form *canon.Form

	// FoundBy is the form that has the match key of the recording. It differs
	// from Form if the recording has unknown headers: then it is the form of
	// the request with only the headers that the recording lists. It also
	// differs if SecretLearned is set.
	FoundBy *canon.Form

	// SecretLearned is set if the recording has a placeholder where the request
	// has a text, and equals it otherwise. The text is a secret from then on.
	SecretLearned bool

	// conflict is what the call revealed, or nil. If the call is recorded, it
	// is told which recording the call got.
	conflict *Conflict
}

// text returns the text of the form with all of the body.
func (m *Match) text() string { return redact.WithBody(m.Form.Text(), m.Request.Body) }
