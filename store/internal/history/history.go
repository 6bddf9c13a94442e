// Package history asks git which objects the locks of a repository name, in any commit that
// anybody may check out.
package history

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// locks are the paths of locks, for git.
const locks = ":(glob,top)**/testdata/cassettes.lock"

var sum = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// Named returns what the locks name in all commits that a ref or a reflog of the repository at
// root leads to, or a branch or tag of its remotes, in the index and in the files of each of its worktrees. A lock that cannot be
// read, as one that was committed with a conflict, names all that looks like a SHA-256 in it.
func Named(root string) (map[string]bool, error) {
	if out, err := git(root, nil, "rev-parse", "--is-shallow-repository"); err != nil {
		return nil, err
	} else if strings.TrimSpace(string(out)) == "true" {
		return nil, errors.New("this clone is shallow and does not know all commits, so it cannot tell what they need: git fetch --unshallow")
	}
	remote, err := atRemotes(root)
	if err != nil {
		return nil, err
	}
	blobs := map[string]bool{}
	// What a commit changes against each of its parents, of all commits: whatever a commit
	// has came into it so, or stood in a parent.
	out, err := git(root, remote, "-c", "log.showRoot=true", "log", "--stdin", "--all", "--reflog", "--full-history", "-m", "--raw", "--no-abbrev", "--no-renames", "--format=", "--", locks)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[0], ":") {
			blobs[f[2]], blobs[f[3]] = true, true
		}
	}
	trees, err := worktrees(root)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, tree := range trees {
		if _, err := os.Stat(tree); errors.Is(err, fs.ErrNotExist) {
			continue // it was deleted, and git has not noticed yet
		}
		if err := inWorktree(tree, blobs, named); err != nil {
			return nil, err
		}
	}
	return named, read(root, blobs, named)
}

func worktrees(root string) (dirs []string, err error) {
	out, err := git(root, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	for field := range strings.SplitSeq(string(out), "\x00") {
		if dir, ok := strings.CutPrefix(field, "worktree "); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// inWorktree adds the locks in the index and the HEAD of a worktree to blobs, and what its files
// name to named.
func inWorktree(dir string, blobs, named map[string]bool) error {
	out, err := git(dir, nil, "ls-files", "-s", "-z", "--", locks)
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if f := strings.Fields(entry); len(f) > 1 {
			blobs[f[1]] = true
		}
	}
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Name() != "cassettes.lock" || !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(file)
		for _, s := range sum.FindAllString(string(data), -1) {
			named[s] = true
		}
		return err
	})
}

// read adds what blobs name.
func read(root string, blobs, named map[string]bool) error {
	var ids bytes.Buffer
	for id := range blobs {
		if strings.Trim(id, "0") != "" { // of a file that is not there
			fmt.Fprintln(&ids, id)
		}
	}
	out, err := git(root, ids.Bytes(), "cat-file", "--batch")
	if err != nil {
		return err
	}
	if i := bytes.Index(out, []byte(" missing\n")); i >= 0 {
		return errors.New("git does not have all locks of its commits: git fsck says what is wrong")
	}
	for _, s := range sum.FindAllString(string(out), -1) {
		named[s] = true
	}
	return nil
}

// atRemotes returns the commits that the branches and tags of the remotes lead to. One that this
// clone does not have is an error: it may name what is named nowhere here.
func atRemotes(root string) (ids []byte, err error) {
	remotes, err := git(root, nil, "remote")
	if err != nil {
		return nil, err
	}
	for _, remote := range strings.Fields(string(remotes)) {
		out, err := git(root, nil, "ls-remote", "--heads", "--tags", remote)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if len(f) != 2 {
				continue
			}
			if _, err := git(root, nil, "cat-file", "-e", f[0]); err != nil {
				return nil, fmt.Errorf("%s has %s, which this clone does not know and which may need more objects: git fetch --all --tags", remote, f[1])
			}
			ids = fmt.Appendln(ids, f[0])
		}
	}
	return ids, nil
}

// git runs git, with an input.
func git(dir string, in []byte, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
