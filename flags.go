package promptecho

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/shell"
)

const (
	modeFlag   = "echo.mode"
	recordFlag = "echo.record"
	updateFlag = "echo.update" // of package echosnap
)

// chooseMode settles the mode: the flag decides, else the environment, else the default.
// A mode given in code replaces the default and is a ceiling for the others: they may
// neither send nor write if it does not.
func chooseMode(code Mode) (chosenMode, error) {
	ceiling := chosenMode{code, "InMode in the code"}
	asked, err := askedMode()
	if report.FuzzWorker() && err == nil && asked.mode != ModeNone {
		asked = chosenMode{ModeNone, "a fuzz worker records nothing, since it is one of several"}
	}
	switch {
	case err != nil:
		return chosenMode{}, err
	case code == "" && asked.mode == "":
		return chosenMode{ModeOnce, "the default"}, nil
	case code == "":
		return asked, nil
	case asked.mode == "" || !code.allows(asked.mode):
		return ceiling, nil
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
			return chosenMode{}, fmt.Errorf("promptecho: the recorder is opened before %s is read: in TestMain, call flag.Parse() before promptecho.Open, or open it in the function that echotest.Main(echotest.RunFunc(...)) runs", os.Args[i])
		}
	}
	if c, err := flagMode(); err != nil || c.mode != "" {
		return c, err
	}
	if s := os.Getenv("PROMPTECHO_MODE"); s != "" {
		m, err := parseMode(s, "PROMPTECHO_MODE")
		return chosenMode{m, "PROMPTECHO_MODE"}, err
	}
	if !shell.InCI() {
		return chosenMode{}, nil
	}
	return chosenMode{ModeNone, report.ByCI}, nil
}

// flagMode returns the mode that the flags ask for, or none if they are not set.
func flagMode() (chosenMode, error) {
	mode, record := report.Flag(modeFlag), report.Flag(recordFlag) == "true"
	switch {
	case mode == "" && !record:
		return chosenMode{}, nil
	case mode != "" && record && mode != string(ModeAll):
		return chosenMode{}, fmt.Errorf("promptecho: -echo.record means -echo.mode=all, but -echo.mode is %q: use one of them", mode)
	}
	name := "-" + modeFlag
	if mode == "" {
		mode, name = string(ModeAll), "-"+recordFlag
	}
	m, err := parseMode(mode, name)
	return chosenMode{m, name}, err
}

// isOurFlag reports whether an argument sets one of our flags.
func isOurFlag(arg string) bool {
	return slices.Contains([]string{modeFlag, recordFlag, updateFlag}, flagName(arg))
}

// flagName returns the name of the flag that an argument sets; "" if it sets none.
func flagName(arg string) string {
	name, ok := strings.CutPrefix(arg, "-")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	if !ok {
		return ""
	}
	return name
}
