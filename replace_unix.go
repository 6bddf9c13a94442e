//go:build unix

package promptecho

import (
	"os"
	"syscall"
)

// replaceProcess runs a program in place of this one. It returns only if that fails.
func replaceProcess(path string, args []string) { _ = syscall.Exec(path, args, os.Environ()) }
