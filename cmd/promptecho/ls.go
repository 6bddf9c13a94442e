package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
)

const lsHelp = `ls [-json] [PATH ...]
list cassettes: calls, models, tokens, age, state

A folder stands for all cassettes below it; the default is ".". AGE is that of
the oldest recording. If one has no date, it is ?, or 34d+ if the file, or its
last commit, has that age. STATE is nothing, or some of

  partial   the run that recorded it failed, or ran only part of its test
  pinned    no run writes it
  failures  it contains answers with an error status
  accepted  promptecho accept has put newer requests into it
  orphan    no test opens it: its test is gone, or has other subtests
  broken    it cannot be read; promptecho verify says why
  derived   recorded from live parts (option Live), next to the original
  journal   left by a run that is recording or was killed; the next resumes it
  failed    recorded by a run that failed, and kept out of the cassette

Files with snapshots are listed if they are orphans, broken or to be reviewed.

  -json   print {"cassettes": [...], "total": {...}}

The exit status is 1 if a cassette is broken.
`

// runLs lists cassettes.
func runLs(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("ls", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	files, err := allCassettes(paths)
	if err != nil {
		return err
	}
	list := []listing{}
	packages := testPackages{}
	p := newProgress(stderr)
	for i, file := range files {
		p.step(i, len(files))
		f, err := load(file)
		list = append(list, listed(file, f, err, packages))
	}
	p.end()
	snapshots, err := snapshotsOf(paths, packages)
	if err != nil {
		return err
	}
	for _, f := range snapshots {
		l := listing{
			Path:     f.path,
			Kind:     isSnapshots,
			Test:     f.test,
			Calls:    map[string]int{"snapshot": f.number},
			Models:   []string{},
			Modified: f.modified,
			State:    f.state,
		}
		if f.problem != nil {
			l.Code = f.problem.Code
			l.Problem = f.problem.String()
		}
		list = append(list, l)
	}
	dateByGit(list)
	total := sum(list)
	if *asJSON {
		err = printJSON(stdout, map[string]any{"cassettes": list, "total": total})
	} else {
		err = printListing(stdout, list, total)
	}
	if err != nil {
		return err
	}
	if broken := total.States[stateBroken]; broken > 0 {
		return found(fmt.Sprintf("%s cannot be read: promptecho verify says why", count(broken, "file")))
	}
	return nil
}

// listed returns the listing of a file; f and err are the results of load.
func listed(file string, f *cassette.File, err error, packages testPackages) listing {
	l := listing{
		Path:   file,
		Kind:   kindOf(file),
		Calls:  map[string]int{},
		Models: []string{},
		State:  []fileState{},
	}
	if l.Kind == isCassette {
		l.Test, _ = testOf(file)
	}
	if info, err := os.Stat(file); err == nil {
		l.Modified = info.ModTime().Truncate(time.Second)
	}
	if err != nil {
		l.State = append(l.State, stateBroken)
		l.Code = finding.CodeOf(err)
		l.Problem = err.Error()
		return l
	}
	hasFailures := false
	hasAccepted := false
	hasFake := false
	var rules canon.Options
	for _, it := range f.Interactions {
		form := rules.Form(&it.Request)
		l.Calls[conversation.KindOf(form, &it.Request)]++
		if form.Model != "" && !slices.Contains(l.Models, form.Model) {
			l.Models = append(l.Models, form.Model)
		}
		hasFailures = hasFailures || it.Response.Status >= 400
		hasAccepted = hasAccepted || it.Accepted
		hasFake = hasFake || it.Fake
	}
	l.tokens = tokensOf(f.Interactions)
	l.ages = agesOf(f.Interactions)
	l.Oldest = l.ages.oldest
	l.Undated = l.ages.unknown
	slices.Sort(l.Models)
	for _, s := range []struct {
		name fileState
		is   bool
	}{
		{statePartial, f.Partial && l.Kind == isCassette},
		{statePinned, f.Pinned},
		{stateFailures, hasFailures},
		{stateAccepted, hasAccepted},
		{stateFake, hasFake},
		{stateOrphan, l.Kind == isCassette && packages.orphaned(file)},
	} {
		if s.is {
			l.State = append(l.State, s.name)
		}
	}
	return l
}

// sum returns the sum of listings. A file that is not a cassette counts only by its kind.
func sum(list []listing) lsTotal {
	t := lsTotal{Calls: map[string]int{}, States: map[fileState]int{}}
	tests := map[testKey]bool{}
	for _, l := range list {
		for _, s := range l.State {
			t.States[s]++
		}
		if l.Kind != isCassette {
			t.States[fileState(l.Kind)]++
			continue
		}
		t.Cassettes++
		name, pkg := testOf(l.Path)
		if name != "" && !slices.Contains(l.State, stateOrphan) {
			tests[testKey{pkg, name}] = true
		}
		for kind, n := range l.Calls {
			t.Calls[kind] += n
		}
		t.add(l.tokens)
	}
	t.Tests = len(tests)
	return t
}
