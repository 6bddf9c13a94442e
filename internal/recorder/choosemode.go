package recorder

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// modeOfRun returns the mode of a flag of the command, or else the one that chooseMode returns.
func (c *Config) modeOfRun() (chosenMode, error) {
	if c.flag.mode != "" {
		return c.flag, nil
	}
	return chooseMode(c.mode)
}

// ModeHere returns the mode that a recorder has if neither its test nor a flag sets one, and what
// sets it. It is for programs that say what a test would do.
func ModeHere() (mode Mode, by string, err error) {
	chosen, err := chooseMode("")
	return chosen.mode, chosen.by, err
}

// chooseMode returns the mode of the run: that of the flag, else of the environment, else the
// default. A mode in the code replaces the default. It also limits the others: a flag or a
// variable cannot make a run send or write if the mode in the code does not.
func chooseMode(code Mode) (chosenMode, error) {
	asked, err := askedMode()
	if report.FuzzWorker() && err == nil && asked.mode != ModeNone {
		asked = chosenMode{
			mode: ModeNone,
			by:   "go test -fuzz runs several processes, which record nothing",
		}
	}
	switch {
	case err != nil:
		return chosenMode{}, err
	case code == "" && asked.mode == "":
		return chosenMode{mode: ModeOnce, by: "the default"}, nil
	case asked.mode == "" || !code.allows(asked.mode):
		return chosenMode{mode: code, by: "InMode in the code"}, nil
	}
	return asked, nil
}

// askedMode returns the mode of the flags or the environment; the zero value if
// they have none. It reads the environment in each run of a test, since the test
// cache of the go command does not see reads in an init function.
func askedMode() (chosenMode, error) {
	if !flag.Parsed() && testing.Testing() {
		// The values of the flags are not known yet.
		if i := slices.IndexFunc(os.Args, isOurFlag); i >= 0 {
			return chosenMode{}, prefixed("the recorder is opened before %s is read: in TestMain, "+
				"call flag.Parse() before promptecho.Open, or open it in the function that "+
				"echotest.Main(echotest.RunFunc(...)) runs", os.Args[i])
		}
	}
	if c, err := flagMode(); err != nil || c.mode != "" {
		return c, err
	}
	if s := os.Getenv("PROMPTECHO_MODE"); s != "" {
		return modeBy(s, "PROMPTECHO_MODE")
	}
	if !shell.InCI() {
		return chosenMode{}, nil
	}
	return chosenMode{mode: ModeNone, by: "CI is set", inCI: true}, nil
}
