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
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A listing has what ls prints about one file.
type listing struct {
	Path   string         `json:"path"`
	Kind   string         `json:"kind"`           // cassette, derived, journal, failed or snapshots
	Test   string         `json:"test,omitempty"` // by the name of the file
	Calls  map[string]int `json:"calls"`          // by kind: llm, http, tool, ...
	Models []string       `json:"models"`         // sorted
	tokens
	Modified time.Time        `json:"modified"`
	Oldest   interaction.Date `json:"oldest,omitempty"`  // the day of the oldest recording, if any is known
	Undated  int              `json:"undated,omitempty"` // recordings of unknown age
	State    []fileState      `json:"state"`             // see fileState
	Code     finding.Code     `json:"code,omitempty"`    // why it is broken
	Problem  string           `json:"problem,omitempty"` // the same in words

	ages ageRange
}

// age returns the text of the column AGE.
func (l *listing) age() string {
	now := time.Now()
	return columnAge(l.ages, now.Sub(l.Modified), interaction.DateOf(now))
}

// A lsTotal is the sum of listings.
type lsTotal struct {
	Cassettes int            `json:"cassettes"`
	Tests     int            `json:"tests"` // with a cassette
	Calls     map[string]int `json:"calls"`
	tokens
	States map[fileState]int `json:"states"`
}

// text returns the sum as one line.
func (t lsTotal) text() string { return strings.Join(t.lines(), "; ") }

// lines returns the sum in one or two lines: the counts, and the states if there are any.
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
	line := fmt.Sprintf("%s of %s: %s",
		count(t.Cassettes, "cassette"), count(t.Tests, "test"), count(int(all), "call"))
	if len(t.Calls) > 1 {
		line += " (" + calls(t.Calls) + ")"
	}
	if t.InputTokens+t.OutputTokens > 0 {
		line += fmt.Sprintf("; tokens: %s in, %s out",
			english.Thousands(t.InputTokens), english.Thousands(t.OutputTokens))
	}
	lines = append(lines, line)
	if len(states) > 0 {
		lines = append(lines, strings.Join(states, ", "))
	}
	return lines
}

// A fileState is a state of a file, as -json prints it. The kind of a file that is not a cassette
// counts as a state.
type fileState string

const (
	stateBroken   fileState = "broken"
	statePartial  fileState = "partial"
	statePinned   fileState = "pinned"
	stateFailures fileState = "failures"
	stateAccepted fileState = "accepted"
	stateFake     fileState = "fake"
	stateOrphan   fileState = "orphan"
	stateToReview fileState = "to review"
)

// stateColumn is the index of STATE in lsColumns.
const stateColumn = 6

// The columns of ls.
var lsColumns = []column{
	{name: "CASSETTE", minWidth: 24, cut: middle},
	{name: "CALLS", minWidth: 12, cut: cutEnd},
	{name: "MODELS", minWidth: 10, cut: cutEnd, paint: dimmed},
	{name: "IN", alignRight: true},
	{name: "OUT", alignRight: true},
	{name: "AGE", alignRight: true, paint: dimmed},
	{name: "STATE", minWidth: 8, cut: cutEnd},
}

// dimmed is the colour of columns that matter less.
func dimmed(string, int) string { return dim }

func stateNames(states []fileState) (names []string) {
	for _, s := range states {
		names = append(names, string(s))
	}
	return names
}

// badStates are the states and kinds of files that the user has to act on.
var badStates = []fileState{stateBroken, stateFailures, stateOrphan, statePartial, stateToReview, isFailed}

// stateColour returns red if the user has to act on one of the states, otherwise dim.
func stateColour(states []fileState) string {
	isBad := func(state fileState) bool { return slices.Contains(badStates, state) }
	if slices.ContainsFunc(states, isBad) {
		return red
	}
	return dim
}

// printListing prints a table of cassettes, folder by folder, with subtests below their test, and
// then the sum.
func printListing(w io.Writer, list []listing, total lsTotal) error {
	p := newPrinter(w, false)
	rows := listingRows(list)
	if len(rows) > 0 {
		p.table(lsColumns, rows)
	}
	colour := bold // of the first line
	for _, line := range total.lines() {
		p.line(0, colour, "%s", line)
		colour = ""
	}
	return p.err
}

// listingRows returns the rows of cassettes, with headings for their folders.
func listingRows(list []listing) (rows []row) {
	byFolder := map[string][]listing{}
	var folders []string
	for _, l := range list {
		folder, _ := inFolder(l.Path)
		if byFolder[folder] == nil {
			folders = append(folders, folder)
		}
		byFolder[folder] = append(byFolder[folder], l)
	}
	for _, folder := range folders {
		rows = append(rows, row{cells: []string{folder}, colour: bold})
		rows = append(rows, folderRows(byFolder[folder])...)
	}
	return rows
}

// folderRows returns the rows of the cassettes in one folder, with headings for tests that have
// subtests and no cassette of their own.
func folderRows(list []listing) (rows []row) {
	slices.SortStableFunc(list, func(a, b listing) int { return slices.Compare(placeIn(&a), placeIn(&b)) })
	var previous []string // the place of the row before
	for _, l := range list {
		place := placeIn(&l)
		for depth, name := range place[:len(place)-1] {
			hasRow := depth < len(previous) && previous[depth] == name
			if !hasRow {
				previous = append(previous[:min(depth, len(previous))], name)
				rows = append(rows, row{indent: 2 + 2*depth, cells: []string{name}, colour: dim})
			}
		}
		previous = place
		rows = append(rows, rowOf(&l, place))
	}
	return rows
}

// rowOf returns the row of one file.
func rowOf(l *listing, place []string) row {
	states := slices.Clone(l.State)
	r := row{indent: 2 * len(place)}
	if l.Kind != isCassette {
		states = append([]fileState{fileState(l.Kind)}, states...)
		r.colour = dim
	}
	r.cells = []string{ // see lsColumns
		place[len(place)-1],
		orNone(calls(l.Calls), "-"),
		modelNames(l.Models),
		number(l.InputTokens),
		number(l.OutputTokens),
		l.age(),
		strings.Join(stateNames(states), ", "),
	}
	r.colours = map[int]string{stateColumn: stateColour(states)}
	return r
}

// number returns a number as text, "" for 0.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return english.Thousands(n)
}

// inFolder splits the path of a file. folder is that of the cassettes of its package or, if the file
// is not there, its own. below is the rest of the path.
func inFolder(file string) (folder, below string) {
	file = filepath.ToSlash(file)
	pkg, _, ok := testname.Split(filepath.Clean(file))
	if !ok {
		return path.Dir(file), path.Base(file)
	}
	folder = path.Join(filepath.ToSlash(pkg), filepath.ToSlash(testname.Folder))
	return folder, strings.TrimPrefix(strings.TrimPrefix(file, folder), "/")
}

// placeIn returns the place of a file in its folder: the names of its test and subtests. A file next
// to the cassette of a test has its own name behind these. A file without a test has the elements of
// its path.
func placeIn(l *listing) []string {
	if l.Test != "" && l.Kind == isCassette {
		return strings.Split(l.Test, "/")
	}
	_, below := inFolder(l.Path)
	for _, end := range []string{".derived.yaml", ".yaml.failed", ".yaml.partial"} {
		name, ok := strings.CutSuffix(filepath.Clean(l.Path), end)
		if !ok {
			continue
		}
		if test, _ := testOf(name + ".yaml"); test != "" {
			return append(strings.Split(test, "/"), path.Base(below))
		}
	}
	return strings.Split(below, "/")
}
