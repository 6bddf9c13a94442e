package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/page"
	"github.com/promptecho/promptecho/internal/cassette"
)

// A viewer makes the page of the cassettes at some paths.
type viewer struct {
	paths []string
	ref   string // the revision to compare with; empty for HEAD, if there is one
	notes mutateNotes
}

// page reads the cassettes and makes the page of them. old and fresh are the paths of two cassettes
// to compare; empty if there are none. The page has the problems of single cassettes.
func (v *viewer) page(old, fresh string, progress *progress) (*page.Page, error) {
	files, err := allCassettes(v.paths)
	if err != nil {
		return nil, err
	}
	p := &page.Page{Title: titleOf(v.paths), Old: old, New: fresh}
	if old == "" && v.ref == "" {
		p.Old, p.New = v.twoFiles(files, fresh)
	}

	read := map[string]*cassette.File{}
	listings := []listing{}
	packages := testPackages{}
	for i, file := range files {
		progress.step(i, len(files))
		f, err := load(file)
		listings = append(listings, listed(file, f, err, packages))
		if err == nil {
			read[file] = f
		}
	}
	dateByGit(listings)
	slices.SortStableFunc(listings, func(a, b listing) int {
		return cmp.Or(
			strings.Compare(packageOf(a.Path), packageOf(b.Path)),
			slices.Compare(placeIn(&a), placeIn(&b)),
		)
	})
	for i := range listings {
		c := cassetteOf(&listings[i])
		if f := read[c.Path]; f != nil {
			addCalls(c, f)
			v.notes.add(c)
		}
		p.Cassettes = append(p.Cassettes, c)
	}
	progress.end()
	p.Total = sum(listings).text()

	c := comparer{page: p, read: read}
	if err := c.compareChosen(); err != nil {
		p.Problem = err.Error()
	}
	c.compareAdjacent()
	return p, c.compareRevision(v.ref, v.paths)
}

// twoFiles returns the paths to compare if the arguments of the verb are two cassettes.
func (v *viewer) twoFiles(files []string, fresh string) (oldPath, newPath string) {
	if len(v.paths) != 2 {
		return "", fresh
	}
	first := filepath.Clean(v.paths[0])
	second := filepath.Clean(v.paths[1])
	if !slices.Contains(files, first) || !slices.Contains(files, second) {
		return "", fresh
	}
	return first, second
}

// titleOf returns the title of a page: the paths, with the name of the folder in place of ".".
func titleOf(paths []string) string {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var names []string
	for _, p := range paths {
		if base := filepath.Base(p); base == "." || base == ".." {
			if abs, err := filepath.Abs(p); err == nil {
				p = filepath.Base(abs)
			}
		}
		names = append(names, p)
	}
	return strings.Join(names, ", ")
}

// cassetteOf returns a cassette for the page, as ls lists it.
func cassetteOf(l *listing) *page.Cassette {
	c := &page.Cassette{
		Path:     l.Path,
		Name:     cmp.Or(l.Test, filepath.Base(l.Path)),
		Folder:   packageOf(l.Path),
		Place:    placeIn(l),
		Kind:     l.Kind,
		Calls:    calls(l.Calls),
		Models:   modelNames(l.Models),
		Input:    l.InputTokens,
		Output:   l.OutputTokens,
		Modified: l.Modified,
		Age:      l.age(),
		States:   stateNames(l.State),
		Problem:  l.Problem,
	}
	if l.Kind != isCassette {
		c.States = append([]string{l.Kind}, c.States...)
	}
	return c
}

// addCalls adds the recorded values and the calls of a cassette, as show prints them.
func addCalls(c *page.Cassette, f *cassette.File) {
	s := newShownCassette(c.Path, f)
	if !s.Time.IsZero() {
		c.Values = append(c.Values, page.Field{Name: "time", Text: s.Time.Format(time.RFC3339)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Values = append(c.Values, page.Field{Name: name, Text: s.Env[name]})
	}
	for i, depth := range depths(s.Interactions) {
		e := s.Interactions[i]
		var omits headlineOmits
		if len(s.Interactions) == 1 { // the head of the cassette has the same
			omits = headlineOmits{model: e.Model == c.Models, tokens: true}
		}
		c.List = append(c.List, callOf(e, s.stored[i], depth, c.Path, omits))
	}
}

// A comparer adds comparisons to a page.
type comparer struct {
	page *page.Page
	read map[string]*cassette.File // by path; without those that cannot be read
}

// add adds a difference, to be shown with the cassette at a path.
func (c *comparer) add(name, path string, d *difference) {
	c.page.Compared = append(c.page.Compared, comparisonOf(name, path, d))
}

// compareChosen compares the two cassettes that the user chose, if there are any.
func (c *comparer) compareChosen() error {
	p := c.page
	if p.Old == "" && p.New == "" {
		return nil
	}
	for _, file := range []string{p.Old, p.New} {
		if c.read[file] == nil {
			return fmt.Errorf("%q cannot be compared: it is not one of these cassettes, or cannot be read", file)
		}
	}
	c.add("Two cassettes", "", compare(p.Old, p.New, c.read[p.Old], c.read[p.New]))
	return nil
}

// compareAdjacent compares each cassette with the files next to it: what a run with live parts has
// recorded, and the recording of a run that failed.
func (c *comparer) compareAdjacent() {
	for _, other := range c.page.Cassettes {
		path := original(other.Path)
		if other.Kind == isFailed {
			path = strings.TrimSuffix(other.Path, ".failed")
		}
		if c.read[path] == nil || c.read[other.Path] == nil {
			continue
		}
		name := filepath.Base(other.Path) + " compared with " + filepath.Base(path)
		c.add(name, path, compare(path, other.Path, c.read[path], c.read[other.Path]))
	}
}

// maxRevisions is the largest number of cassettes that are compared with a revision: git needs some
// milliseconds for each.
const maxRevisions = 100

// compareRevision compares cassettes with a git revision. If ref is empty, it compares them with
// HEAD, and a missing HEAD or git is not an error.
func (c *comparer) compareRevision(ref string, paths []string) error {
	name := cmp.Or(ref, "HEAD")
	isOptional := ref == ""
	changed, unknown, err := changedAt(name, paths)
	if err != nil {
		if isOptional {
			return nil
		}
		return err
	}
	if len(changed) > maxRevisions {
		c.page.Problem = fmt.Sprintf("%s may differ from %s; only %d "+
			"are compared here: promptecho diff compares all",
			count(len(changed), "file"), name, maxRevisions)
		changed = changed[:maxRevisions]
	}
	for _, file := range changed {
		d, err := diffRevision(name, file, false)
		if err != nil {
			_, errCommit := commitOf(name, filepath.Dir(file))
			if isOptional && errCommit != nil {
				continue
			}
			d = &difference{
				Old:     file + " (" + name + ")",
				New:     file,
				problem: "cannot be compared: " + err.Error(),
			}
		}
		switch {
		case d == nil:
		case d.Old == "":
			unknown = append(unknown, file)
		case d.problem != "" || len(d.Calls)+len(d.Env) > 0:
			c.add(filepath.Base(file)+" since "+name, file, d)
		}
	}
	for _, other := range c.page.Cassettes {
		if slices.Contains(unknown, other.Path) {
			other.States = append(other.States, "new")
		}
	}
	return nil
}
