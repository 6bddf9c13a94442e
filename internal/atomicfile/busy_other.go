//go:build !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// isBusy reports whether an operation failed because another program has the file open. That
// happens on Windows only.
func isBusy(error) bool { return false }

// makeReplaceable does nothing: a file that is read-only can be replaced.
func makeReplaceable(string) {}

// pause is called only if isBusy returns true.
func pause(uint32) {}

// isAlive reports whether there is a process with this ID, or the system does not tell.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0)) // signal 0 only checks that the process exists: kill(2)
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
