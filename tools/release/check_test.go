package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// madeRepository returns a clone with one commit, which is pushed.
func madeRepository(t *testing.T, files map[string]string) repository {
	t.Helper()
	dir := t.TempDir()
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL=", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.com",
		"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.com")
	clone := repository{dir: filepath.Join(dir, "clone"), env: env}
	origin := repository{dir: filepath.Join(dir, "origin"), env: env}
	for _, d := range []string{clone.dir, origin.dir} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	must(t, origin, "init", "--quiet", "--bare", "--initial-branch=main")
	must(t, clone, "init", "--quiet", "--initial-branch=main")
	must(t, clone, "remote", "add", "origin", origin.dir)
	for name, text := range files {
		write(t, clone, name, text)
	}
	must(t, clone, "add", "-A")
	must(t, clone, "commit", "--quiet", "-m", "1")
	must(t, clone, "push", "--quiet", "origin", "main")
	return clone
}

func must(t *testing.T, repo repository, args ...string) {
	t.Helper()
	_, err := repo.git(args...)
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, repo repository, name, text string) {
	t.Helper()
	file := filepath.Join(repo.dir, name)
	err := os.MkdirAll(filepath.Dir(file), 0o777)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantProblems compares what a check finds.
func wantProblems(t *testing.T, check func() ([]problem, error), want ...string) {
	t.Helper()
	problems, err := check()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.what)
		if p.remedy == "" {
			t.Errorf("%s: nothing says what to do", p.what)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems are %q, want %q", got, want)
	}
}

// A release is made of what is committed on its branch, with all commits of the remote branch.
func TestOnlyTheBranchIsReleased(t *testing.T) {
	t.Parallel()
	clone := madeRepository(t, map[string]string{"a": "1"})
	r := releaser{repo: clone, version: "v0.1.0", branch: "main"}
	wantProblems(t, r.checkTree)
	wantProblems(t, r.checkRemote)

	write(t, clone, "b", "1")
	wantProblems(t, r.checkTree, "The work tree has changes that are not committed: ?? b")
	must(t, clone, "add", "-A")
	must(t, clone, "commit", "--quiet", "-m", "2")
	wantProblems(t, r.checkTree)
	wantProblems(t, r.checkRemote) // tag says to push main too

	must(t, clone, "push", "--quiet", "origin", "main")
	must(t, clone, "reset", "--quiet", "--hard", "HEAD^")
	wantProblems(t, r.checkRemote, "main of origin has commits that are not here.")
	must(t, clone, "switch", "--quiet", "-c", "other")
	wantProblems(t, r.checkTree, "HEAD is other, not main.")
	must(t, clone, "switch", "--quiet", "--detach")
	wantProblems(t, r.checkTree, "HEAD is no branch, not main.")
}

// The number of a version follows that of the last release of the branch.
func TestNumberFollowsTheLastRelease(t *testing.T) {
	t.Parallel()
	clone := madeRepository(t, map[string]string{"a": "1"})
	check := func(version string) func() ([]problem, error) {
		return releaser{repo: clone, version: version}.checkNumber
	}
	wantProblems(t, check("v0.1.0"))
	wantProblems(t, check("v0.2.0"), "v0.2.0 does not follow the last release, which is none.")
	for _, tag := range []string{"v0.9.0", "v0.10.0", "lint/v0.11.0", "v0.11.0-rc.1", "vendor"} {
		must(t, clone, "tag", tag)
	}
	wantProblems(t, check("v0.10.1"))
	wantProblems(t, check("v0.11.0"))
	wantProblems(t, check("v0.9.1"), "v0.9.1 does not follow the last release, which is v0.10.0.")
	wantProblems(t, check("v0.12.0"), "v0.12.0 does not follow the last release, which is v0.10.0.")
}

// What only this repository can resolve is not released.
func TestNestedModulesReplaceTheRootOnly(t *testing.T) {
	t.Parallel()
	const (
		root = "module " + rootPath + "\n\ngo 1.25.0\n"
		lint = "module " + rootPath + "/lint\n\ngo 1.25.0\n\nrequire " + rootPath + " v0.0.0\n\n"
		own  = "replace " + rootPath + " => ../\n"
	)
	clone := madeRepository(t, map[string]string{
		"go.mod":          root,
		"echogrpc/go.mod": lint + own,
		"lint/go.mod":     lint + own,
		"store/go.mod":    lint + own,
	})
	check := releaser{repo: clone}.checkNestedModules
	wantProblems(t, check)

	write(t, clone, "go.mod", root+"replace example.com/x => ../x\n")
	write(t, clone, "lint/go.mod", lint+own+"replace example.com/y => example.com/z v1.0.0\nexclude example.com/y v1.1.0\n")
	write(t, clone, "store/go.mod", lint)
	wantProblems(t, check,
		"go.mod replaces example.com/x, which users of the module do not see.",
		filepath.Join("lint", "go.mod")+" replaces example.com/y, which users of the module do not see.",
		filepath.Join("lint", "go.mod")+" excludes example.com/y@v1.1.0, which users of the module do not see.",
		filepath.Join("store", "go.mod")+" does not replace "+rootPath+" by ../, so other code is tested.",
	)
}

// The section of a version is dated, and not in the future.
func TestSectionIsDated(t *testing.T) {
	t.Parallel()
	clone := madeRepository(t, map[string]string{"CHANGELOG.md": "# Changelog\r\n\r\n## 0.1.0, 2026-01-02\r\n\r\n- x\r\n"})
	check := releaser{repo: clone, version: "v0.1.0"}.checkChangelog
	wantProblems(t, check)
	write(t, clone, "CHANGELOG.md", "# Changelog\n\n## 0.1.0, 2999-11-29\n\n- x\n")
	wantProblems(t, check, "CHANGELOG.md: the date of 0.1.0 is in the future.")
	write(t, clone, "CHANGELOG.md", "# Changelog\n\n## Unreleased: 0.1.0\n\n- x\n")
	wantProblems(t, check, `CHANGELOG.md: there is no line "## 0.1.0, YYYY-MM-DD".`)
}

// What users copy has the action of the version.
func TestShownActionHasTheVersion(t *testing.T) {
	t.Parallel()
	clone := madeRepository(t, map[string]string{"docs/CI.md": "- uses: promptecho/promptecho/action@v0.1.0\n"})
	wantProblems(t, releaser{repo: clone, version: "v0.1.0"}.checkAction)
	wantProblems(t, releaser{repo: clone, version: "v0.1.1"}.checkAction, "docs/CI.md shows the action of v0.1.0.")
}
