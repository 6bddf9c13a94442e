package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

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

// A pruned is a file that prune lists: an orphan, or a cassette with recordings of servers that
// PassThrough selects.
type pruned struct {
	Path         string       `json:"path"`
	Kind         string       `json:"kind"` // see kindOf
	Code         finding.Code `json:"code"`
	Interactions int          `json:"interactions"`
	Snapshots    int          `json:"snapshots,omitempty"`
	PassThrough  string       `json:"pass_through,omitempty"` // the call that selects the servers; empty for an orphan
	Why          string       `json:"why,omitempty"`          // why the file is an orphan
	Deleted      bool         `json:"deleted"`
}

// runPrune lists orphans, or deletes them.
func runPrune(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("prune", flag.ContinueOnError)
	write := flags.Bool("w", false, "")
	asJSON := flags.Bool("json", false, "")
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
		p := &list[i]
		if p.isOrphan() {
			number++
		}
		if p.isOrphan() && *write {
			if err := p.remove(); err != nil {
				return err
			}
		}
	}
	if *asJSON {
		err = printJSON(stdout, list)
	} else {
		for _, p := range list {
			printLine(stdout, "%s: %s", p.Path, p.text())
		}
		fmt.Fprintln(stdout, count(number, "orphan"))
	}
	if err == nil && number > 0 && !*write {
		err = found("there are orphans; promptecho prune -w deletes them")
	}
	return err
}

func (p *pruned) isOrphan() bool { return p.PassThrough == "" }

// remove deletes an orphan, and the folders that become empty.
func (p *pruned) remove() error {
	removeFile := cassette.Remove
	if p.Kind == isSnapshots {
		removeFile = removeSnapshots
	}
	if err := removeFile(p.Path); err != nil {
		return err
	}
	removeEmpty(filepath.Dir(p.Path))
	p.Deleted = true
	return nil
}

// text says in a line why prune lists a file, and whether it was deleted.
func (p *pruned) text() string {
	content := count(p.Interactions, "interaction")
	if !p.isOrphan() {
		return fmt.Sprintf("if its test uses %s, %s %s no longer needed; a run in mode update drops %s",
			p.PassThrough, content, agreeing(p.Interactions, "is", "are"), itOrThem(p.Interactions))
	}
	if p.Kind == isSnapshots {
		content = count(p.Snapshots, "snapshot")
	}
	state := "orphan"
	if p.Deleted {
		state = "deleted"
	}
	return fmt.Sprintf("%s, %s: %s", content, p.Why, state)
}

// prunable returns the orphans, and the cassettes with recordings of servers that PassThrough
// selects.
func prunable(paths []string, stderr io.Writer) ([]pruned, error) {
	files, err := allCassettes(paths)
	if err != nil {
		return nil, err
	}
	list := []pruned{}
	packages := testPackages{}
	passThroughs := map[string][]passThrough{}
	p := newProgress(stderr)
	defer p.end()
	for i, file := range files {
		p.step(i, len(files))
		reason := packages.reason(cassetteOfTest(file))
		if reason == orphans.InUse {
			n, where := passed(file, passThroughs)
			if n > 0 {
				list = append(list, pruned{
					Path:         file,
					Kind:         kindOf(file),
					Code:         finding.RecordingLeftOver,
					Interactions: n,
					PassThrough:  where,
				})
			}
			continue
		}
		f, err := load(file)
		if err != nil || f.Pinned {
			continue
		}
		list = append(list, pruned{
			Path:         file,
			Kind:         kindOf(file),
			Code:         codeOfOrphan(reason),
			Interactions: len(f.Interactions),
			Why:          whyOrphan(reason),
		})
	}

	snapshots, err := snapshotsOf(paths, packages)
	for _, f := range snapshots {
		if f.problem != nil || !slices.Contains(f.state, stateOrphan) {
			continue
		}
		list = append(list, pruned{
			Path:      f.path,
			Kind:      isSnapshots,
			Code:      finding.TestGone,
			Snapshots: f.number,
			Why:       whyOrphan(orphans.TestGone),
		})
	}
	return list, err
}

// removeEmpty removes a folder of cassettes or snapshots that has become empty, and those above it.
func removeEmpty(dir string) {
	for filepath.Base(dir) != "testdata" && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}
