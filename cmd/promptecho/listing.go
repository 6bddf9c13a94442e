package main

import (
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A listing is what ls says of one file.
type listing struct {
	Path   string         `json:"path"`
	Kind   string         `json:"kind"`           // cassette, derived, journal, failed or snapshots
	Test   string         `json:"test,omitempty"` // by the name of the file
	Calls  map[string]int `json:"calls"`          // by kind: llm, http, tool, ...
	Models []string       `json:"models"`         // sorted
	tokens
	Modified time.Time    `json:"modified"`
	State    []fileState  `json:"state"`             // partial, pinned, failures, accepted, orphan, broken
	Code     finding.Code `json:"code,omitempty"`    // why it is broken
	Problem  string       `json:"problem,omitempty"` // the same, for people
}

// A lsTotal is the sum of listings.
type lsTotal struct {
	Cassettes int            `json:"cassettes"`
	Tests     int            `json:"tests"` // that have a cassette
	Calls     map[string]int `json:"calls"`
	tokens
	States map[fileState]int `json:"states"`
}

// text returns the sum as one line.
func (t lsTotal) text() string { return strings.Join(t.lines(), "; ") }

// lines returns the sum: what there is, and if there is something to be known of it, what.
func (t lsTotal) lines() (lines []string) {
	var states []string
	for _, s := range slices.Sorted(maps.Keys(t.States)) {
		name := string(s)
		if s == stateFailures {
			name = "with failures"
		}
		states = append(states, fmt.Sprintf("%d %s", t.States[s], name))
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
		line += fmt.Sprintf("; tokens: %s in, %s out", english.Thousands(t.InputTokens), english.Thousands(t.OutputTokens))
	}
	lines = append(lines, line)
	if len(states) > 0 {
		lines = append(lines, strings.Join(states, ", "))
	}
	return lines
}

// A fileState is a state of a file, as -json has it. The kind of a file that is
// not a cassette counts as one.
type fileState string

const (
	stateBroken   fileState = "broken"
	statePartial  fileState = "partial"
	statePinned   fileState = "pinned"
	stateFailures fileState = "failures"
	stateAccepted fileState = "accepted"
	stateOrphan   fileState = "orphan"
	stateToReview fileState = "to review"
)

// stateColumn is the index of STATE in lsColumns.
const stateColumn = 6

// The columns of ls.
var lsColumns = []column{
	{name: "CASSETTE", least: 24, cut: middle},
	{name: "CALLS", least: 12, cut: cutEnd},
	{name: "MODELS", least: 10, cut: cutEnd, paint: dimmed},
	{name: "IN", right: true},
	{name: "OUT", right: true},
	{name: "AGE", right: true, paint: dimmed},
	{name: "STATE", least: 8, cut: cutEnd},
}

func dimmed(string, int) string { return dim }

func stateNames(states []fileState) (names []string) {
	for _, s := range states {
		names = append(names, string(s))
	}
	return names
}

// badStates are the states and kinds of files that the user has to act on.
var badStates = []fileState{stateBroken, stateFailures, stateOrphan, statePartial, stateToReview, isFailed}

// stateColour is red if the user has to act on one of the states, else dim.
func stateColour(states []fileState) string {
	isBad := func(state fileState) bool { return slices.Contains(badStates, state) }
	if slices.ContainsFunc(states, isBad) {
		return red
	}
	return dim
}

// printListing prints a table of cassettes, folder by folder, subtests below their test, and
// then the sum.
func printListing(w io.Writer, list []listing, total lsTotal) error {
	p := newPrinter(w, false)
	rows := listingRows(list)
	if len(rows) > 0 {
		p.table(lsColumns, rows)
	}
	for i, line := range total.lines() {
		p.line(0, map[bool]string{true: bold}[i == 0], "%s", line)
	}
	return p.err
}

// listingRows returns the rows of cassettes.
func listingRows(list []listing) (rows []row) {
	byFolder, folders := map[string][]listing{}, []string{}
	for _, l := range list {
		folder, _ := inFolder(l.Path)
		if byFolder[folder] == nil {
			folders = append(folders, folder)
		}
		byFolder[folder] = append(byFolder[folder], l)
	}
	for _, folder := range folders {
		of := byFolder[folder]
		slices.SortStableFunc(of, func(a, b listing) int { return slices.Compare(placeIn(&a), placeIn(&b)) })
		rows = append(rows, row{cells: []string{folder}, colour: bold})
		var above []string
		for _, l := range of {
			names := placeIn(&l)
			for depth, name := range names[:len(names)-1] { // tests that have no cassette of their own
				if depth >= len(above) || above[depth] != name {
					above = append(above[:min(depth, len(above))], name)
					rows = append(rows, row{indent: 2 + 2*depth, cells: []string{name}, colour: dim})
				}
			}
			above = names
			rows = append(rows, rowOf(&l, names))
		}
	}
	return rows
}

// rowOf returns the row of one file.
func rowOf(l *listing, names []string) row {
	state := slices.Clone(l.State)
	r := row{indent: 2 * len(names), cells: []string{names[len(names)-1]}}
	if l.Kind != isCassette {
		state, r.colour = append([]fileState{fileState(l.Kind)}, state...), dim
	}
	r.cells = append(r.cells, orNone(calls(l.Calls), "-"), models(l.Models), number(l.InputTokens), number(l.OutputTokens), age(time.Since(l.Modified)), strings.Join(stateNames(state), ", "))
	r.colours = map[int]string{stateColumn: stateColour(state)}
	return r
}

// number returns a number, or nothing for 0.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return english.Thousands(n)
}

// inFolder splits the path of a file into the folder that cassettes of its package share, or
// its own, and what is below.
func inFolder(file string) (folder, below string) {
	file = filepath.ToSlash(file)
	if pkg, _, ok := testname.Split(filepath.Clean(file)); ok {
		folder = path.Join(filepath.ToSlash(pkg), testname.Folder)
		return folder, strings.TrimPrefix(strings.TrimPrefix(file, folder), "/")
	}
	return path.Dir(file), path.Base(file)
}

// placeIn returns where a file stands in its folder: the names of its test and subtest, or its
// own name. What stands beside a cassette has the place below it.
func placeIn(l *listing) []string {
	if l.Test != "" && l.Kind == isCassette {
		return strings.Split(l.Test, "/")
	}
	_, below := inFolder(l.Path)
	for _, end := range []string{".derived.yaml", ".yaml.failed", ".yaml.partial"} {
		if name, ok := strings.CutSuffix(filepath.Clean(l.Path), end); ok {
			if test, _ := testOf(name + ".yaml"); test != "" {
				return append(strings.Split(test, "/"), path.Base(below))
			}
		}
	}
	return strings.Split(below, "/")
}
