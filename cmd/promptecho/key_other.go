//go:build !linux && !darwin && !freebsd

package main

import "os"

// readKey reads a key that is typed; the line must be ended.
func readKey(f *os.File) (byte, error) { return readByte(f) }
