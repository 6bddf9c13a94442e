// The record modes: what a recorder replays, what it may send, and what it may
// write. chooseMode chooses the mode of a run, and plan.go says what it means for a
// cassette.

package recorder

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Mode is a promptecho.Mode, which has the documentation.
type Mode string

// The record modes.
const (
	ModeNone        Mode = "none"
	ModeCompare     Mode = "compare"
	ModeOnce        Mode = "once"
	ModeNewEpisodes Mode = "new_episodes"
	ModeUpdate      Mode = "update"
	ModeAll         Mode = "all"
	ModeLive        Mode = "live"
)

// ModeAccepted records again each recording whose request promptecho accept has changed. For all
// other recordings of such a cassette it is like ModeUpdate. If the run fails, the cassette is
// not changed. A cassette without such recordings is replayed as in ModeNone. promptecho record
// -accepted sets this mode; promptecho verify tells how to set it for a program without tests.
const ModeAccepted Mode = "accepted"

// beforeStart begins the name of a mode of [ModeBefore]. The day is behind it.
const beforeStart = "before:"

// ModeBefore returns the mode that records again each recording that was made before a day, or
// on an unknown day. For all other recordings it is like [ModeAccepted] for those that were not
// accepted. promptecho record -older sets this mode.
func ModeBefore(day interaction.Date) Mode { return Mode(beforeStart + string(day)) }

// day returns the day of a mode that [ModeBefore] has returned; ok is false for other modes.
func (m Mode) day() (day interaction.Date, ok bool) {
	text, ok := strings.CutPrefix(string(m), beforeStart)
	if !ok {
		return "", false
	}
	day, err := interaction.ParseDate(text)
	return day, err == nil
}

// ModeOtherModel runs a test on the answers of other models, which the variables of package
// modelswap name: the calls that they take are sent, and nothing of it is saved. All else is played,
// or sent if it has no recording. promptecho compare -model sets this mode.
const ModeOtherModel Mode = "other_model"

// ModeFork plays the first recordings of the cassette that [ForkVariable] names, and records the rest.
// All other cassettes are replayed. promptecho record -from sets this mode.
const ModeFork Mode = "fork"

// modes lists the record modes for users.
var modes = []Mode{ModeNone, ModeCompare, ModeOnce, ModeNewEpisodes, ModeUpdate, ModeAll, ModeLive}

// ofCommands are the record modes that only commands set.
var ofCommands = []Mode{ModeAccepted, ModeOtherModel, ModeFork}

// may says whether a mode may send requests upstream, and whether it may write. It
// may do both if the code names none.
func (m Mode) may() (send, write bool) {
	switch m {
	case ModeNone:
		return false, false
	case ModeCompare, ModeLive, ModeOtherModel:
		return true, false
	}
	return true, true
}

// allows reports whether a mode in code lets another one be chosen that may do no more.
func (m Mode) allows(other Mode) bool {
	send, write := m.may()
	sends, writes := other.may()
	return (send || !sends) && (write || !writes)
}

// ceiling says what in the code keeps a cassette from being written, if that allows this mode at
// most; "" if nothing does.
func (m Mode) ceiling() string {
	if _, writes := m.may(); writes {
		return ""
	}
	return fmt.Sprintf("InMode(Mode%s%s) in the code allows no recording", strings.ToUpper(string(m[:1])), m[1:])
}

// parseMode returns the mode of a name.
func parseMode(s string) (Mode, error) {
	m := Mode(s)
	_, isBefore := m.day()
	isOfCommand := isBefore || slices.Contains(ofCommands, m)
	if isOfCommand || slices.Contains(modes, m) {
		return m, nil
	}
	names := group.Each(modes, func(m Mode) string { return string(m) })
	return "", fmt.Errorf("unknown record mode %q: use one of %s", s, strings.Join(names, ", "))
}

// modeBy returns the mode of a name that a flag or a variable asks for.
func modeBy(name, by string) (chosenMode, error) {
	m, err := parseMode(name)
	if err != nil {
		return chosenMode{}, prefixed("%s: %w", by, err)
	}
	return chosenMode{mode: m, by: by}, nil
}

// A chosenMode is a mode, and the name of the flag, variable or option that has chosen it.
type chosenMode struct {
	mode Mode
	by   string
	inCI bool // it is only chosen because the variable CI is set
}

func (c chosenMode) String() string { return fmt.Sprintf("mode %s (%s)", c.mode, c.by) }

// A benchmark asks for the same again and again, and package testing calls it several times.
// The first round is recorded, and all others replay it.

// benchmarked has the absolute paths of the cassettes that benchmarks of this process have
// recorded again.
var benchmarked sync.Map

// modeOfRound returns the mode of a recorder that a benchmark opens: only the first one of a
// cassette records all of it again.
func modeOfRound(m chosenMode, path string) chosenMode {
	if m.mode != ModeAll {
		return m
	}
	if _, again := benchmarked.LoadOrStore(path, true); again {
		return chosenMode{mode: ModeNone, by: "an earlier round of this benchmark was recorded"}
	}
	return m
}
