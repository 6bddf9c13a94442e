package child

import (
	"os"
	"syscall"
	"unsafe"
)

// hasUnread reports whether a pipe has bytes that its reader has not read.
func hasUnread(pipe *os.File) bool {
	var count int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, pipe.Fd(), syscall.TIOCINQ, uintptr(unsafe.Pointer(&count)))
	return errno == 0 && count > 0
}
