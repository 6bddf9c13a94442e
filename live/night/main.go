// Command night asks the providers of the tests in the module live, and reports what differs from
// the night before:
//
//	night REPORT
//
// It runs in the folder of the module, with the command promptecho on the PATH; .ci/live does both.
// Its exit status is 0 if nothing differs, 1 if something does, and 2 if it could not run.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: night REPORT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	status := 0
	r := new(report)
	err := r.run(ctx, cmp.Or(os.Getenv("LIVE_CASSETTES"), "testdata/cassettes"))
	if err != nil {
		r.problem("The run failed", err.Error())
		status = 2
	} else if len(r.problems) > 0 {
		status = 1
	}
	text := r.markdown()
	fmt.Print(text)
	if err := os.WriteFile(os.Args[1], []byte(text), 0o644); err != nil {
		fmt.Fprintf(os.Stderr, "night: %v\n", err)
		status = 2
	}
	os.Exit(status)
}

// run does the steps of a night in a folder that has the cassettes of the night before:
//
//	compare   asks the providers again, and compares their answers with the cassettes
//	record    records all answers anew
//	replay    plays them three times, with the race detector and without a key
//	verify    checks the cassettes: that they have no secret, for example
func (r *report) run(ctx context.Context, cassettes string) error {
	if err := removeLeftovers(cassettes); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(cassettes, "*.yaml"))
	if err != nil {
		return err
	}
	if len(old) > 0 {
		if err := compare(ctx, r); err != nil {
			return err
		}
	}
	if err := goTest(ctx, r, "record", "-count=1", os.Environ(), "PROMPTECHO_MODE=all"); err != nil {
		return err
	}
	// The cassettes of tests that failed are in the report as failed tests.
	if err := removeLeftovers(cassettes); err != nil {
		return err
	}
	if err := goTest(ctx, r, "replay", "-count=3", withoutKeys(os.Environ()), "PROMPTECHO_MODE=none"); err != nil {
		return err
	}
	return verify(ctx, r, cassettes)
}

// removeLeftovers deletes what failed and killed recordings have left next to cassettes.
func removeLeftovers(cassettes string) error {
	var left []string
	for _, pattern := range []string{"*.yaml.failed*", "*.yaml.partial*"} {
		found, err := filepath.Glob(filepath.Join(cassettes, pattern))
		if err != nil {
			return err
		}
		left = append(left, found...)
	}
	for _, file := range slices.Compact(left) {
		if err := os.RemoveAll(file); err != nil {
			return err
		}
	}
	return nil
}
