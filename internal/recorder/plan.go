// The plan of a run: what its record mode means for its cassette.
//
// The same mode means different things for a cassette that is absent, partial,
// whole or pinned. So the mode is turned into a plan when the cassette is
// opened, and from then on only the plan is asked.

package recorder

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/tape"
)

// A plan says what a run does with requests and with its cassette.
type plan struct {
	passThrough bool // requests go upstream; nothing is recorded or played
	record      bool // a request without a recording goes upstream, and Close saves the cassette
	compare     bool // played model calls are sent upstream at the end, to compare the answers

	rerecord         bool // every request is recorded again; only frozen calls are played
	rerecordAccepted bool // recordings that promptecho accept changed are recorded again
	rerecordOlder    bool // recordings from before the day of the mode are recorded again
	forks            bool // the first recordings are played, and the others recorded again
	rerecordSessions bool // sessions are recorded again; see dispatch
	dropUnused       bool // a complete, passing run drops the recordings that it did not use

	derive      bool // the calls that Live selects are made, and the others are played
	saveDerived bool // the result of that is saved to NAME.derived.yaml
	checkUnused bool // an unused recording fails the run

	asksOther bool // chats are sent to other models, and are live; nothing is saved
}

// mayGoUpstream reports whether any request can leave the process.
func (p plan) mayGoUpstream() bool { return p.record || p.passThrough || p.compare }

// rerecordsSome reports whether some recordings of the cassette are recorded again, and the others
// are played.
func (p plan) rerecordsSome() bool { return p.rerecordAccepted || p.rerecordOlder || p.forks }

// plays returns which recordings of the cassette are played.
func (p plan) plays() tape.Playing {
	if p.rerecord || p.passThrough {
		return tape.PlayNone
	}
	switch {
	case p.forks:
		return tape.PlayBeforeFork
	case p.rerecordAccepted:
		return tape.PlayNotAccepted
	case p.rerecordOlder:
		return tape.PlayNotOlder
	}
	return tape.PlayAll
}

// planFor returns the plan of mode m for a cassette that is not pinned. live
// reports whether the option Live is set.
func planFor(m Mode, c tape.State, live bool) plan {
	p := planWithoutLive(m, c)

	whole := c.Present && !c.Partial
	if live && whole && !p.rerecord && !p.passThrough {
		p.derive = true
		_, p.saveDerived = m.may()
	}
	return p
}

// planWithoutLive returns the plan of mode m where the option Live is not set.
func planWithoutLive(m Mode, c tape.State) plan {
	replay := plan{checkUnused: true}
	if day, ok := m.day(); ok {
		if c.HasOlderThan(day) {
			return plan{record: true, dropUnused: true, rerecordOlder: true}
		}
		return replay
	}
	switch m {
	case ModeLive:
		return plan{passThrough: true}
	case ModeOtherModel:
		return plan{record: true, derive: true, asksOther: true}
	case ModeCompare:
		return plan{compare: true, checkUnused: true}
	case ModeOnce:
		if !c.Present || c.Partial {
			return plan{record: true, checkUnused: true}
		}
		return replay
	case ModeNewEpisodes:
		return plan{record: true}
	case ModeUpdate:
		return plan{record: true, dropUnused: true, rerecordSessions: true}
	case ModeAccepted:
		if c.Accepted {
			return plan{record: true, dropUnused: true, rerecordAccepted: true}
		}
		return replay
	case ModeAll:
		return plan{record: true, rerecord: true}
	}
	return replay
}

const (
	pinnedAndPartial = "%s is pinned and partial: a pinned cassette is never written, " +
		"so it can never be completed. Remove \"pinned: true\" to let a run complete it, " +
		"or \"partial: true\" if it is complete as it is"
	partialInReplay = "%s is partial: the run that recorded it failed, " +
		"or ran only part of its test, and %s does not complete it. " +
		"On your machine, without that mode and with the key set, %s"
	pinnedInRecording = "%s is pinned: replayed, not recorded, despite %s"
)

// A PartialError says that a cassette is partial, and that the mode of this run
// does not complete it.
type PartialError struct {
	file     string
	mode     chosenMode
	complete string // how the user completes it
}

func (e *PartialError) Error() string {
	return fmt.Sprintf(partialInReplay, e.file, e.mode, e.complete)
}

// decideMode returns the mode of a run on the cassette c: the asked one, or
// ModeNone with a note for the user if the cassette is pinned and the asked one
// would record it. The error says why the cassette cannot be used in the asked
// mode. file is the name of the cassette in messages.
func decideMode(
	c tape.State, asked chosenMode, file string, words *advice.Words,
) (mode chosenMode, note string, err error) {
	plan := planWithoutLive(asked.mode, c)
	switch {
	case c.Partial && c.Pinned:
		return asked, "", fmt.Errorf(pinnedAndPartial, file)
	case c.Partial && !plan.record && !plan.passThrough:
		return asked, "", &PartialError{file: file, mode: asked, complete: words.CompleteTest}
	case c.Pinned && plan.record:
		replay := chosenMode{mode: ModeNone, by: "the cassette is pinned"}
		return replay, fmt.Sprintf(pinnedInRecording, file, asked), nil
	}
	return asked, "", nil
}
