package atomicfile

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// waitVariable is set in a process that has only to live until its standard input ends.
const waitVariable = "PROMPTECHO_TEST_WAIT"

func TestMain(m *testing.M) {
	if os.Getenv(waitVariable) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// startWaiting starts a process that lives until the test ends, and returns its ID.
func startWaiting(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), waitVariable+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return cmd.Process.Pid
}

func TestRemoveAbandonedRemovesOnlyFilesOfEndedProcesses(t *testing.T) {
	t.Parallel()
	dead := exec.Command(os.Args[0], "-test.run", "^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	ended, living := dead.Process.Pid, startWaiting(t)
	twoDaysAgo := time.Now().Add(-48 * time.Hour)
	name := func(owner, machine string, pid int) string {
		return fmt.Sprintf(".promptecho-%s-%s-%d-7.tmp", ShortHash(owner), machine, pid)
	}
	for _, tt := range []struct {
		name  string
		file  string
		isOld bool
		stays bool
	}{
		{"of an ended process", name("x.yaml", machine(), ended), false, false},
		{"of the journal", name("x.yaml.partial", machine(), ended), false, false},
		{"of this process, or of one that had its ID", name("x.yaml", machine(), os.Getpid()), false, false},
		{"of a living process", name("x.yaml", machine(), living), true, true},
		{"of another cassette", name("y.yaml", machine(), ended), true, true},
		{"of another machine", name("x.yaml", "0123456789ab", ended), false, true},
		{"of another machine, long ago", name("x.yaml", "0123456789ab", living), true, false},
		{"of another program", ".promptecho-mine.tmp", true, true},
		{"of another program, with dashes", ".promptecho-" + ShortHash("x.yaml") + "-a-b-c.tmp", true, true},
		{"no temporary file", "x.yaml", true, true},
	} {
		dir := t.TempDir() // a folder is listed once
		file := filepath.Join(dir, tt.file)
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if tt.isOld {
			if err := os.Chtimes(file, twoDaysAgo, twoDaysAgo); err != nil {
				t.Fatal(err)
			}
		}
		RemoveAbandoned(dir, "x.yaml", "x.yaml.partial")
		if _, err := os.Stat(file); (err == nil) != tt.stays {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// The files that CreateTemp makes are those that RemoveAbandoned removes.
func TestRemoveAbandonedListsAFolderOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	RemoveAbandoned(dir, "x.yaml")
	f, err := CreateTemp(filepath.Join(dir, "x.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	RemoveAbandoned(dir, "x.yaml")
	if _, err := os.Stat(f.Name()); err != nil {
		t.Errorf("the folder was listed twice: %v", err)
	}
	Relist(dir)
	RemoveAbandoned(dir, "x.yaml")
	if _, err := os.Stat(f.Name()); err == nil {
		t.Errorf("%s stays", f.Name())
	}
}
