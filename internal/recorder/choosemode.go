package recorder

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// chooseMode settles the mode: the flag decides, else the environment, else the default.
// A mode given in code replaces the default and is a ceiling for the others: they may
// neither send nor write if it does not.
func chooseMode(code Mode) (chosenMode, error) {
	asked, err := askedMode()
	if report.FuzzWorker() && err == nil && asked.mode != ModeNone {
		asked = chosenMode{mode: ModeNone, by: "go test -fuzz runs several processes, which record nothing"}
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

// askedMode returns the mode that the flags or the environment ask for. The
// environment is read here and not in an init function: the go command's test
// cache sees only what a test reads while it runs.
func askedMode() (chosenMode, error) {
	if !flag.Parsed() && testing.Testing() {
		// Nobody knows yet what the flags say.
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
