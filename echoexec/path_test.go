package echoexec_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// upper runs a program by its path, as a client does that starts it by itself.
func upper(t *testing.T, path, input string) string {
	t.Helper()
	cmd := exec.Command(path, "-x")
	cmd.Env = append(os.Environ(), programVariable+"=upper")
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	return fmt.Sprintf("%s%s%v", out, stderr.String(), err)
}

// A client that takes a path may start the program several times.
func TestPathIsThatOfAStandIn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, program string) string {
		rec := openRecorder(t, file, mode)
		path := echoexec.Path(t, rec, "upper", program)
		got := upper(t, path, "one\n") + upper(t, path, "two\n")
		err := rec.Close()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := run(promptecho.ModeAll, os.Args[0])
	if !strings.Contains(want, "ONE") || !strings.Contains(want, "TWO") {
		t.Fatal(want)
	}
	got := run(promptecho.ModeNone, "not-installed")
	if got != want {
		t.Errorf("replayed %q, recorded %q", got, want)
	}
}

// A client that looks for a program in PATH finds the stand-in.
func TestOnPathIsFoundInPATH(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	program := filepath.Join(dir, "bin", "shouter")
	err := os.Mkdir(filepath.Dir(program), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	err = os.Symlink(os.Args[0], program)
	if err != nil {
		t.Skip(err)
	}
	run := func(t *testing.T, mode promptecho.Mode, path string) (got string) {
		t.Run(string(mode), func(t *testing.T) {
			t.Setenv("PATH", path)
			rec := openRecorder(t, file, mode)
			echoexec.OnPath(t, rec, "shouter", "shouter")
			got = upper(t, "shouter", "one\n")
			err = rec.Close()
			if err != nil {
				t.Fatal(err)
			}
		})
		return got
	}
	want := run(t, promptecho.ModeAll, filepath.Dir(program))
	if !strings.Contains(want, "ONE") {
		t.Fatal(want)
	}
	got := run(t, promptecho.ModeNone, "")
	if got != want {
		t.Errorf("replayed %q, recorded %q", got, want)
	}
}
