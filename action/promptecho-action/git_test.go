package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// TestMain: what the developer has configured for git decides nothing.
func TestMain(m *testing.M) {
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		os.Setenv("GIT_"+who+"_NAME", "x")
		os.Setenv("GIT_"+who+"_EMAIL", "x@example.com")
	}
	environ.Main(m)
}

// runGit runs git in a folder and returns its output.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commitFile commits a new file.
func commitFile(t *testing.T, dir, name string) (sha string) {
	t.Helper()
	tree.Write(t, dir, map[string]string{name: "of " + name + "\n"})
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", name)
	return runGit(t, dir, "rev-parse", "HEAD")
}

// An upstream is a repository with a pull request, as GitHub has it.
type upstream struct {
	dir         string
	head, merge string // commits of the pull request
}

// newUpstream makes a repository whose branch main has gone on since the branch of the pull
// request began, and again since the two were merged for the pull request.
func newUpstream(t *testing.T) upstream {
	t.Helper()
	u := upstream{dir: t.TempDir()}
	runGit(t, u.dir, "init", "-q", "-b", "main")
	runGit(t, u.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	commitFile(t, u.dir, "first")
	commitFile(t, u.dir, "second")
	runGit(t, u.dir, "checkout", "-q", "-b", "edit")
	u.head = commitFile(t, u.dir, "edited")
	runGit(t, u.dir, "checkout", "-q", "main")
	commitFile(t, u.dir, "meanwhile")
	runGit(t, u.dir, "checkout", "-q", "--detach")
	runGit(t, u.dir, "merge", "-q", "--no-ff", "-m", "merge", "edit")
	u.merge = runGit(t, u.dir, "rev-parse", "HEAD")
	runGit(t, u.dir, "update-ref", "refs/pull/7/merge", u.merge)
	runGit(t, u.dir, "checkout", "-q", "main")
	commitFile(t, u.dir, "later")
	return u
}

// checkout returns a clone as actions/checkout makes it: with a commit alone, or with the whole
// history and all branches.
func (u upstream) checkout(t *testing.T, commit string, isShallow bool) clone {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	url := "file:///" + strings.TrimPrefix(filepath.ToSlash(u.dir), "/")
	runGit(t, dir, "remote", "add", "origin", url)
	refs := []string{"+" + commit + ":refs/remotes/pull/7/merge"}
	if isShallow {
		refs = slices.Insert(refs, 0, "--depth=1", "origin")
	} else {
		refs = slices.Insert(refs, 0, "origin", "+refs/heads/*:refs/remotes/origin/*")
	}
	runGit(t, dir, append([]string{"fetch", "-q", "--no-tags"}, refs...)...)
	runGit(t, dir, "checkout", "-q", "--detach", commit)
	return clone(dir)
}

// What is compared is what the pull request changes, whatever the job has checked out, and not
// what the base branch has got meanwhile.
func TestRangeOfAPullRequest(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	main := runGit(t, u.dir, "rev-parse", "main")
	tests := []struct {
		name      string
		checkout  string
		isShallow bool
		env       map[string]string
		want      string
	}{
		{"the merge, alone", u.merge, true, nil, "edited"},
		{"the merge, with history", u.merge, false, nil, "edited"},
		{"the head, alone", u.head, true, nil, "edited"},
		{"the head, with history", u.head, false, nil, "edited"},
		{"a base that is named", u.merge, false, map[string]string{"INPUT_BASE": "main~2"}, "edited meanwhile"},
		{"the base branch, by pull_request_target", u.merge, true,
			map[string]string{"GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_SHA": u.merge}, "edited"},
		{"the base branch itself", main, true,
			map[string]string{"GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_SHA": main}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.clone = u.checkout(t, tt.checkout, tt.isShallow)
			w.env["GITHUB_SHA"] = u.merge
			for name, value := range tt.env {
				w.env[name] = value
			}
			e, err := w.event()
			if err != nil {
				t.Fatal(err)
			}
			commits, err := w.rangeOf(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Fields(runGit(t, string(w.clone), "diff", "--name-only", commits))
			if got := strings.Join(changed, " "); got != tt.want {
				t.Errorf("%s: changed are %q, want %q", commits, got, tt.want)
			}
		})
	}
}

// Where the base of a pull request is not in the clone and cannot be fetched, the error says how
// to check out more.
func TestBaseThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	for _, commit := range []string{u.merge, u.head} {
		w := newWorld(t)
		w.clone = u.checkout(t, commit, true)
		w.env["GITHUB_SHA"] = u.merge
		runGit(t, string(w.clone), "remote", "set-url", "origin", filepath.Join(t.TempDir(), "gone"))
		e, err := w.event()
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.rangeOf(t.Context(), e)
		if err == nil || !strings.Contains(err.Error(), "with: {fetch-depth: 0}") {
			t.Errorf("%v", err)
		}
	}
}

// Steps after the action run in mode none. Keys in the environment are named, without their
// values.
func TestGuardKeepsLaterStepsFromRecording(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := newUpstream(t)
	w.clone = u.checkout(t, u.head, true)
	w.env["PROMPTECHO_MODE"] = "all"
	w.env["OPENAI_API_KEY"] = "sk-NOTREAL-1"
	w.env["AWS_SECRET_ACCESS_KEY"] = "NOTREAL-2"
	if err := w.guard(t.Context()); err != nil {
		t.Fatal(err)
	}
	env, err := os.ReadFile(w.env["GITHUB_ENV"])
	if err != nil || string(env) != "PROMPTECHO_MODE=none\n" {
		t.Errorf("GITHUB_ENV has %q, %v", env, err)
	}
	w.says(t, "::warning title=promptecho::PROMPTECHO_MODE was all;")
	w.says(t, "The environment of this job has AWS_SECRET_ACCESS_KEY, OPENAI_API_KEY.")
	if strings.Contains(w.log.String(), "NOTREAL") {
		t.Errorf("the value of a key is in the log:\n%s", w.log)
	}
}

// A cassette or a snapshot that an earlier step has changed, added or deleted fails the job.
// Other files do not.
func TestGuardFindsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	files := map[string]string{
		"bot/testdata/cassettes/Changed.yaml": "1",
		"bot/testdata/cassettes/Gone.yaml":    "1",
		"bot/testdata/cassettes/Same.yaml":    "1",
		"testdata/snapshots/Changed.snap":     "1",
		"README.md":                           "1",
	}
	tree.Write(t, dir, files)
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "1")
	tree.Write(t, dir, map[string]string{
		"bot/testdata/cassettes/Changed.yaml": "2",
		"bot/testdata/cassettes/New, 1%.yaml": "2",
		"testdata/snapshots/Changed.snap":     "2",
		"README.md":                           "2",
		"coverage.out":                        "2",
	})
	if err := os.Remove(filepath.Join(dir, "bot/testdata/cassettes/Gone.yaml")); err != nil {
		t.Fatal(err)
	}

	w := newWorld(t)
	w.clone = clone(dir)
	if err := w.guard(t.Context()); err != errReported {
		t.Errorf("got %v", err)
	}
	w.says(t, "4 files have changed since the commit")
	for _, file := range []string{
		"bot/testdata/cassettes/Changed.yaml", "bot/testdata/cassettes/Gone.yaml",
		"bot/testdata/cassettes/New%2C 1%25.yaml", "testdata/snapshots/Changed.snap",
	} {
		w.says(t, "::error title=promptecho,file="+file+"::")
	}

	w.env["INPUT_PATHS"] = "docs\nother\n"
	if err := w.guard(t.Context()); err != nil {
		t.Errorf("other paths: %v", err)
	}
}
