package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAgeOfClones: a clone gives all files its own time, so the time of the last commit counts;
// what was edited since has its own.
func TestAgeOfClones(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	for _, name := range []string{"bot/a.yaml", "bot/b é.yaml", "shop/c.yaml"} {
		write(t, name, "version: 1\ninteractions: []\n")
	}
	run := func(date, args string) {
		t.Helper()
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	commit := "-c user.name=x -c user.email=x@example.com commit -q -m 1"
	run("", "init -q")
	run("", "add bot")
	run("2020-01-02T03:04:05Z", commit)
	run("", "add shop")
	run("2021-01-02T03:04:05Z", commit)
	write(t, "bot/a.yaml", "version: 1\ninteractions: []\n# edited\n")
	write(t, "new/d.yaml", "version: 1\ninteractions: []\n")
	now := time.Now()
	list := []listing{{Path: "bot/a.yaml", Modified: now}, {Path: "bot/b é.yaml", Modified: now}, {Path: filepath.Join(dir, "shop/c.yaml"), Modified: now}, {Path: "new/d.yaml", Modified: now}, {Path: "bot/b é.yaml", Modified: time.Unix(1, 0)}}
	dateByGit(list)
	for i, want := range []int{now.Year(), 2020, 2021, now.Year(), 1970} {
		if got := list[i].Modified.UTC().Year(); got != want {
			t.Errorf("%s is of %d, want %d", list[i].Path, got, want)
		}
	}
}
