package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// compare asks the providers again. A difference that programs depend on fails a test.
func compare(ctx context.Context, r *report) error {
	args := append([]string{"compare", "-json"}, race()...)
	out, err := command(ctx, os.Environ(), "promptecho", append(args, ".")...)
	if err != nil {
		return err
	}
	var run struct {
		Tests []struct {
			Test, Status, Output     string
			Causes                   []struct{ Detail string }
			Identical, Benign, Drift int
			NotCompared              int `json:"not_compared"`
			NotSent                  int `json:"not_sent"`
		}
		Failures []struct{ Package, Output string }
	}
	if err := json.Unmarshal(out.stdout, &run); err != nil {
		return fmt.Errorf("promptecho compare -json: %w", err)
	}
	for _, t := range run.Tests {
		var counts []string
		for _, n := range []struct {
			count int
			what  string
		}{
			{t.Identical, "identical"},
			{t.Benign, "benign"},
			{t.Drift, "drift"},
			{t.NotCompared, "not compared"},
			{t.NotSent, "not sent"},
		} {
			if n.count > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n.count, n.what))
			}
		}
		r.set(t.Test, "compare", strings.Join(counts, ", "))
		if t.Status != "fail" {
			continue
		}
		output := t.Output
		if len(t.Causes) > 0 {
			output = ""
			for _, cause := range t.Causes {
				output += cause.Detail + "\n"
			}
		}
		r.problem(t.Test+": the provider does not answer as last night", output)
	}
	for _, f := range run.Failures {
		r.problem("compare: "+f.Package, f.Output)
	}
	return nil
}

// race returns the flag for the race detector, unless LIVE_RACE=0. All steps have it, so that the
// SDKs compile once.
func race() []string {
	if os.Getenv("LIVE_RACE") == "0" {
		return nil
	}
	return []string{"-race"}
}

// A testEvent is a line of go test -json (go doc test2json).
type testEvent struct{ Action, Test, Output string }

// goTest runs the tests in a record mode, and notes the result of each.
func goTest(ctx context.Context, r *report, step, count string, env []string, mode string) error {
	args := append([]string{"test", count, "-timeout=20m", "-json"}, race()...)
	out, err := command(ctx, append(env, mode), "go", append(args, ".")...)
	if err != nil {
		return err
	}
	outputs := map[string]string{"": string(out.stderr)} // by test; that of the package is at ""
	results := map[string]string{}
	var names []string
	for line := range bytes.Lines(out.stdout) {
		var e testEvent
		if json.Unmarshal(line, &e) != nil {
			outputs[""] += string(line) // the go command itself
			continue
		}
		switch {
		case e.Action == "output" || e.Action == "build-output":
			outputs[e.Test] += e.Output
		case e.Test == "":
		case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
			if results[e.Test] == "" {
				names = append(names, e.Test)
			}
			if results[e.Test] != "fail" { // one of several runs may fail
				results[e.Test] = e.Action
			}
		}
	}

	problems := 0
	for _, name := range names {
		r.set(name, step, results[name])
		if results[name] == "fail" {
			problems++
			r.problem(fmt.Sprintf("%s: %s fails", name, step), outputs[name])
		}
		if results[name] == "skip" {
			r.skipped(name, outputs[name])
		}
	}
	if out.failed && problems == 0 {
		r.problem(step+" fails", outputs[""])
	}
	return nil
}

// verify checks the cassettes.
func verify(ctx context.Context, r *report, cassettes string) error {
	_, err := os.Stat(cassettes)
	if errors.Is(err, os.ErrNotExist) {
		return nil // all tests were skipped
	}
	out, err := command(ctx, os.Environ(), "promptecho", "verify", cassettes)
	if err == nil && out.failed {
		r.problem("promptecho verify", string(out.stdout))
	}
	return err
}

// A result is what a command has written.
type result struct {
	stdout, stderr []byte
	failed         bool // its exit status is 1: it found something, or a test failed
}

// command runs a command. An exit status of more than 1 is an error, with what the command wrote to
// its standard error.
func command(ctx context.Context, env []string, name string, args ...string) (r result, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = env
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err = cmd.Run()
	r = result{stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		r.failed = true
		return r, nil
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, args[0], err, r.stderr)
	}
	return r, err
}
