package children

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// programs are the programs that the tests start, by name. Each gets its arguments, and returns
// its exit code.
var programs = map[string]func(args []string) int{
	"weather": runWeather,
	"agent":   runACPAgent,
	"claude":  runClaude,
	"codex":   runCodex,
	"test":    runTest,
}

// runProgram runs a program and exits, if the test binary is called by the name of one.
func runProgram() {
	name := filepath.Base(os.Args[0])
	program := programs[name]
	if program == nil {
		return
	}
	if err := noteStart(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(125)
	}
	// With the race detector, os.Exit waits for a second.
	syscall.Exit(program(os.Args[1:]))
}

// starts is the name of the file, next to a program, that has the pids of its processes.
const starts = "starts"

// noteStart writes the pid of this process into the file next to the program.
func noteStart() error {
	path, err := exec.LookPath(os.Args[0])
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(path), starts)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	return errors.Join(err, f.Close())
}

// install returns the path of a program, in a folder of its own.
func install(t *testing.T, name string) string {
	t.Helper()
	if programs[name] == nil {
		t.Fatalf("no program has the name %q", name)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(binary, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// started returns the pids of the processes of an installed program, in the order of their starts.
func started(t *testing.T, path string) (pids []int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), starts))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// alive reports whether a process runs.
func alive(pid int) bool {
	return syscall.Kill(pid, 0) == nil
}
