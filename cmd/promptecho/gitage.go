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

// mostAsking is how long git may look for the ages of files.
const mostAsking = 2 * time.Second

// dateByGit gives listings the times that git knows, where these are earlier.
func dateByGit(list []listing) {
	var files []string
	for _, l := range list {
		files = append(files, l.Path)
	}
	times := since(files)
	for i := range list {
		if at, ok := times[list[i].Path]; ok && at.Before(list[i].Modified) {
			list[i].Modified = at
		}
	}
}

// since returns when files were last changed as far as git knows it. A clone gives all of its
// files the time at which it was made, so for one that is as git has it, the time of its last
// commit counts, if that is earlier. Files that git does not know, or has no time to look for,
// are not in it.
func since(files []string) map[string]time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), mostAsking)
	defer cancel()
	times, asked := map[string]time.Time{}, map[string]map[string]string{} // by repository, what files are called there
	tops := map[string]string{}
	for _, file := range files {
		top := topOf(ctx, filepath.Dir(file), tops)
		abs, err := filepath.Abs(file)
		if top == "" || err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
		if name, err := filepath.Rel(top, abs); err == nil && filepath.IsLocal(name) {
			if asked[top] == nil {
				asked[top] = map[string]string{}
			}
			asked[top][filepath.ToSlash(name)] = file
		}
	}
	for top, names := range asked {
		committed(ctx, top, names, times)
	}
	return times
}

// topOf returns the folder of the repository that a folder is in, "" if it is in none. The
// folders on the way up that have no repository of their own are in the same one.
func topOf(ctx context.Context, dir string, known map[string]string) (top string) {
	var below []string
	defer func() {
		for _, d := range below {
			known[d] = top
		}
	}()
	for up := dir; ; up = filepath.Dir(up) {
		if top, ok := known[up]; ok {
			return top
		}
		below = append(below, up)
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil || up == filepath.Dir(up) {
			break
		}
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return ""
	}
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
}

// committed adds the times of the last commits of files, which the repository at top knows by
// these names.
func committed(ctx context.Context, top string, names map[string]string, times map[string]time.Time) {
	changed, err := exec.CommandContext(ctx, "git", "-C", top, "diff", "--name-only", "-z", "--no-renames", "HEAD").Output()
	if err != nil {
		return
	}
	for name := range strings.SplitSeq(string(changed), "\x00") {
		delete(names, name)
	}
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "git", "-C", top, "log", "-z", "--format=%x01%ct", "--name-only", "--no-renames")
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
		if seconds, ok := strings.CutPrefix(text, "\x01"); ok {
			seconds, text, _ = strings.Cut(seconds, "\n")
			if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
				at = time.Unix(n, 0)
			}
		}
		if file, ok := names[text]; ok {
			times[file] = at
			delete(names, text)
		}
	}
}

// atZero splits what git -z writes.
func atZero(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
