package promptecho

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Mode says what a recorder replays and what it may send upstream.
type Mode string

// The record modes, from strict to loose. "Present" is about the cassette.
const (
	// ModeNone replays and never uses the network: a request that is not
	// recorded is a miss. It is the default where CI is set.
	ModeNone Mode = "none"

	// ModeOnce records if the cassette is absent and replays like ModeNone if
	// it is present. It is the default elsewhere.
	ModeOnce Mode = "once"

	// ModeNewEpisodes replays what is recorded, records what is not, and saves
	// both.
	ModeNewEpisodes Mode = "new_episodes"

	// ModeAll records everything and replaces the cassette at the end.
	ModeAll Mode = "all"

	// ModeLive passes everything through and touches no cassette.
	ModeLive Mode = "live"
)

// modes lists the record modes from strict to loose.
var modes = []Mode{ModeNone, ModeOnce, ModeNewEpisodes, ModeAll, ModeLive}

// parseMode returns the mode named s; where says who asked for it.
func parseMode(s, where string) (Mode, error) {
	if m := Mode(s); slices.Contains(modes, m) {
		return m, nil
	}
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = string(m)
	}
	return "", fmt.Errorf("promptecho: %s: unknown record mode %q: use one of %s", where, s, strings.Join(names, ", "))
}

// A chosenMode is a mode and who chose it, for messages.
type chosenMode struct {
	mode Mode
	by   string
}

func (c chosenMode) String() string { return fmt.Sprintf("mode %s (%s)", c.mode, c.by) }

// chooseMode settles the mode: flag, then environment, then the default. A
// mode given in code replaces the default and is a ceiling for the others:
// they may make it stricter, never looser.
func chooseMode(code Mode) (chosenMode, error) {
	ceiling := chosenMode{code, "InMode in the code"}
	if code != "" {
		if _, err := parseMode(string(code), "InMode"); err != nil {
			return chosenMode{}, err
		}
	}
	asked, err := askedMode()
	switch {
	case err != nil:
		return chosenMode{}, err
	case code == "" && asked.mode == "":
		return chosenMode{ModeOnce, "the default"}, nil
	case code == "":
		return asked, nil
	case asked.mode == "" || slices.Index(modes, code) < slices.Index(modes, asked.mode):
		return ceiling, nil
	}
	return asked, nil
}

// askedMode returns the mode that the flags or the environment ask for. The
// environment is read here and not in an init function: the go command's test
// cache sees only what a test reads while it runs.
func askedMode() (chosenMode, error) {
	if c, err := flagMode(); err != nil || c.mode != "" {
		return c, err
	}
	if s := os.Getenv("PROMPTECHO_MODE"); s != "" {
		m, err := parseMode(s, "PROMPTECHO_MODE")
		return chosenMode{m, "PROMPTECHO_MODE"}, err
	}
	switch ci := os.Getenv("CI"); strings.ToLower(ci) {
	case "", "0", "false":
		return chosenMode{}, nil
	}
	return chosenMode{ModeNone, "CI is set"}, nil
}
