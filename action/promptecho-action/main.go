// Command promptecho-action does what the steps of the GitHub action do (action/action.yml):
//
//	promptecho-action run      checks the cassettes of a job, and comments on its pull request
//	promptecho-action issue    keeps one issue up to date with a report
//	promptecho-action renew    records again what is old, and opens a pull request with it
//
// It reads the variables of a runner, such as GITHUB_EVENT_PATH, GITHUB_REPOSITORY and
// GITHUB_API_URL, and GITHUB_TOKEN, which is never printed
// (https://docs.github.com/en/actions/reference/workflows-and-actions/variables).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

const usage = `usage: promptecho-action run
       promptecho-action issue -label LABEL -title TITLE [-solved] REPORT
       promptecho-action renew [-older AGE | -all] [-branch BRANCH] [PACKAGE ...]`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	j := &job{getenv: os.Getenv, out: os.Stdout, clone: ".", tool: sibling("promptecho"), sleep: sleep}
	err := j.main(ctx, os.Args[1:])
	if err == nil {
		return
	}
	if !errors.Is(err, errReported) {
		j.annotate(annotation{level: "error", text: err.Error()})
	}
	os.Exit(1)
}

// main runs a verb.
func (j *job) main(ctx context.Context, args []string) error {
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch verb {
	case "run":
		return j.run(ctx)
	case "issue":
		flags := flag.NewFlagSet("issue", flag.ContinueOnError)
		label := flags.String("label", "", "the label by which the issue is found")
		title := flags.String("title", "", "the title of a new issue")
		solved := flags.Bool("solved", false, "close the issue, if it is open, with the report as its text")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		if flags.NArg() != 1 || *label == "" || *title == "" {
			return errors.New(usage)
		}
		report, err := os.ReadFile(flags.Arg(0))
		if err != nil {
			return fmt.Errorf("the report cannot be read: %w", err)
		}
		return j.issue(ctx, *label, *title, string(report), *solved)
	case "renew":
		r, err := parseRenewal(args[1:])
		if err != nil {
			return err
		}
		return j.renew(ctx, r)
	default:
		return errors.New(usage)
	}
}

// run is the action: it protects the job from recording, checks the cassettes, and comments on
// the pull request. Each part runs whatever the others have found, so that one run of the job
// shows everything.
func (j *job) run(ctx context.Context) error {
	var failed []error
	hasSecret := false
	if j.getenv("INPUT_GUARD") != "false" {
		err := j.part("promptecho: nothing records", func() error { return j.guard(ctx) })
		failed = append(failed, err)
	}
	err := j.part("promptecho verify", func() (err error) {
		hasSecret, err = j.verify(ctx)
		return err
	})
	failed = append(failed, err)
	if j.getenv("INPUT_COMMENT") != "false" {
		err := j.part("promptecho diff", func() error { return j.comment(ctx, hasSecret) })
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// sibling returns the path of a command in the folder of this one: the action builds both.
func sibling(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name // found by PATH
	}
	return filepath.Join(filepath.Dir(self), name)
}

// sleep waits, or returns early with the error of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
