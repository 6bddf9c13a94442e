// What a run of promptecho mutate does differently: it plays one changed answer.

package recorder

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// checkMutant returns an error if promptecho mutate has started this run, and the run may send or
// write something: a test must not do with a changed answer what it does not do in a replay.
func (r *Recorder) checkMutant() error {
	if r.mutant == nil || r.mode.mode == ModeNone {
		return nil
	}
	r.mutant.Refuse(stack.TestIn(stack.Ancestors(stack.ID())), r.mode.String())
	return fmt.Errorf("%s: promptecho mutate replays tests in mode none, and this recorder has %s: "+
		"unset %s if the command has not started this test", r.file, r.mode, mutant.Env)
}

// changedResponse returns the response to play in the place of the recorded one, or nil if that is to
// be played.
func (r *Recorder) changedResponse(rec *tape.Recording) *interaction.Response {
	if r.mutant == nil {
		return nil
	}
	return r.mutant.Response(rec.Number(), func(number int) bool {
		return r.tape.Stored()[number].Form().Key() == rec.Form().Key()
	})
}

// noteForMutant notes that a recording is played, if the command has asked for it.
func (r *Recorder) noteForMutant(rec *tape.Recording) {
	if r.mutant.Lists() {
		test := stack.TestIn(stack.Ancestors(stack.ID()))
		r.mutant.Play(rec.Number(), test, stack.Caller())
	}
}

// takeOnward adds the recording to play to the match of a call that is not recorded. It returns false
// if the call is a miss.
func (r *Recorder) takeOnward(m *tape.Match) bool {
	if !r.mutant.GoesOn() {
		return false
	}
	rec := r.tape.TakeNext(m)
	if rec == nil {
		return false
	}
	m.Recording = rec
	m.FoundBy = rec.Form() // what differs is not reported
	r.mutant.GoOn(rec.Number())
	return true
}

// LoadPlayed returns a recording as this run has played it.
func (r *Recorder) LoadPlayed(rec *tape.Recording) (*interaction.Interaction, error) {
	it, err := rec.Load()
	changed := r.mutant.ResponseOf(rec.Number())
	if err != nil || changed == nil {
		return it, err
	}
	played := *it
	played.Response = *changed
	return &played, nil
}
