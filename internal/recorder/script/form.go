package script

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/perrun"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/session"
)

// A compared session has the messages of a recorded one as the engine compares them. The index of a
// message is that of its event.
type compared struct {
	messages []session.Message
	made     map[int][]canon.Line // by the event: the IDs that the client has made up
	hasDrift bool                 // a message of the client has fields that do not match

	// Of a session with a process:
	names  []string         // in the request that opens it
	values [][]perrun.Value // with a name, in each message that was received
}

// A form is what is kept of the canonical form of a recorded message, which takes more memory.
type form struct {
	key      string
	made     []canon.Line // see compared
	mayDrift bool         // it has fields that do not match
}

func formOf(f *canon.Form, m *interaction.Message) form {
	mayDrift := len(f.Drift) > 0 || len(f.Orders) > 0
	return form{key: formKey(f, m), made: madeIn(f), mayDrift: mayDrift}
}

// closeForm is the form of all messages that close a session: the code does not match.
const closeForm = "close"

// formKey returns what a message is compared by.
func formKey(form *canon.Form, m *interaction.Message) string { return form.Key() + string(m.Kind) }
