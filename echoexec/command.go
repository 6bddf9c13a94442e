package echoexec

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/recorder"
)

// Command changes a command that has not been started so that a stand-in takes
// the place of its program, and returns it. The stand-in has the arguments, the
// working directory and the environment of the command. A run that records
// starts the program itself, as a child of the test. In replay, the program is
// not started, and need not be installed.
//
// All of cmd works as with the program: its pipes, Wait, Output, signals, a
// canceled context, and an [*exec.ExitError] with the recorded status or signal.
// The program gets the arguments, the folder and the environment with which cmd
// is started, and the SysProcAttr and ExtraFiles that cmd has now. If the name
// is not valid, the command does not start: see cmd.Err. If rec is nil, cmd
// stays as it is.
//
// The name is that of the program in the cassette. It has only letters, digits,
// dots, hyphens and underscores.
func Command(rec *promptecho.Recorder, name string, cmd *exec.Cmd, opts ...Option) *exec.Cmd {
	if rec == nil {
		return cmd
	}
	err := standInFor(rec, name, cmd, newConfig(opts))
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// standInFor makes a command start a stand-in.
func standInFor(rec *promptecho.Recorder, name string, cmd *exec.Cmd, c *config) error {
	if cmd.Process != nil {
		return errors.New("promptecho: echoexec.Command needs a command that is not started yet")
	}
	err := child.CheckName(name)
	if err != nil {
		return err
	}
	program := *cmd // without what is set later, and without the changes below
	host, err := child.Listen((*recorder.Recorder)(rec), true, func(h *child.Hello) (*child.Spec, error) {
		spec := c.spec(name, h.Env)
		spec.Command = func() (*exec.Cmd, error) { return commandFor(&program, h) }
		return spec, nil
	})
	if err != nil {
		return err
	}
	path, err := standInOf(rec, name, host)
	if err != nil {
		host.Close()
		return err
	}
	cmd.Path = path
	cmd.Args = append([]string{path}, program.Args[min(1, len(program.Args)):]...)
	cmd.Err = nil // the program need not be installed
	return nil
}

// standInOf returns the path of a stand-in, which is removed when the recorder is closed. It is a file
// and not a variable of the environment: a client may set cmd.Env later, and the test binary would run
// its tests again.
func standInOf(rec *promptecho.Recorder, name string, host *child.Host) (path string, err error) {
	dir, err := os.MkdirTemp("", "promptecho")
	if err != nil {
		return "", err
	}
	(*recorder.Recorder)(rec).Attach(tempDir(dir))
	path = filepath.Join(dir, executableName(name))
	return path, makeStandIn(path, host.Address())
}

// A tempDir is a folder that exists as long as a recorder is open.
type tempDir string

// Close removes the folder. Windows keeps a program that still runs.
func (d tempDir) Close() error { return os.RemoveAll(string(d)) }
