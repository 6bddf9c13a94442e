package child

import (
	"os"
	"syscall"
)

// signalOf returns "": on Windows, a process is not ended by a signal.
func signalOf(*os.ProcessState) string { return "" }

// dieOf does nothing: on Windows, a process is not ended by a signal.
func dieOf(syscall.Signal) {}
