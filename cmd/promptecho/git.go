package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// errNotInGit says that a revision has no such file.
var errNotInGit = errors.New("it is not in that revision")

// git runs git in a folder and returns what it prints.
func git(dir string, args ...string) ([]byte, error) {
	if dir == "" {
		dir = "."
	}
	var stderr bytes.Buffer
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// commitOf returns the commit that a revision stands for in the repository of a folder.
func commitOf(ref, dir string) (string, error) {
	out, err := git(dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if _, err := git(dir, "rev-parse", "--git-dir"); err != nil {
		return "", err
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", errors.New("nothing is committed yet: there is no revision to compare with")
	}
	return "", fmt.Errorf("git knows no revision %q", ref)
}

// loadRevision reads a cassette as a git revision has it, with its assets.
func loadRevision(ref, file string) (*cassette.File, error) {
	dir, base := filepath.Split(file)
	commit, err := commitOf(ref, dir)
	if err != nil {
		return nil, err
	}
	show := func(name string) ([]byte, error) {
		if _, err := git(dir, "cat-file", "-e", commit+":./"+name); err != nil {
			return nil, errNotInGit
		}
		return git(dir, "cat-file", "blob", commit+":./"+name)
	}
	data, err := show(base)
	if err != nil {
		return nil, err
	}
	assets := filepath.Base(cassette.Beside(strings.TrimSuffix(file, ".yaml"), ".assets"))
	return cassette.Parse(fmt.Sprintf("%s (%s)", file, ref), data, func(name string) ([]byte, error) { return show(assets + "/" + name) })
}

// changedSince returns the YAML files below a folder that differ from a revision or are
// gone, and those that git does not know yet.
func changedSince(ref, dir string) (changed, unknown []string, err error) {
	commit, err := commitOf(ref, dir)
	if err != nil {
		return nil, nil, err
	}
	for _, list := range []struct {
		files *[]string
		args  []string
	}{
		{&changed, []string{"diff", "--name-only", "-z", "--relative", "--no-renames", commit, "--", "."}},
		{&unknown, []string{"ls-files", "--others", "--exclude-standard", "-z", "--", "."}},
	} {
		out, err := git(dir, list.args...)
		if err != nil {
			return nil, nil, err
		}
		for name := range strings.SplitSeq(string(out), "\x00") {
			if isYAML(name) {
				*list.files = append(*list.files, filepath.Join(dir, filepath.FromSlash(name)))
			}
		}
	}
	return changed, unknown, nil
}
