package main

import (
	"fmt"
	"io"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
)

// A mutateProgress shows on a terminal how far a run of mutate is.
type mutateProgress struct{ status *status }

func newMutateProgress(stderr io.Writer) *mutateProgress {
	return &mutateProgress{status: newStatus(io.Discard, stderr)}
}

// tell shows the progress. The run calls it one at a time.
func (p *mutateProgress) tell(now mutate.Progress) {
	switch now.Doing {
	case mutate.Building:
		p.status.show("building the tests of " + now.Package)
	case mutate.Listing:
		p.status.show("replaying the tests of " + now.Package)
	default:
		p.status.show(fmt.Sprintf("%d of %s, %s tried: %s", now.Done, count(now.Answers, "answer"),
			count(now.Runs, "change"), now.Package))
	}
}

// end removes the progress from the terminal.
func (p *mutateProgress) end() { p.status.clear() }
