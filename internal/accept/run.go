package accept

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Run is what a test asked of its cassette.
type Run struct {
	Stored  []*interaction.Interaction // what the cassette holds
	Calls   []Call                     // in the order asked
	Options *canon.Options             // what matches
	Before  Changes                    // what was accepted before this run

	Questions bool // what is asked may differ, and not only what stands around it
}

// A Call is one request of a run.
type Call struct {
	Played int                      // the number of the recording that answered it, from 0
	Missed *interaction.Interaction // the request, if none did; else nil
}

// Changes are what stood in recordings before another request was accepted, by number.
type Changes map[int]*interaction.Interaction
