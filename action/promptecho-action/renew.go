package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/keys"
)

// A renewal says what to record again, and on which branch.
type renewal struct {
	branch   string
	older    string   // the age, as promptecho record -older takes it
	all      bool     // everything, instead of what is older
	packages []string // for go test
}

// parseRenewal reads the arguments of the verb renew.
func parseRenewal(args []string) (r renewal, err error) {
	flags := flag.NewFlagSet("renew", flag.ContinueOnError)
	flags.StringVar(&r.branch, "branch", "promptecho/renew", "the branch that gets the recordings")
	flags.StringVar(&r.older, "older", "90d", "record again what is older")
	flags.BoolVar(&r.all, "all", false, "record everything again")
	err = flags.Parse(args)
	r.packages = flags.Args()
	return r, err
}

// recordArgs returns the arguments of promptecho that record.
func (r *renewal) recordArgs() []string {
	args := []string{"record", "-older", r.older}
	if r.all {
		args = []string{"record", "-all"}
	}
	return append(args, r.packages...)
}

// title returns the title of the pull request, which is the subject of the commit, too.
func (r *renewal) title() string {
	if r.all {
		return "Record everything again"
	}
	return "Record again what is older than " + r.older
}

// renew records on a branch what is old, and keeps one pull request up to date with it:
//
//	nothing is old                          nothing happens
//	the recording fails                     nothing is pushed, and the job fails
//	a cassette cannot be committed          the same
//	a pull request of the branch is open    its branch goes on, and its text is updated
//	none is open                            the branch starts from the base, and one is opened
//
// A branch that goes on has the base merged into it: what it has recorded is not paid for again.
func (j *job) renew(ctx context.Context, r renewal) error {
	if err := j.checkUnchanged(ctx); err != nil {
		return err
	}
	base, err := j.baseBranch(ctx)
	if err != nil {
		return err
	}
	if r.branch == base {
		return fmt.Errorf("%s is the branch that the job has checked out: give the recordings another one", base)
	}
	from, err := j.clone.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	c, err := j.client()
	if err != nil {
		return err
	}
	var open *pull
	err = c.retry(ctx, func() (err error) {
		open, err = c.openPull(ctx, r.branch, base)
		return err
	})
	if err != nil {
		return err
	}
	if open == nil {
		_, err = j.clone.git(ctx, "checkout", "--quiet", "-B", r.branch)
	} else {
		err = j.goOn(ctx, r.branch, base, from)
	}
	if err != nil {
		return err
	}

	err = j.part("promptecho record", func() error { return j.record(ctx, r) })
	if err != nil {
		return err
	}
	files, err := j.changedFiles(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintln(j.out, "Nothing was recorded: the branch and the pull request stay as they are.")
		return nil
	}
	err = j.part("promptecho verify", func() error {
		_, err := j.verify(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return j.propose(ctx, r, proposal{
		client: c, base: base, from: from, files: files, isOpen: open != nil,
	})
}

// A proposal has what a pull request is made of.
type proposal struct {
	client *client
	base   string   // the branch
	from   string   // its commit
	files  []string // the recorded files
	isOpen bool     // a pull request is
}

// propose commits and pushes the recordings, and writes the pull request.
func (j *job) propose(ctx context.Context, r renewal, p proposal) error {
	if err := j.clone.commit(ctx, r.title(), p.files); err != nil {
		return err
	}
	text, _, err := j.difference(ctx, p.from+"..HEAD")
	if err != nil {
		return err
	}
	if redact.IsCredential(text) {
		text = withheld
	}
	to := "HEAD:refs/heads/" + r.branch
	if !p.isOpen {
		to = "+" + to // over what an earlier pull request left
	}
	if _, err := j.clone.git(ctx, "push", "--quiet", "origin", to); err != nil {
		return err
	}
	return j.postPull(ctx, p.client, r, p.base, text)
}

// postPull opens or updates the pull request with a text, which the summary of the run gets, too.
func (j *job) postPull(ctx context.Context, c *client, r renewal, base, text string) error {
	text += fmt.Sprintf("<sub>Recorded by [this run](%s)</sub>\n", j.runURL())
	body, _ := fit(pullMarker, text, j.runURL())
	var result string
	err := c.retry(ctx, func() (err error) {
		result, err = c.writePull(ctx, pull{Title: r.title(), Body: body, Head: ref{r.branch}, Base: ref{base}})
		return err
	})
	summary := j.appendTo("GITHUB_STEP_SUMMARY", text)
	var refused *apiError
	if errors.As(err, &refused) && refused.isForbidden() {
		return fmt.Errorf("the recordings are on the branch %s, but the token may not open a pull request (%w).\n"+
			"Open it by hand: %s/%s/compare/%s...%s\n"+
			"For the next time: allow it under Settings > Actions > General > Workflow permissions, and give the job\n"+
			"  permissions: {contents: write, pull-requests: write}",
			r.branch, refused, j.getenv("GITHUB_SERVER_URL"), c.repo, base, r.branch)
	}
	if err == nil {
		fmt.Fprintln(j.out, result)
	}
	return errors.Join(err, summary)
}

// baseBranch returns the branch that the job has checked out.
func (j *job) baseBranch(ctx context.Context) (string, error) {
	if name := j.getenv("GITHUB_REF_NAME"); name != "" && j.getenv("GITHUB_REF_TYPE") != "tag" {
		return name, nil
	}
	name, err := j.clone.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return "", errors.New("no branch is checked out, so there is none for the pull request to go to: " +
			"run the workflow on a branch")
	}
	return name, nil
}

// goOn checks out the branch of an open pull request, and merges a commit of the base into it.
func (j *job) goOn(ctx context.Context, branch, base, from string) error {
	remote := "refs/remotes/origin/" + branch
	refspecs := []string{"+refs/heads/" + branch + ":" + remote, from}
	if j.clone.isShallow(ctx) {
		refspecs = append([]string{"--unshallow"}, refspecs...)
	}
	if err := j.clone.fetch(ctx, refspecs...); err != nil {
		return err
	}
	if _, err := j.clone.git(ctx, "checkout", "--quiet", "-B", branch, remote); err != nil {
		return err
	}
	_, err := j.clone.git(ctx, j.clone.identity(ctx, "merge", "--quiet", "--no-edit", from)...)
	if err != nil {
		_, _ = j.clone.git(ctx, "merge", "--abort")
		return fmt.Errorf("%s does not merge into %s, whose pull request is open: merge or close it: %w",
			base, branch, err)
	}
	return nil
}

// record runs promptecho record, with the keys of the job. Its output is printed without them. The
// tests do not get the token.
func (j *job) record(ctx context.Context, r renewal) error {
	cmd := exec.CommandContext(ctx, j.tool, r.recordArgs()...)
	cmd.Dir = string(j.clone)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GITHUB_TOKEN=")
	})
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &out
	err := cmd.Run()
	j.print(j.withoutKeys(out.String()))
	if err == nil {
		return nil
	}
	j.annotate(annotation{level: "error", text: fmt.Sprintf("promptecho record failed (%v): "+
		"nothing is pushed, and no pull request is opened. The log says what failed.", err)})
	return errReported
}

// withoutKeys returns a text without the keys of the job.
func (j *job) withoutKeys(text string) string {
	for _, name := range append(keys.Names(), "GITHUB_TOKEN") {
		if value := j.getenv(name); value != "" {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return text
}

// commit commits some files.
func (c clone) commit(ctx context.Context, subject string, files []string) error {
	if _, err := c.git(ctx, append([]string{"add", "--all", "--"}, files...)...); err != nil {
		return err
	}
	_, err := c.git(ctx, c.identity(ctx, "commit", "--quiet", "-m", subject)...)
	return err
}

// identity returns the arguments of a git command that commits. Without an author in the settings,
// the author is the account of the token of workflows.
func (c clone) identity(ctx context.Context, args ...string) []string {
	email, _ := c.git(ctx, "config", "user.email")
	if cmp.Or(email, os.Getenv("GIT_AUTHOR_EMAIL")) != "" {
		return args
	}
	return append([]string{
		"-c", "user.name=github-actions[bot]",
		"-c", "user.email=41898282+github-actions[bot]@users.noreply.github.com",
	}, args...)
}
