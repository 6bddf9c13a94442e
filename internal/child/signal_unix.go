//go:build unix

package child

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// dieOf ends this process by a signal.
func dieOf(sig syscall.Signal) {
	signal.Reset()
	isDefault := sig == syscall.SIGKILL || sig == syscall.SIGTERM ||
		sig == syscall.SIGINT || sig == syscall.SIGHUP
	if isDefault {
		_ = syscall.Kill(os.Getpid(), sig)
		select {} // until the signal has arrived
	}
	// The runtime of Go handles the other ones, such as SIGSEGV. In a new program, they have their
	// default actions. The shell writes no core file.
	script := fmt.Sprintf("ulimit -c 0; kill -%d $$", int(sig))
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", script}, os.Environ())
}
