package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/conversation"
)

const lsHelp = `ls [-json] [PATH ...]
list cassettes: calls, models, tokens, age, state

A folder stands for all cassettes below it; the default is ".". AGE is that of
the file, or of its last commit if that is older. STATE is nothing, or some of

  partial   the run that recorded it failed, or ran only part of its test
  pinned    no run writes it
  failures  it holds answers with an error status
  accepted  promptecho accept has put newer requests into it
  orphan    its test is gone: no test file of its package has or mentions it
  broken    it cannot be read; promptecho verify says why
  derived   recorded from live parts (option Live), next to the original
  journal   of a recording that runs or was killed; the next run resumes it
  failed    recorded by a run that failed, and kept out of the cassette

Files with snapshots are listed if they are orphans, broken, or if something is
to review.

  -json   print {"cassettes": [...], "total": {...}}

The exit status is 1 if a cassette is broken.
`

// A listing is what ls says of one file.
type listing struct {
	Path   string         `json:"path"`
	Kind   string         `json:"kind"`           // cassette, derived, journal, failed or snapshots
	Test   string         `json:"test,omitempty"` // by the name of the file
	Calls  map[string]int `json:"calls"`          // by kind: llm, http, tool, ...
	Models []string       `json:"models"`         // sorted
	tokens
	Modified time.Time `json:"modified"`
	State    []string  `json:"state"` // partial, pinned, failures, accepted, orphan, broken
	Problem  string    `json:"problem,omitempty"`
}

// A lsTotal is the sum of listings.
type lsTotal struct {
	Cassettes int            `json:"cassettes"`
	Tests     int            `json:"tests"` // that have a cassette
	Calls     map[string]int `json:"calls"`
	tokens
	States map[string]int `json:"states"`
}

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
	list, packages, p := []listing{}, testPackages{}, newProgress(stderr)
	for i, file := range files {
		p.step(i, len(files))
		list = append(list, list1(file, packages))
	}
	p.end()
	snapshots, err := snapshotsOf(paths, packages)
	if err != nil {
		return err
	}
	for _, f := range snapshots {
		list = append(list, listing{Path: f.path, Kind: isSnapshots, Test: f.test, Calls: map[string]int{"snapshot": f.number}, Models: []string{}, Modified: f.modified, State: f.state, Problem: f.problem})
	}
	dateByGit(list)
	total := sum(list)
	if *asJSON {
		err = printJSON(stdout, map[string]any{"cassettes": list, "total": total})
	} else {
		err = printListing(stdout, list, total)
	}
	if err == nil && total.States["broken"] > 0 {
		err = found(fmt.Sprintf("%s cannot be read: promptecho verify says why", count(total.States["broken"], "file")))
	}
	return err
}

// list1 looks at one file.
func list1(file string, packages testPackages) listing {
	f, err := load(file)
	return listed(file, f, err, packages)
}

// listed says what a file is, of which load returned f and err.
func listed(file string, f *cassette.File, err error, packages testPackages) listing {
	l := listing{Path: file, Kind: kindOf(file), Calls: map[string]int{}, Models: []string{}, State: []string{}}
	if l.Kind == isCassette {
		l.Test, _ = testOf(file)
	}
	if info, err := os.Stat(file); err == nil {
		l.Modified = info.ModTime().Truncate(time.Second)
	}
	if err != nil {
		l.State, l.Problem = append(l.State, "broken"), err.Error()
		return l
	}
	failures, accepted := false, false
	var rules canon.Options
	for _, it := range f.Interactions {
		form := rules.Form(&it.Request)
		l.Calls[conversation.KindOf(form, &it.Request)]++
		if form.Model != "" && !slices.Contains(l.Models, form.Model) {
			l.Models = append(l.Models, form.Model)
		}
		failures = failures || it.Response.Status >= 400
		accepted = accepted || it.Accepted
	}
	l.tokens = tokensOf(f.Interactions)
	slices.Sort(l.Models)
	for _, s := range []struct {
		name string
		is   bool
	}{
		{"partial", f.Partial && l.Kind == isCassette},
		{"pinned", f.Pinned},
		{"failures", failures},
		{"accepted", accepted},
		{"orphan", l.Kind == isCassette && packages.orphaned(file)},
	} {
		if s.is {
			l.State = append(l.State, s.name)
		}
	}
	return l
}

// sum adds up cassettes. What stands beside them counts by its kind only.
func sum(list []listing) lsTotal {
	t := lsTotal{Calls: map[string]int{}, States: map[string]int{}}
	named := map[string]bool{}
	for _, l := range list {
		for _, s := range l.State {
			t.States[s]++
		}
		if l.Kind != isCassette {
			t.States[l.Kind]++
			continue
		}
		t.Cassettes++
		if name, pkg := testOf(l.Path); name != "" && !slices.Contains(l.State, "orphan") {
			named[pkg+"\x00"+name] = true
		}
		for kind, n := range l.Calls {
			t.Calls[kind] += n
		}
		t.add(l.tokens)
	}
	t.Tests = len(named)
	return t
}

// text returns the sum as one line.
func (t lsTotal) text() string { return strings.Join(t.lines(), "; ") }

// lines returns the sum: what there is, and if there is something to be known of it, what.
func (t lsTotal) lines() (lines []string) {
	var states []string
	for _, s := range slices.Sorted(maps.Keys(t.States)) {
		states = append(states, fmt.Sprintf("%d %s", t.States[s], strings.ReplaceAll(s, "failures", "with failures")))
	}
	all := int64(0)
	for _, n := range t.Calls {
		all += int64(n)
	}
	line := fmt.Sprintf("%s of %s: %s", count(t.Cassettes, "cassette"), count(t.Tests, "test"), count(int(all), "call"))
	if len(t.Calls) > 1 {
		line += " (" + calls(t.Calls) + ")"
	}
	if t.InputTokens+t.OutputTokens > 0 {
		line += fmt.Sprintf("; tokens: %s in, %s out", thousands(t.InputTokens), thousands(t.OutputTokens))
	}
	if lines = append(lines, line); len(states) > 0 {
		lines = append(lines, strings.Join(states, ", "))
	}
	return lines
}

// calls returns "3 llm, 2 tool".
func calls(byKind map[string]int) string {
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, b string) int {
		if (a == "llm") != (b == "llm") {
			return map[bool]int{true: -1, false: 1}[a == "llm"]
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", byKind[kind], kind)
	}
	return strings.Join(kinds, ", ")
}

// models returns the names of some models.
func models(names []string) string {
	const shown = 2
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, +%d", strings.Join(names[:shown], ", "), len(names)-shown)
}

func orNone(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

// count returns "1 call" or "2 calls".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(int64(n)) + " " + what
}

// thousands returns 12,345.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// age returns how long ago something was, in one unit. A cassette that was just written is
// dated ten minutes ahead, for the go command's cache.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "min"
	case d < day:
		return strconv.Itoa(int(d.Hours())) + "h"
	case d < 365*day:
		return strconv.Itoa(int(d/day)) + "d"
	}
	return strconv.Itoa(int(d/(365*day))) + "y"
}
