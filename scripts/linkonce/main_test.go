package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A test that runs again is not linked again, and one that has changed is.
func TestLinksOnce(t *testing.T) {
	dir := t.TempDir()
	tool, kept := filepath.Join(dir, "linkonce"), filepath.Join(dir, "kept")
	if err := os.Mkdir(kept, 0o777); err != nil {
		t.Fatal(err)
	}
	goCommand(t, ".", "build", "-o", tool, ".")
	write(t, dir, "go.mod", "module example.com/app\n")
	write(t, dir, "app_test.go", "package app\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n")

	t.Setenv("LINKED", kept)
	for _, step := range []struct {
		fails bool
		links int
	}{{false, 1}, {false, 1}, {true, 2}, {true, 2}} {
		if step.fails {
			write(t, dir, "app_test.go", "package app\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { t.Fail() }\n")
		}
		cmd := exec.Command("go", "test", "-count=1", "-toolexec="+tool, ".")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if failed := err != nil; failed != step.fails {
			t.Fatalf("the test fails: %v, want %v\n%s", failed, step.fails, out)
		}
		programs, err := os.ReadDir(kept)
		if err != nil {
			t.Fatal(err)
		}
		if len(programs) != step.links {
			t.Errorf("%d programs are kept, want %d", len(programs), step.links)
		}
	}
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
