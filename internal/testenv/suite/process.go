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

	cmd  *exec.Cmd
	said bytes.Buffer // what go test says beside the events
}

// Start starts go test in a record mode. The mode stands in the environment, since the go
// command ends its list of packages at a flag that it does not know. The flags and the
// arguments behind the packages are for go test, and more variables of the environment,
// NAME=VALUE, for the tests. Results that go test has cached do not count.
func Start(mode string, flags []string, packages []Package, behind []string, env ...string) (*Process, error) {
	args := append([]string{"test", "-json", "-count=1"}, flags...)
	for _, p := range packages {
		args = append(args, p.Path)
	}
	p := &Process{cmd: exec.Command("go", append(args, behind...)...)}
	p.cmd.Env = append(append(os.Environ(), "PROMPTECHO_MODE="+mode), env...)
	p.cmd.Stderr = &p.said
	p.cmd.WaitDelay = time.Second // for what a killed go test has started
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

// read reads a line of go test -json. A line that is no event is output.
func read(line []byte) (e Event) {
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		return Event{Action: "output", Output: string(line)}
	}
	return e
}

// Interrupt has go test start no more packages, and end when those that run have ended. A
// terminal interrupts the tests as well.
func (p *Process) Interrupt() {
	if p.cmd.Process.Signal(os.Interrupt) != nil {
		p.Kill() // as on Windows
	}
}

// Kill ends go test at once.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // an error says that it has ended

// Wait waits for the end of go test, after the last event. It returns what go test said
// beside the events, and an error if it could not be run. Tests that failed are no error.
func (p *Process) Wait() (said string, err error) {
	err = p.cmd.Wait()
	said = strings.TrimSpace(p.said.String())
	var exit *exec.ExitError
	if err == nil || errors.Is(err, exec.ErrWaitDelay) || errors.As(err, &exit) && exit.ExitCode() != 2 {
		return said, nil
	}
	if said != "" {
		err = errors.New(said)
	}
	return said, fmt.Errorf("go test: %w", err)
}
