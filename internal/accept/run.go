package accept

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Run has the requests of one run of a test, and its cassette.
type Run struct {
	Stored  []*interaction.Interaction // the recordings of the cassette
	Calls   []Call                     // in the order sent
	Options *canon.Options             // of matching

	// Originals are the requests that earlier runs of promptecho accept have replaced.
	Originals Originals

	// AllowNewQuestions allows a changed question, and not only changed instructions, tools
	// and settings.
	AllowNewQuestions bool
}

// A Call is one request of a run.
type Call struct {
	Played int                      // the number of the recording that answered it, from 0
	Missed *interaction.Interaction // the request, if no recording answered it; else nil

	// Session is the number of the recorded session of which Missed is a message, from 1; 0 if
	// it is a request.
	Session int
}

// Originals are the recorded requests of the recordings that have an accepted request
// instead, by the number of the recording.
type Originals map[int]*interaction.Interaction
