package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// remote is the remote repository that releases are pushed to.
const remote = "origin"

// A repository is a clone of promptecho.
type repository struct {
	dir string   // the root of its work tree
	env []string // of the programs that are run in it
}

// openRepository returns the repository of a folder.
func openRepository(dir string) (repository, error) {
	// The go command builds the same everywhere: flags and settings of this machine do not count.
	env := append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOAMD64=", "GOARM64=", "GOEXPERIMENT=")
	r := repository{dir: dir, env: env}
	top, err := r.git("rev-parse", "--show-toplevel")
	r.dir = filepath.FromSlash(top)
	return r, err
}

// git runs git, and returns what it prints without the end of the last line.
func (r repository) git(args ...string) (string, error) {
	return r.gitWith(nil, nil, args...)
}

// gitWith runs git with more variables and an input.
func (r repository) gitWith(env []string, input []byte, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Env = append(slices.Clone(r.env), env...)
	cmd.Stdin = bytes.NewReader(input)
	return output(cmd, r.dir)
}

// command runs another program.
func (r repository) command(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(slices.Clone(r.env), env...)
	return output(cmd, r.dir)
}

// output runs a command in a folder. The error has what it printed.
func output(cmd *exec.Cmd, dir string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		printed := strings.TrimSpace(stdout.String() + stderr.String())
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, printed)
	}
	return strings.TrimRight(stdout.String(), "\r\n"), nil
}

// releases returns the versions of the root module that have a tag in the history of a commit,
// the oldest first.
func (r repository) releases(commit string) ([]string, error) {
	tags, err := r.git("tag", "--merged", commit, "--list", "v*")
	versions := slices.DeleteFunc(strings.Fields(tags), func(tag string) bool {
		return !versionForm.MatchString(tag)
	})
	semver.Sort(versions)
	return versions, err
}

// tags returns the tags of a release: that of the root, then those of the nested modules.
func tags(version string) []string {
	all := []string{version}
	for _, dir := range nestedModules {
		all = append(all, dir+"/"+version)
	}
	return all
}

// clone makes a clone of a tag in a folder that does not exist, without what is in this work
// tree only.
func (r repository) clone(tag, dir string) (repository, error) {
	_, err := r.git("clone", "--quiet", "--branch", tag,
		"--config", "advice.detachedHead=false", "--config", "core.autocrlf=false", "--", r.dir, dir)
	return repository{dir: dir, env: r.env}, err
}

// commitTime returns the time of the commit of a tag.
func (r repository) commitTime(tag string) (time.Time, error) {
	text, err := r.git("log", "-1", "--format=%ct", tag+"^{commit}")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// file returns the content of a file in a commit.
func (r repository) file(commit, name string) ([]byte, error) {
	cmd := exec.Command("git", "cat-file", "blob", commit+":"+name)
	cmd.Dir, cmd.Env = r.dir, r.env
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %s in %s: %w", name, commit, err)
	}
	return data, nil
}
