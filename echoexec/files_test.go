package echoexec_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// filesIn returns the paths and contents of all files below a folder.
func filesIn(t *testing.T, dir string) (all string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		all += fmt.Sprintf("%s %q\n", name, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What the program does to files is there before the line that it writes after that.
func TestFilesArePutBack(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		dir := t.TempDir()
		err := os.WriteFile(filepath.Join(dir, "old.txt"), []byte("old"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Dir = dir
		p, err := echoexec.Start(rec, "editor", cmd, echoexec.Files(dir))
		if err != nil {
			t.Fatal(err)
		}
		var got string
		line := make([]byte, len("done\n"))
		for range 3 {
			fmt.Fprintln(p, "next")
			_, err := p.Read(line)
			got += fmt.Sprintf("%s%v\n", line, err) + filesIn(t, dir)
		}
		p.Close()
		return got + filesIn(t, dir)
	}, "edit")
}

// A replay of a recording with files fails without the option Files.
func TestRecordedFilesNeedTheOption(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, opts ...func(dir string) echoexec.Option) error {
		rec := openRecorder(t, file, mode)
		cmd := program("edit", "", true)
		cmd.Dir = t.TempDir()
		var options []echoexec.Option
		for _, opt := range opts {
			options = append(options, opt(cmd.Dir))
		}
		p, err := echoexec.Start(rec, "editor", cmd, options...)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(p, "next")
		_, err = p.Read(make([]byte, len("done\n")))
		if err != nil {
			t.Error(err)
		}
		p.Close()
		return rec.Close()
	}
	err := run(promptecho.ModeAll, echoexec.Files)
	if err != nil {
		t.Fatal(err)
	}
	err = run(promptecho.ModeNone)
	if err == nil {
		t.Error("a run that does not put back the files passes")
	}
}

// A run that records without the option Files says that the program wrote files.
func TestRecordingWithoutTheOptionSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	var notes []string
	rec, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll),
		promptecho.Log(func(note string) { notes = append(notes, note) }))
	if err != nil {
		t.Fatal(err)
	}
	cmd := program("edit", "", true)
	cmd.Dir = t.TempDir()
	p := start(t, rec, cmd)
	fmt.Fprintln(p, "next")
	p.Close()
	err = rec.Close()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "echoexec.Files") {
		t.Errorf("the notes are %q", notes)
	}
}
