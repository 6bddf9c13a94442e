package child

import (
	"os/exec"

	"github.com/promptecho/promptecho/internal/recorder"
)

// Serve returns a host for stand-ins that say which program they are for.
func Serve(rec *recorder.Recorder, isForOne bool) (*Host, error) {
	return Listen(rec, isForOne, func(h *Hello) (*Spec, error) {
		err := CheckName(h.Name)
		if err != nil {
			return nil, err
		}
		command := func() (*exec.Cmd, error) {
			cmd := exec.Command(h.Program, h.Args...)
			cmd.Dir = h.Dir
			cmd.Env = append(h.Env, ServeVariable+"="+Live)
			return cmd, nil
		}
		return &Spec{Name: h.Name, Command: command}, nil
	})
}
