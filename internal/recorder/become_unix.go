//go:build unix

package recorder

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// become replaces the program of this process by a command. It returns a status to exit with
// if it cannot. exec.Cmd would link what starts and watches a process into every test.
func become(args []string) (status int) {
	path, err := exec.LookPath(args[0])
	if err == nil {
		err = syscall.Exec(path, args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "promptecho:", err)
	return 2
}
