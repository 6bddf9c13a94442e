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

// errNotInGit is the error for a file that a revision does not have.
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

// A repository is a git repository with cassettes. It reads files of revisions through one process,
// git cat-file, which ends when ours ends.
type repository struct {
	top     string            // its folder
	commits map[string]string // by revision
	in      io.WriteCloser    // of the process; nil before the first file is read
	out     *bufio.Reader
}

// gitMutex guards the variables below and the repositories: the server of promptecho view may get
// two requests at once.
var gitMutex sync.Mutex

var (
	repositories = map[string]*repository{} // by their folders
	tops         = map[string]string{}      // see topOf
)

// repositoryOf returns the repository that a folder is in, and the path of the folder there. The
// folder may have been deleted.
func repositoryOf(dir string) (r *repository, name string, err error) {
	existing, below, err := existingFolder(dir)
	if err != nil {
		return nil, "", err
	}
	top := topOf(context.Background(), existing, tops)
	if top == "" {
		_, err := git(existing, "rev-parse", "--show-toplevel")
		return nil, "", cmp.Or(err, errNotInGit)
	}
	name, err = filepath.Rel(top, existing+below)
	if err != nil {
		return nil, "", err
	}
	if repositories[top] == nil {
		repositories[top] = &repository{top: top, commits: map[string]string{}}
	}
	return repositories[top], filepath.ToSlash(name), nil
}

// existingFolder returns the innermost folder on the way to dir that exists, without symbolic links,
// and the rest of the path, which begins with a separator if it is not empty.
func existingFolder(dir string) (existing, below string, err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	up := path
	for {
		existing, err := filepath.EvalSymlinks(up)
		if err == nil {
			return existing, strings.TrimPrefix(path, up), nil
		}
		parent := filepath.Dir(up)
		if up == parent {
			return "", "", err
		}
		up = parent
	}
}

// commit returns the commit of a revision.
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

// commitOf returns the commit of a revision in the repository of a folder.
func commitOf(ref, dir string) (string, error) {
	gitMutex.Lock()
	defer gitMutex.Unlock()
	r, _, err := repositoryOf(dir)
	if err != nil {
		return "", err
	}
	return r.commit(ref)
}

// start starts the process that reads files, unless it runs already.
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
	r.in = in
	r.out = bufio.NewReader(out)
	return nil
}

// read returns the content of a file of a commit. name is its path in the repository.
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
	n, _ := fmt.Sscan(head, &object, &kind, &size)
	if n != 3 || strings.HasSuffix(head, " missing\n") {
		return nil, errNotInGit
	}
	data := make([]byte, size+1) // with the line break that ends it
	if _, err := io.ReadFull(r.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if kind != "blob" {
		return nil, errNotInGit
	}
	return data[:size], nil
}

// loadRevision reads a cassette and its assets from a git revision.
func loadRevision(ref, file string) (*cassette.File, error) {
	gitMutex.Lock()
	defer gitMutex.Unlock()
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
	assets := filepath.Base(cassette.Assets(file))
	asset := func(name string) ([]byte, error) { return r.read(commit, path.Join(dir, assets, name)) }
	return cassette.Parse(fmt.Sprintf("%s (%s)", file, ref), data, asset)
}

// changedSince returns the files below a folder that were changed or deleted since a revision, and those
// that git does not track. keep says of the path of a file whether it is returned.
func changedSince(
	ref, dir string, keep func(path string) bool,
) (changed, unknown []string, err error) {
	commit, err := commitOf(ref, dir)
	if err != nil {
		return nil, nil, err
	}
	changed, err = filesInGit(dir, keep,
		"diff", "--name-only", "-z", "--relative", "--no-renames", commit, "--", ".")
	if err != nil {
		return nil, nil, err
	}
	unknown, err = filesInGit(dir, keep, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil, nil, err
	}
	return changed, unknown, nil
}

// filesInGit returns the files to keep that a git command lists in a folder, with zero bytes between
// them.
func filesInGit(
	dir string, keep func(path string) bool, args ...string,
) (files []string, err error) {
	out, err := git(dir, args...)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && keep(name) {
			files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return files, nil
}
