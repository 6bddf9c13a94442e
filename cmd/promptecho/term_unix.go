//go:build linux || darwin || freebsd

package main

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalWidth returns the number of columns of a terminal, 0 if f is none.
func terminalWidth(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 } // struct winsize of ioctl_tty(2)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0
	}
	if size.columns == 0 { // the terminal does not know its width
		return 80
	}
	return int(size.columns)
}
