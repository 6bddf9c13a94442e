package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/testenv/keys"
)

// guard keeps the tests of a job from recording:
//
//   - later steps run in mode none, which sends and writes nothing;
//   - a key of a provider in the environment is a warning, since a test that has no recorder
//     could use it;
//   - a cassette that differs from the commit is an error: an earlier step has written it.
func (j *job) guard(ctx context.Context) error {
	if mode := j.getenv("PROMPTECHO_MODE"); mode != "" && mode != "none" {
		j.annotate(annotation{level: "warning", text: "PROMPTECHO_MODE was " + mode +
			"; the steps after this one run in mode none. With \"guard: false\" the action leaves the mode as it is."})
	}
	if err := j.appendTo("GITHUB_ENV", "PROMPTECHO_MODE=none\n"); err != nil {
		return err
	}
	fmt.Fprintln(j.out, "PROMPTECHO_MODE=none for all steps after this one: "+
		"tests replay, and nothing is sent or recorded.")

	if found := j.keysInEnvironment(); found != nil {
		j.annotate(annotation{level: "warning", text: "The environment of this job has " + strings.Join(found, ", ") +
			". Tests that replay need no key, and a test without a recorder can use it: " +
			"set it only for the step that needs it."})
	}
	return j.checkUnchanged(ctx)
}

// keysInEnvironment returns the names of the keys that are set.
func (j *job) keysInEnvironment() (found []string) {
	for _, name := range keys.Names() {
		if j.getenv(name) != "" {
			found = append(found, name)
		}
	}
	return found
}

// checkUnchanged reports cassettes and snapshots that are not as they were committed.
func (j *job) checkUnchanged(ctx context.Context) error {
	files, err := j.changedFiles(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	for _, file := range files {
		j.annotate(annotation{level: "error", file: file,
			text: "This file differs from the commit: an earlier step of this job has written or deleted it."})
	}
	have := "have"
	if len(files) == 1 {
		have = "has"
	}
	fmt.Fprintf(j.out, "%s %s changed since the commit: a job that tests must replay.\n"+
		"To see the changes, run \"promptecho diff\". For a job that records on purpose, set \"guard: false\".\n",
		english.Count(len(files), "file"), have)
	return errReported
}

// changedFiles returns the cassettes, assets and snapshots that differ from the commit.
func (j *job) changedFiles(ctx context.Context) (files []string, err error) {
	args := []string{"status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--"}
	out, _, err := command(ctx, string(j.clone), "git", append(args, j.paths()...)...)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) < len("XY f") {
			continue
		}
		file := entry[len("XY "):]
		if isRecorded(file) {
			files = append(files, file)
		}
	}
	return files, nil
}

// isRecorded reports whether a file is a cassette, an asset or a snapshot.
func isRecorded(file string) bool {
	dir := "/" + file
	return strings.Contains(dir, "/testdata/cassettes/") || strings.Contains(dir, "/testdata/snapshots/")
}
