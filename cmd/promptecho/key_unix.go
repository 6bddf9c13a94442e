//go:build linux || darwin || freebsd

package main

import (
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// readKey reads a key that is typed at a terminal, without waiting for the end of the line. It changes
// the settings of the terminal while it waits.
func readKey(f *os.File) (byte, error) {
	var original syscall.Termios
	if terminal(f, getTermios, &original) != nil {
		return readByte(f)
	}
	keys := original
	keys.Lflag &^= syscall.ICANON | syscall.ECHO
	keys.Cc[syscall.VMIN] = 1  // a read returns with one byte
	keys.Cc[syscall.VTIME] = 0 // and has no timeout
	if terminal(f, setTermios, &keys) != nil {
		return readByte(f)
	}
	defer terminal(f, setTermios, &original)
	// An interrupt must not leave the terminal with our settings.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-interrupted:
			terminal(f, setTermios, &original)
			os.Exit(128 + int(s.(syscall.Signal)))
		case <-done:
		}
	}()
	defer close(done)
	defer signal.Stop(interrupted)
	return readByte(f)
}

// terminal gets or sets the attributes of a terminal (termios(3)).
func terminal(f *os.File, request uintptr, t *syscall.Termios) error {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(t)))
	if errno != 0 {
		return errno
	}
	return nil
}
