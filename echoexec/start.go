package echoexec

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// A Process is a program that [Start] has started, or that it replays without a
// process. Its methods may be called concurrently.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	Stderr io.ReadCloser

	session *child.Session
	out     *child.Buffer
	err     *child.Buffer
	how     child.Exit // set before the session says that the program has exited
	text    string     // how, as a text
}

// Start starts a command, or replays what was recorded of it. In replay, no
// process is started. So Start is the way for clients that take a reader and a
// writer. The standard streams of cmd must be nil: those of the Process take
// their place. Read Stderr to see it; it may be ignored.
//
// Start returns the error of [exec.Cmd.Start], or a [*promptecho.MissError] if
// the program with these arguments is not recorded. The process does not end
// with the context of cmd: call Close. See [Command] for the name. If rec is
// nil, the program is started and not recorded.
func Start(
	rec *promptecho.Recorder, name string, cmd *exec.Cmd, opts ...Option,
) (*Process, error) {
	err := child.CheckName(name)
	if err != nil {
		return nil, err
	}
	if cmd.Stdin != nil || cmd.Stdout != nil || cmd.Stderr != nil {
		return nil, errors.New("promptecho: echoexec.Start sets the standard streams of the command: " +
			"leave Stdin, Stdout and Stderr nil")
	}
	dir := cmd.Dir
	if dir == "" {
		dir, err = os.Getwd()
		if err != nil {
			return nil, err
		}
	}
	spec := newConfig(opts).spec(name, cmd.Environ())
	spec.Dir = dir
	if len(cmd.Args) > 0 {
		spec.Args = cmd.Args[1:]
	}
	spec.Command = func() (*exec.Cmd, error) {
		live := *cmd
		return &live, nil
	}
	p := &Process{out: child.NewBuffer(), err: child.NewBuffer()}
	p.Stdin = (*stdin)(p)
	p.Stdout = p.out
	p.Stderr = p.err
	p.session, err = child.Open(context.Background(), (*recorder.Recorder)(rec), spec, client{p})
	if err != nil {
		return nil, asMissError(err)
	}
	return p, nil
}

// asMissError returns the [*promptecho.MissError] for the error of a miss, and any other error as it
// is.
func asMissError(err error) error {
	var miss *report.Miss
	if errors.As(err, &miss) {
		return (*promptecho.MissError)(miss)
	}
	return err
}

// Read reads from Stdout.
func (p *Process) Read(b []byte) (int, error) { return p.Stdout.Read(b) }

// Write writes to Stdin.
func (p *Process) Write(b []byte) (int, error) { return p.Stdin.Write(b) }

// Close closes Stdin, and waits until the program has exited. It ends a live
// program that has not exited after two seconds. What the program wrote can
// still be read. Close returns nil, however the program exited: see Wait.
func (p *Process) Close() error {
	p.session.Terminate()
	return nil
}

// Wait waits until the program has exited. The error is nil if its status is 0.
// Otherwise the text of the error is that of an [*exec.ExitError], such as "exit
// status 1", and the error has the method ExitCode() int.
func (p *Process) Wait() error {
	p.session.Wait()
	if p.how.Status == 0 {
		return nil
	}
	return &exitError{p.how, p.text}
}

// Kill ends the program at once. In replay it ends the session.
func (p *Process) Kill() error {
	p.session.Kill()
	return nil
}

// An exitError is the failure of a program that may have been replayed.
type exitError struct {
	how  child.Exit
	text string
}

func (e *exitError) Error() string { return e.text }

// ExitCode returns the exit status, or -1 if a signal ended the program.
func (e *exitError) ExitCode() int { return e.how.Status }

// A stdin is the standard input of a Process.
type stdin Process

// Write gives the program bytes.
func (s *stdin) Write(b []byte) (int, error) { return s.session.Write(b) }

// Close says that none follow.
func (s *stdin) Close() error {
	s.session.CloseInput()
	return nil
}

// A client gives a Process what the program writes. Errors of its buffers say that the reader has
// closed them.
type client struct{ process *Process }

// Started does nothing: the program ends with its standard input.
func (c client) Started(int) {}

func (c client) Stdout(b []byte) { _, _ = c.process.out.Write(b) }

func (c client) Stderr(b []byte) { _, _ = c.process.err.Write(b) }

// AwaitWritten does nothing: what was written can be read at once.
func (c client) AwaitWritten() {}

// Exited ends the streams.
func (c client) Exited(how string) {
	c.process.how = child.ParseExit(how)
	c.process.text = how
	c.process.out.End()
	c.process.err.End()
}
