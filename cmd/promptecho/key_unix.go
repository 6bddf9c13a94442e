//go:build linux || darwin || freebsd

package main

import (
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// readKey reads a key that is typed at a terminal, without waiting for the end of the line.
func readKey(f *os.File) (byte, error) {
	var was syscall.Termios
	if terminal(f, getTermios, &was) != nil {
		return readByte(f)
	}
	keys := was
	keys.Lflag &^= syscall.ICANON | syscall.ECHO
	keys.Cc[syscall.VMIN], keys.Cc[syscall.VTIME] = 1, 0
	if terminal(f, setTermios, &keys) != nil {
		return readByte(f)
	}
	defer terminal(f, setTermios, &was)
	// Who interrupts the command gets the terminal back as it was.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-interrupted:
			terminal(f, setTermios, &was)
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
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(t))); errno != 0 {
		return errno
	}
	return nil
}
