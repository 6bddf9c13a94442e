package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxGitTime is how long git may search for the ages of files.
const maxGitTime = 2 * time.Second

// dateByGit replaces the times of listings by those that git knows, where these are earlier.
func dateByGit(list []listing) {
	var files []string
	for _, l := range list {
		files = append(files, l.Path)
	}
	times := lastChanges(files)
	for i := range list {
		at, ok := times[list[i].Path]
		if ok && at.Before(list[i].Modified) {
			list[i].Modified = at
		}
	}
}

// lastChanges returns when files were changed, as git knows it: the time of the last commit of each
// file that has no uncommitted changes. A clone sets the modification times of all files to the
// time at which it is made, so they say nothing. Files that git does not know, or does not find
// in maxGitTime, are left out.
func lastChanges(files []string) map[string]time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), maxGitTime)
	defer cancel()
	tops := map[string]string{}
	repositories := map[string]map[string]string{} // by folder: the files by their paths there
	for _, file := range files {
		top := topOf(ctx, filepath.Dir(file), tops)
		path, err := filepath.Abs(file)
		if top == "" || err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		name, err := filepath.Rel(top, path)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		if repositories[top] == nil {
			repositories[top] = map[string]string{}
		}
		repositories[top][filepath.ToSlash(name)] = file
	}

	times := map[string]time.Time{}
	for top, names := range repositories {
		addCommitTimes(ctx, top, names, times)
	}
	return times
}

// topOf returns the folder of the repository that a folder is in; "" if it is in none. known
// remembers the results: all folders on the way up to one with .git are in the same repository.
func topOf(ctx context.Context, dir string, known map[string]string) (top string) {
	var visited []string
	defer func() {
		for _, d := range visited {
			known[d] = top
		}
	}()
	up := dir
	for {
		if top, ok := known[up]; ok {
			return top
		}
		visited = append(visited, up)
		_, err := os.Lstat(filepath.Join(up, ".git"))
		parent := filepath.Dir(up)
		if err == nil || up == parent {
			break
		}
		up = parent
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return ""
	}
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
}

// addCommitTimes adds the times of the last commits of files that have no uncommitted changes. names
// has the files by their paths in the repository; it is empty afterwards if git knows all of them.
func addCommitTimes(ctx context.Context, top string, names map[string]string, times map[string]time.Time) {
	changed, err := exec.CommandContext(ctx, "git", "-C", top,
		"diff", "--name-only", "-z", "--no-renames", "HEAD").Output()
	if err != nil {
		return
	}
	for name := range strings.SplitSeq(string(changed), "\x00") {
		delete(names, name)
	}

	// The log has \x01 and the time in front of the files of each commit, the latest commit first.
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "git", "-C", top,
		"log", "-z", "--format=%x01%ct", "--name-only", "--no-renames")
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		stop()
		return
	}
	defer cmd.Wait()
	defer stop()
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<20)
	scanner.Split(atZero)
	var at time.Time
	for len(names) > 0 && scanner.Scan() {
		text := strings.TrimPrefix(scanner.Text(), "\n")
		if head, isCommit := strings.CutPrefix(text, "\x01"); isCommit {
			seconds, firstFile, _ := strings.Cut(head, "\n")
			text = firstFile
			n, err := strconv.ParseInt(seconds, 10, 64)
			if err == nil {
				at = time.Unix(n, 0)
			}
		}
		if file, ok := names[text]; ok {
			times[file] = at
			delete(names, text)
		}
	}
}

// atZero is a [bufio.SplitFunc] for the output of git -z: zero bytes end the tokens.
func atZero(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
