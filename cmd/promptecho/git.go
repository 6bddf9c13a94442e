package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"

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

// A repository is one that cassettes are in, with what was asked of it.
type repository struct {
	top     string
	commits map[string]string // by revision
	in      io.Writer         // of the one process that reads files of revisions, which ends with ours
	out     *bufio.Reader
}

var (
	asking       sync.Mutex                 // who asks git: a page may be asked for twice at once
	repositories = map[string]*repository{} // by their folders
	tops         = map[string]string{}      // the repository of each folder
)

// repositoryOf returns the repository that a folder is in, and what the folder is called there. The folder may
// be gone.
func repositoryOf(dir string) (r *repository, name string, err error) {
	there, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	for up := there; ; up = filepath.Dir(up) {
		if real, err := filepath.EvalSymlinks(up); err == nil {
			there, name = real, strings.TrimPrefix(there, up)
			break
		} else if up == filepath.Dir(up) {
			return nil, "", err
		}
	}
	top := topOf(context.Background(), there, tops)
	if top == "" {
		_, err := git(there, "rev-parse", "--show-toplevel")
		return nil, "", cmp.Or(err, errNotInGit)
	}
	name, err = filepath.Rel(top, there+name)
	if err != nil {
		return nil, "", err
	}
	if repositories[top] == nil {
		repositories[top] = &repository{top: top, commits: map[string]string{}}
	}
	return repositories[top], filepath.ToSlash(name), nil
}

// commit returns the commit that a revision stands for.
func (r *repository) commit(ref string) (string, error) {
	if commit := r.commits[ref]; commit != "" {
		return commit, nil
	}
	out, err := git(r.top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil {
		r.commits[ref] = strings.TrimSpace(string(out))
		return r.commits[ref], nil
	}
	if _, err := git(r.top, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", errors.New("nothing is committed yet: there is no revision to compare with")
	}
	return "", fmt.Errorf("git knows no revision %q", ref)
}

// commitOf returns the commit that a revision stands for in the repository of a folder.
func commitOf(ref, dir string) (string, error) {
	asking.Lock()
	defer asking.Unlock()
	r, _, err := repositoryOf(dir)
	if err != nil {
		return "", err
	}
	return r.commit(ref)
}

// start starts the process that reads files, if it does not run yet.
func (r *repository) start() error {
	if r.in != nil {
		return nil
	}
	cmd := exec.Command("git", "-C", r.top, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	r.in, r.out = in, bufio.NewReader(out)
	return nil
}

// read returns the content of a file of a commit, by its name in the repository.
func (r *repository) read(commit, name string) ([]byte, error) {
	if strings.Contains(name, "\n") {
		return nil, errNotInGit
	}
	if err := r.start(); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(r.in, commit+":"+name+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := r.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	var object, kind string
	var size int
	if n, _ := fmt.Sscan(head, &object, &kind, &size); n != 3 || strings.HasSuffix(head, " missing\n") {
		return nil, errNotInGit
	}
	data := make([]byte, size+1) // and a line break
	if _, err := io.ReadFull(r.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if kind != "blob" {
		return nil, errNotInGit
	}
	return data[:size], nil
}

// loadRevision reads a cassette as a git revision has it, with its assets.
func loadRevision(ref, file string) (*cassette.File, error) {
	asking.Lock()
	defer asking.Unlock()
	r, dir, err := repositoryOf(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	commit, err := r.commit(ref)
	if err != nil {
		return nil, err
	}
	data, err := r.read(commit, path.Join(dir, filepath.Base(file)))
	if err != nil {
		return nil, err
	}
	assets := filepath.Base(cassette.Beside(strings.TrimSuffix(file, ".yaml"), ".assets"))
	return cassette.Parse(fmt.Sprintf("%s (%s)", file, ref), data, func(name string) ([]byte, error) { return r.read(commit, path.Join(dir, assets, name)) })
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
