package promptecho

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/tape"
)

// A plan is what a mode means for a given cassette. Once a recorder is open, its plan
// decides, and nothing asks for the mode.
type plan struct {
	passThrough bool // requests go upstream, and nothing is recorded or played
	record      bool // what no recording answers goes upstream, and Close saves
	compare     bool // model calls that were played go upstream once more, when the run is over
	again       bool // nothing is played: all of it is recorded again
	renew       bool // recordings that were accepted are not played: they are recorded again
	update      bool // what was not asked for is dropped in the end
	derive      bool // what Live selects is asked for real
	saveDerived bool // and what comes of it is saved beside the cassette
	checkUnused bool // a recording that answers nothing is an error
}

// mayGoUpstream reports whether any request can leave the process.
func (p plan) mayGoUpstream() bool { return p.record || p.passThrough || p.compare }

// plays says which recordings of the cassette are played.
func (p plan) plays() tape.Playing {
	switch {
	case p.again || p.passThrough:
		return tape.PlayNone
	case p.renew:
		return tape.PlayNotAccepted
	}
	return tape.PlayAll
}

// planFor returns the plan of a mode for a cassette that is not pinned. live says that the
// user wants a part of it live.
func planFor(m Mode, c tape.State, live bool) plan {
	p := planOf(m, c)
	if live && c.Present && !c.Partial && !p.again && !p.passThrough {
		p.derive = true
		_, p.saveDerived = m.may()
	}
	return p
}

// planOf returns the plan of a mode if nothing is live.
func planOf(m Mode, c tape.State) plan {
	switch {
	case m == ModeLive:
		return plan{passThrough: true}
	case m == ModeAll:
		return plan{record: true, again: true}
	case m == ModeNewEpisodes:
		return plan{record: true}
	case m == ModeUpdate:
		return plan{record: true, update: true}
	case m == modeAccepted && c.Accepted:
		return plan{record: true, update: true, renew: true}
	case m == ModeCompare:
		return plan{compare: true, checkUnused: true}
	case m == ModeOnce && (!c.Present || c.Partial):
		return plan{record: true, checkUnused: true}
	}
	return plan{checkUnused: true}
}

// settleMode returns the mode of a run on the cassette named file: none if the cassette
// is pinned and the mode would record it. The note is for the user and may be empty. It
// is an error if the cassette contradicts itself or cannot be used in that mode.
func settleMode(m chosenMode, c tape.State, file string) (settled chosenMode, note string, err error) {
	p := planOf(m.mode, c)
	switch {
	case c.Pinned && c.Partial:
		return m, "", fmt.Errorf("%s is pinned and partial: a pinned cassette is never written, and a partial one is not complete. Remove one of the two lines at its top", file)
	case c.Partial && !p.record && !p.passThrough:
		return m, "", fmt.Errorf("%s is partial: the run that recorded it failed, or ran only part of its test. Run the whole test with CI unset and the key set until it passes, which completes the cassette; then commit it", file)
	case c.Pinned && p.record:
		note = fmt.Sprintf("%s is pinned: replayed, not recorded, despite %s", file, m)
		return chosenMode{ModeNone, "the cassette is pinned"}, note, nil
	}
	return m, "", nil
}
