//go:build !unix

package recorder

import (
	"fmt"
	"os"
	"os/exec"
)

// become runs a command for this process, and returns its exit status.
func become(args []string) (status int) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState != nil {
		return cmd.ProcessState.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "promptecho:", err)
	return 2
}
