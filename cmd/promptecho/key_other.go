//go:build !linux && !darwin && !freebsd

package main

import "os"

// readKey reads a key that is typed. The user must end the line.
func readKey(f *os.File) (byte, error) { return readByte(f) }
