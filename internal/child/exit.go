package child

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The beginnings of the texts that say how a process exited, as [os.ProcessState.String] returns
// them: "exit status 1", "signal: killed".
const (
	statusPrefix = "exit status "
	signalPrefix = "signal: "
)

// killed is the name of the signal of [os.Process.Kill].
const killed = "killed"

// exitText returns how a process exited.
func exitText(state *os.ProcessState) string {
	name := signalOf(state)
	if name != "" {
		return signalPrefix + name
	}
	return exitedWith(state.ExitCode())
}

// exitedWith returns the text for a process that exited with a status.
func exitedWith(status int) string { return statusPrefix + strconv.Itoa(status) }

// An Exit is how a process exited.
type Exit struct {
	Status int    // -1 if a signal ended it
	Signal string // the name of the signal, or ""
}

// ParseExit returns what a text of a [Client] says. A text that is not one is a failure.
func ParseExit(text string) Exit {
	name, isSignal := strings.CutPrefix(text, signalPrefix)
	if isSignal {
		return Exit{Status: -1, Signal: name}
	}
	number, _ := strings.CutPrefix(text, statusPrefix)
	status, err := strconv.Atoi(number)
	if err != nil {
		return Exit{Status: 1}
	}
	return Exit{Status: status}
}

// End ends this process in the same way.
func (e Exit) End() {
	sig, isSignal := signalNamed(e.Signal)
	if isSignal {
		dieOf(sig)
	}
	// os.Exit sleeps for a second in a binary that was built with -race.
	syscall.Exit(e.Code())
}

// Code returns the exit status as a shell says it: 128 and the number of the signal if a signal ended
// the process.
func (e Exit) Code() int {
	sig, isSignal := signalNamed(e.Signal)
	if isSignal {
		return 128 + int(sig)
	}
	if e.Status < 0 {
		return 1
	}
	return e.Status
}
