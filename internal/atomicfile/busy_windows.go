package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// errorSharingViolation is ERROR_SHARING_VIOLATION of Windows.
const errorSharingViolation syscall.Errno = 32

// isBusy reports whether an operation failed because another program has the file open:
// Windows allows no rename over such a file and no removal of it. ERROR_ACCESS_DENIED is
// also the error of a file that the user may not write.
func isBusy(err error) bool {
	return errors.Is(err, errorSharingViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}

// makeReplaceable removes the attribute "read-only" of the file at path, if there is one: Windows
// renames no file over a read-only one, and other systems do.
func makeReplaceable(path string) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o200 == 0 {
		_ = os.Chmod(path, 0o666) // on an error, the rename reports that the file is read-only
	}
}

// pause waits for real time, also in a synctest bubble, in which time.Sleep returns at once:
// this process does not end in that time.
func pause(milliseconds uint32) {
	if self, err := syscall.GetCurrentProcess(); err == nil {
		_, _ = syscall.WaitForSingleObject(self, milliseconds)
	}
}

// stillActive is STILL_ACTIVE of Windows, the exit code of a process that has not ended.
const stillActive = 259

// isAlive reports whether there is a process with this ID, or the system does not tell. A process
// that has ended can still be opened while another process has a handle of it, so its exit code
// is asked for.
func isAlive(pid int) bool {
	const queryLimitedInformation = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	process, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED)
	}
	defer syscall.CloseHandle(process)
	var code uint32
	err = syscall.GetExitCodeProcess(process, &code)
	return err != nil || code == stillActive
}
