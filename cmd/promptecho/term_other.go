//go:build !linux && !darwin && !freebsd

package main

import "os"

// terminalWidth returns 0, as for a file: terminals of this system are not supported.
func terminalWidth(*os.File) int { return 0 }
