// Linkonce is a program for go build -toolexec: it runs the tools, but links each program only
// once. The scripts run the same tests again and again, and the go command keeps no test binary:
// linking it takes two thirds of the time of a go test whose packages are compiled.
//
// The go command hands the linker an ID of everything that a program is made of (-buildid). Programs
// are kept by it in the folder of the environment variable LINKED; without one, each is linked.
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fail(errors.New("usage: linkonce TOOL [ARGUMENT ...]"))
	}
	tool, args := os.Args[1], os.Args[2:]
	output, id := linked(tool, args)
	dir := os.Getenv("LINKED")
	if id == "" || dir == "" {
		fail(run(tool, args))
		return
	}

	kept := filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(tool+" "+id))))
	if copyProgram(kept, output) == nil {
		return
	}
	fail(run(tool, args))
	fail(copyProgram(output, kept))
}

// linked returns the file that a linker writes and the ID of what it is made of. The ID is empty
// for another tool, and for a linker that only prints its version.
func linked(tool string, args []string) (output, id string) {
	if strings.TrimSuffix(filepath.Base(tool), ".exe") != "link" {
		return "", ""
	}
	for i, arg := range args {
		if arg == "-o" && i+1 < len(args) {
			output = args[i+1]
		}
		if value, ok := strings.CutPrefix(arg, "-buildid="); ok {
			id = value
		}
	}
	return output, id
}

// run runs a tool in place of this program, with its exit status.
func run(tool string, args []string) error {
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	return err
}

// copyProgram copies a program. Two go commands may write the same one, so it is renamed when it is
// whole.
func copyProgram(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", to, os.Getpid())
	return errors.Join(os.WriteFile(part, program, 0o777), os.Rename(part, to))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "linkonce:", err)
		os.Exit(1)
	}
}
