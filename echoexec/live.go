package echoexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/child"
)

// commandFor returns the command of the live program for a stand-in. program has what the stand-in
// does not know.
func commandFor(program *exec.Cmd, h *child.Hello) (*exec.Cmd, error) {
	if program.Err != nil {
		return nil, program.Err
	}
	live := &exec.Cmd{
		Path:        program.Path,
		Args:        []string{program.Path},
		Env:         withoutStandIns(h.Env),
		Dir:         h.Dir,
		ExtraFiles:  program.ExtraFiles,
		SysProcAttr: program.SysProcAttr,
	}
	if len(program.Args) > 0 {
		live.Args[0] = program.Args[0]
	}
	live.Args = append(live.Args, h.Args...)
	return live, nil
}

// withoutStandIns returns an environment for a live program, whose PATH has no stand-ins. What the
// program starts by itself is a part of what it does, and not recorded apart.
func withoutStandIns(env []string) []string {
	out := make([]string, 0, len(env))
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if strings.EqualFold(name, "PATH") {
			variable = name + "=" + withoutStandInFolders(value)
		}
		out = append(out, variable)
	}
	return out
}

// withoutStandInFolders returns the value of PATH without the folders of stand-ins.
func withoutStandInFolders(list string) string {
	var kept []string
	for _, dir := range filepath.SplitList(list) {
		found, _ := filepath.Glob(filepath.Join(dir, "*"+standInFile)) // a bad pattern finds none
		if len(found) == 0 {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}
