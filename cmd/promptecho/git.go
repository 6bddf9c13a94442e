package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
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

// commits remembers what commitOf has found.
var commits = map[[2]string]string{}

// commitOf returns the commit that a revision stands for in the repository of a folder.
func commitOf(ref, dir string) (string, error) {
	if commit := commits[[2]string{ref, dir}]; commit != "" {
		return commit, nil
	}
	out, err := git(dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil {
		commits[[2]string{ref, dir}] = strings.TrimSpace(string(out))
		return commits[[2]string{ref, dir}], nil
	}
	if _, err := git(dir, "rev-parse", "--git-dir"); err != nil {
		return "", err
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", errors.New("nothing is committed yet: there is no revision to compare with")
	}
	return "", fmt.Errorf("git knows no revision %q", ref)
}

// blobs reads files of revisions by one process of git for each folder, which ends with ours.
type blobs struct {
	in  io.Writer
	out *bufio.Reader
}

var blobsIn = map[string]*blobs{}

// openBlobs returns what reads files relative to a folder.
func openBlobs(dir string) (*blobs, error) {
	if b := blobsIn[dir]; b != nil {
		return b, nil
	}
	cmd := exec.Command("git", "-C", cmp.Or(dir, "."), "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	blobsIn[dir] = &blobs{in, bufio.NewReader(out)}
	return blobsIn[dir], nil
}

// read returns the content of a file of a commit, such as "9f86d081:./x.yaml".
func (b *blobs) read(name string) ([]byte, error) {
	if strings.Contains(name, "\n") {
		return nil, errNotInGit
	}
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	var object, kind string
	var size int
	if n, _ := fmt.Sscan(head, &object, &kind, &size); n != 3 || strings.HasSuffix(head, " missing\n") {
		return nil, errNotInGit
	}
	data := make([]byte, size+1) // and a line break
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if kind != "blob" {
		return nil, errNotInGit
	}
	return data[:size], nil
}

// loadRevision reads a cassette as a git revision has it, with its assets.
func loadRevision(ref, file string) (*cassette.File, error) {
	dir, base := filepath.Split(file)
	commit, err := commitOf(ref, dir)
	if err != nil {
		return nil, err
	}
	b, err := openBlobs(dir)
	if err != nil {
		return nil, err
	}
	data, err := b.read(commit + ":./" + base)
	if err != nil {
		return nil, err
	}
	assets := filepath.Base(cassette.Beside(strings.TrimSuffix(file, ".yaml"), ".assets"))
	return cassette.Parse(fmt.Sprintf("%s (%s)", file, ref), data, func(name string) ([]byte, error) { return b.read(commit + ":./" + assets + "/" + name) })
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
