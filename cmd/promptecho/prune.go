package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
)

const pruneHelp = `prune [-w] [-json] [PATH ...]
list cassettes of tests that no longer exist; -w deletes them

Such an orphan is in testdata/cassettes, and named after a test, benchmark or
fuzz test that is in no test file of its package; and no test file mentions it.
So is the cassette of a test that opens recorders in its subtests only, and that
of a subtest whose test has none any more, if the text of the test proves it.
Files that recordings left next to it belong to it. Files with snapshots in
testdata/snapshots are orphans in the same way. Subtests are not known before
they run, so the cassette of a deleted subtest is not an orphan. Pinned and
broken cassettes stay. It also lists recordings of servers that PassThrough
names in the source of the package; a run in mode update drops them.

  -w      delete them, with their assets
  -json   print a list with an object for each file

The exit status is 1 if there are orphans, except with -w.
`

// A pruned is what prune says of one file.
type pruned struct {
	Path         string       `json:"path"`
	Kind         string       `json:"kind"` // as ls has it
	Code         finding.Code `json:"code"`
	Interactions int          `json:"interactions"`
	Snapshots    int          `json:"snapshots,omitempty"`
	PassThrough  string       `json:"pass_through,omitempty"` // what names the servers of these interactions, in a file whose test is there
	Why          string       `json:"why,omitempty"`          // no test opens it any more
	Deleted      bool         `json:"deleted"`
}

// runPrune names orphans, or deletes them.
func runPrune(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("prune", flag.ContinueOnError)
	write, asJSON := flags.Bool("w", false, ""), flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	list, err := prunable(paths, stderr)
	if err != nil {
		return err
	}
	number := 0 // of orphans
	for i := range list {
		if list[i].PassThrough != "" {
			continue
		}
		number++
		if !*write {
			continue
		}
		remove := cassette.Remove
		if list[i].Kind == isSnapshots {
			remove = removeSnapshots
		}
		if err := remove(list[i].Path); err != nil {
			return err
		}
		removeEmpty(filepath.Dir(list[i].Path))
		list[i].Deleted = true
	}
	if *asJSON {
		err = printJSON(stdout, list)
	} else {
		for _, l := range list {
			what := count(l.Interactions, "interaction")
			if l.PassThrough != "" {
				printLine(stdout, "%s: if its test uses %s, %s %s no longer needed; a run in mode update drops %s",
					l.Path, l.PassThrough, what, agreeing(l.Interactions, "is", "are"), itOrThem(l.Interactions))
				continue
			}
			if l.Kind == isSnapshots {
				what = count(l.Snapshots, "snapshot")
			}
			printLine(stdout, "%s: %s, %s: %s", l.Path, what, l.Why, map[bool]string{true: "deleted", false: "orphan"}[l.Deleted])
		}
		fmt.Fprintln(stdout, count(number, "orphan"))
	}
	if err == nil && number > 0 && !*write {
		err = found("there are orphans; promptecho prune -w deletes them")
	}
	return err
}

// prunable returns the files that no test opens any more, and those that have recordings of what
// passes through by now.
func prunable(paths []string, stderr io.Writer) ([]pruned, error) {
	files, err := allCassettes(paths)
	if err != nil {
		return nil, err
	}
	list, packages, passing, p := []pruned{}, testPackages{}, map[string][]passThrough{}, newProgress(stderr)
	defer p.end()
	for i, file := range files {
		p.step(i, len(files))
		kind := kindOf(file)
		owner := strings.TrimSuffix(strings.TrimSuffix(file, ".partial"), ".failed")
		if kind == isDerived {
			owner = original(file)
		}
		reason := packages.reason(owner)
		if reason == orphans.InUse {
			if n, where := passed(file, passing); n > 0 {
				list = append(list, pruned{Path: file, Kind: kind, Code: finding.RecordingLeftOver, Interactions: n, PassThrough: where})
			}
			continue
		}
		if f, err := load(file); err == nil && !f.Pinned {
			list = append(list, pruned{Path: file, Kind: kind, Code: codeOfOrphan(reason), Interactions: len(f.Interactions), Why: whyOrphan(reason)})
		}
	}
	snapshots, err := snapshotsOf(paths, packages)
	for _, f := range snapshots {
		if slices.Contains(f.state, stateOrphan) && f.problem == nil {
			list = append(list, pruned{Path: f.path, Kind: isSnapshots, Code: finding.TestGone, Snapshots: f.number, Why: whyOrphan(orphans.TestGone)})
		}
	}
	return list, err
}

// removeEmpty removes a folder of cassettes or snapshots that has become empty, and those above it.
func removeEmpty(dir string) {
	for filepath.Base(dir) != "testdata" && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}
