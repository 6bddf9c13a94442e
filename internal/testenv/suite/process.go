package suite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// An Event is one of go test -json; go doc test2json describes it.
type Event struct {
	Action      string
	Package     string
	Test        string
	Elapsed     float64 // in seconds
	Output      string
	Key, Value  string // of an attribute
	ImportPath  string // of what is built
	FailedBuild string // the ImportPath of what could not be built
}

// A Process is a go test that runs.
type Process struct {
	Events <-chan Event // closed when there are no more

	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// Start starts go test in a record mode, with flags before the packages, arguments after
// them, and more environment variables, as NAME=VALUE. The mode is an environment variable,
// too: the go command ends its list of packages at a flag that it does not know. go test
// does not use its cached results.
func Start(mode string, flags []string, packages []Package, args []string, env ...string) (*Process, error) {
	words := append([]string{"test", "-json", "-count=1"}, flags...)
	for _, p := range packages {
		words = append(words, p.Path)
	}
	words = append(words, args...)
	p := &Process{cmd: exec.Command("go", words...)}
	p.cmd.Env = append(append(os.Environ(), "PROMPTECHO_MODE="+mode), env...)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for the processes that a killed go test has started
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	events := make(chan Event)
	p.Events = events
	go func() {
		defer close(events)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				events <- read(line)
			}
			if err != nil { // at the end, or when go test was killed
				return
			}
		}
	}()
	return p, nil
}

// read parses a line of go test -json. A line without an event is output.
func read(line []byte) (e Event) {
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		return Event{Action: "output", Output: string(line)}
	}
	return e
}

// Interrupt makes go test start no more packages, and end after those that run. A terminal
// interrupts the tests as well.
func (p *Process) Interrupt() {
	if p.cmd.Process.Signal(os.Interrupt) != nil {
		p.Kill() // Windows has no interrupt
	}
}

// Kill ends go test at once.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // it fails if go test has ended

// usageError is the exit status of the go command for wrong flags.
const usageError = 2

// Wait waits for the end of go test, after the last event. It returns the standard error of
// go test, and an error if go test could not run. Failed tests are not an error.
func (p *Process) Wait() (stderr string, err error) {
	err = p.cmd.Wait()
	stderr = strings.TrimSpace(p.stderr.String())
	var exit *exec.ExitError
	hasRun := errors.As(err, &exit) && exit.ExitCode() != usageError
	if err == nil || hasRun || errors.Is(err, exec.ErrWaitDelay) {
		return stderr, nil
	}
	if stderr != "" {
		err = errors.New(stderr)
	}
	return stderr, fmt.Errorf("go test: %w", err)
}
