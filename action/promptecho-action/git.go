package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A clone is the folder of a git repository.
type clone string

// git runs git in the clone.
func (c clone) git(ctx context.Context, args ...string) (out string, err error) {
	text, failed, err := command(ctx, string(c), "git", args...)
	if failed {
		err = fmt.Errorf("git %s: exit status 1", args[0])
	}
	return strings.TrimSpace(string(text)), err
}

// command runs a command in a folder, and returns its output. exitsWith1 reports that its exit
// status is 1, which is no error: it found what it looks for. An error has what the command wrote
// to its standard error.
func command(ctx context.Context, dir, name string, args ...string) (out []byte, exitsWith1 bool, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0") // no git command waits for a password
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return out, true, nil
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err,
			strings.TrimSpace(stderr.String()))
	}
	return out, false, err
}
