package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// rangeOf returns the range of commits that a pull request changes, for promptecho diff, and
// fetches what the clone lacks of it.
//
//	the checkout                        the range
//	any, and the input "base" is set    BASE...HEAD
//	the merge of the pull request       from the first parent to HEAD: what the merge changes
//	anything else                       from the last common commit with the base branch
func (j *job) rangeOf(ctx context.Context, e *event) (string, error) {
	branch := e.PullRequest.Base.Ref
	if base := j.getenv("INPUT_BASE"); base != "" {
		return j.clone.sinceCommon(ctx, base)
	}
	head, err := j.clone.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	// Elsewhere GITHUB_SHA is a commit of the base branch, which may be a merge of another
	// pull request.
	isMerge := j.getenv("GITHUB_EVENT_NAME") == "pull_request" && head == j.getenv("GITHUB_SHA")
	if !isMerge {
		return j.clone.sinceCommon(ctx, branch)
	}
	parent, err := j.clone.firstParentOfMerge(ctx, head)
	if err != nil {
		return "", err
	}
	if parent == "" {
		return j.clone.sinceCommon(ctx, branch)
	}
	if !j.clone.hasCommit(ctx, parent) {
		// actions/checkout fetches one commit, unless fetch-depth says otherwise.
		if err := j.clone.fetch(ctx, "--depth=2", head); err != nil {
			return "", noBase(branch, err)
		}
	}
	if !j.clone.hasCommit(ctx, parent) {
		return "", noBase(branch, errors.New("git fetch did not bring the first parent of the merge"))
	}
	return parent + "..HEAD", nil
}

// firstParentOfMerge returns the first parent of a merge; "" for another commit. The commit
// itself says it, also in a clone that lacks the parents.
func (c clone) firstParentOfMerge(ctx context.Context, commit string) (string, error) {
	text, err := c.git(ctx, "cat-file", "commit", commit)
	if err != nil {
		return "", err
	}
	var parents []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			break // the message follows
		}
		if parent, ok := strings.CutPrefix(line, "parent "); ok {
			parents = append(parents, parent)
		}
	}
	if len(parents) < 2 {
		return "", nil
	}
	return parents[0], nil
}

// sinceCommon returns the range from the last common commit of a branch or revision and HEAD.
func (c clone) sinceCommon(ctx context.Context, base string) (string, error) {
	commit, haveCommon := c.common(ctx, base)
	if haveCommon {
		return commit + "..HEAD", nil
	}
	// The branch is not here, or the clone ends before the common commit.
	remote := "refs/remotes/origin/" + base
	err := c.fetch(ctx, "+refs/heads/"+base+":"+remote)
	if err != nil {
		return "", noBase(base, err)
	}
	commit, haveCommon = c.common(ctx, base)
	if !haveCommon && c.isShallow(ctx) {
		head, err := c.git(ctx, "rev-parse", "HEAD")
		if err == nil {
			err = c.fetch(ctx, "--unshallow", "+refs/heads/"+base+":"+remote, head)
		}
		if err != nil {
			return "", noBase(base, err)
		}
		commit, haveCommon = c.common(ctx, base)
	}
	if !haveCommon {
		return "", noBase(base, errors.New("the two have no common commit"))
	}
	return commit + "..HEAD", nil
}

// common returns the last common commit of HEAD and a branch of the remote repository, or of HEAD
// and any other revision.
func (c clone) common(ctx context.Context, base string) (commit string, ok bool) {
	for _, name := range []string{"refs/remotes/origin/" + base, base} {
		if !c.hasCommit(ctx, name) {
			continue
		}
		commit, err := c.git(ctx, "merge-base", name, "HEAD")
		return commit, err == nil && commit != ""
	}
	return "", false
}

// hasCommit reports whether a revision is in the clone.
func (c clone) hasCommit(ctx context.Context, name string) bool {
	_, err := c.git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", name+"^{tree}")
	return err == nil
}

// isShallow reports whether the clone lacks a part of the history.
func (c clone) isShallow(ctx context.Context) bool {
	text, err := c.git(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && text == "true"
}

// fetch fetches from the repository that the job has checked out.
func (c clone) fetch(ctx context.Context, args ...string) error {
	options := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules"}
	flags := 0
	for flags < len(args) && strings.HasPrefix(args[flags], "--") {
		flags++
	}
	options = append(options, args[:flags]...)
	_, err := c.git(ctx, append(append(options, "origin"), args[flags:]...)...)
	return err
}

// noBase returns the error of a clone without the base of a pull request.
func noBase(base string, err error) error {
	return fmt.Errorf("the commit that the pull request is compared with (of %s) is not in this clone, "+
		"and cannot be fetched: %w\nGive the step that checks out the repository the whole history:\n"+
		"  - uses: actions/checkout@v5\n    with: {fetch-depth: 0}", base, err)
}
