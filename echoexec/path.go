package echoexec

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/recorder"
)

// Path returns the path of a stand-in for a program, for a client that starts
// the program by itself. The program is a path or a name that is looked up in
// PATH. In replay, it need not be there. The stand-in may be started several
// times, and is removed when the test ends. Path ends the test with t.Fatal if
// the name is not valid. See [Command] for the rest.
//
// If rec is nil, Path returns the path of the program itself.
func Path(
	t testing.TB, rec *promptecho.Recorder, name, program string, opts ...Option,
) string {
	t.Helper()
	found, missing := exec.LookPath(program)
	if rec == nil {
		if missing != nil {
			t.Fatalf("promptecho: %v", missing)
		}
		return found
	}
	err := child.CheckName(name)
	if err != nil {
		t.Fatal(err)
	}
	c := newConfig(opts)
	host, err := child.Listen((*recorder.Recorder)(rec), false, func(h *child.Hello) (*child.Spec, error) {
		spec := c.spec(name, h.Env)
		spec.Command = func() (*exec.Cmd, error) {
			live := &exec.Cmd{Path: found, Args: []string{found}, Err: missing}
			return commandFor(live, h)
		}
		return spec, nil
	})
	if err != nil {
		t.Fatalf("promptecho: echoexec.Path: %v", err)
	}
	t.Cleanup(func() { host.Close() })
	path := filepath.Join(t.TempDir(), executableName(program))
	err = makeStandIn(path, host.Address())
	if err != nil {
		t.Fatalf("promptecho: echoexec.Path: %v", err)
	}
	return path
}

// OnPath puts a stand-in for a program first in PATH until the test ends, for
// clients that look for the program there. As with [testing.T.Setenv], neither
// the test nor its parents may be parallel. See [Path] for the rest. If rec is
// nil, nothing changes.
func OnPath(t testing.TB, rec *promptecho.Recorder, name, program string, opts ...Option) {
	t.Helper()
	if rec == nil {
		return
	}
	path := Path(t, rec, name, program, opts...)
	list := filepath.Dir(path) + string(os.PathListSeparator) + os.Getenv("PATH")
	t.Setenv("PATH", list)
}

// executableName returns the name of the file of a program.
func executableName(program string) string {
	name := filepath.Base(program)
	isWindows := runtime.GOOS == "windows"
	if isWindows && !strings.EqualFold(filepath.Ext(name), ".exe") {
		name += ".exe"
	}
	return name
}

// makeStandIn makes a file the stand-in of a program: the test binary under another name, and next to
// it a file with the address of the host.
func makeStandIn(path, address string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	err = writeFile(path+standInFile, 0o600, []byte(address))
	if err != nil {
		return err
	}
	errLink := os.Link(executable, path)
	if errLink == nil {
		return nil
	}
	// The folder may be in another file system. Windows allows no symbolic link to most users.
	errSymlink := os.Symlink(executable, path)
	if errSymlink == nil {
		return nil
	}
	content, err := os.ReadFile(executable)
	if err != nil {
		return errors.Join(errLink, errSymlink, err)
	}
	return writeFile(path, 0o700, content)
}

func writeFile(path string, mode os.FileMode, content []byte) error {
	return atomicfile.Write(path, atomicfile.Options{Mode: mode}, atomicfile.Pieces(content))
}
