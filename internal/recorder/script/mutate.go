package script

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon/perrun"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/mutant"
)

// changedEvent returns the i-th event of a recorded session as promptecho mutate has changed it, and
// whether it has. number is that of the session in the cassette.
func changedEvent(
	m *mutant.Recorder, number int, recorded []interaction.Event, i int,
) (event interaction.Event, isChanged bool) {
	resp := m.ResponseOf(number)
	if resp == nil || i >= len(resp.Events) {
		return recorded[i], false
	}
	isChanged = !slices.Equal(resp.Events[i], recorded[i])
	m.PlayEvent(number, isChanged)
	return resp.Events[i], isChanged
}

// valuesOfChanged returns the values in a changed message of a process that are names, and their names
// in this run: those of the recorded message keep theirs, and a new one is its own.
func valuesOfChanged(text string, recorded []perrun.Value, names []string) ([]perrun.Value, []string) {
	current := map[string]string{}
	for i, name := range perrun.Names(recorded) {
		if i < len(names) {
			current[name] = names[i]
		}
	}
	values := perrun.OfReceived(text)
	renamed := perrun.Names(values)
	for i, name := range renamed {
		if now, ok := current[name]; ok {
			renamed[i] = now
		}
	}
	return values, renamed
}
