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
	ref   string // the revision to compare with; "" is HEAD, if there is one
}

// page reads the cassettes and makes the page of them. old and fresh are two that are to be
// compared, "" for none. What is wrong with one cassette is said on the page.
func (v *viewer) page(old, fresh string, progress *progress) (*page.Page, error) {
	files, err := allCassettes(v.paths)
	if err != nil {
		return nil, err
	}
	p := &page.Page{Title: titleOf(v.paths), Old: old, New: fresh}
	if len(v.paths) == 2 && v.ref == "" && old == "" && slices.Contains(files, filepath.Clean(v.paths[0])) && slices.Contains(files, filepath.Clean(v.paths[1])) {
		p.Old, p.New = filepath.Clean(v.paths[0]), filepath.Clean(v.paths[1])
	}
	read, listings, packages := map[string]*cassette.File{}, []listing{}, testPackages{}
	for i, file := range files {
		progress.step(i, len(files))
		f, err := load(file)
		l := listed(file, f, err, packages)
		listings = append(listings, l)
		if err == nil {
			read[file] = f
		}
	}
	dateByGit(listings)
	slices.SortStableFunc(listings, func(a, b listing) int {
		return cmp.Or(strings.Compare(packageOf(a.Path), packageOf(b.Path)), slices.Compare(placeIn(&a), placeIn(&b)))
	})
	for i := range listings {
		c := cassetteOf(&listings[i])
		if f := read[c.Path]; f != nil {
			fill(c, f)
		}
		p.Cassettes = append(p.Cassettes, c)
	}
	progress.end()
	p.Total = sum(listings).text()
	c := comparer{page: p, read: read}
	if err := c.chosen(); err != nil {
		p.Problem = err.Error()
	}
	c.beside()
	return p, c.revision(v.ref, v.paths)
}

// titleOf returns what a page of some paths is of: their names, which "." has none of.
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

// cassetteOf returns what ls says of a cassette.
func cassetteOf(l *listing) *page.Cassette {
	c := &page.Cassette{
		Path: l.Path, Name: cmp.Or(l.Test, filepath.Base(l.Path)), Folder: packageOf(l.Path), Place: placeIn(l), Kind: l.Kind,
		Calls: calls(l.Calls), Models: models(l.Models), Input: l.InputTokens, Output: l.OutputTokens,
		Modified: l.Modified, Age: age(time.Since(l.Modified)), States: stateNames(l.State), Problem: l.Problem,
	}
	if l.Kind != isCassette {
		c.States = append([]string{l.Kind}, c.States...)
	}
	return c
}

// fill adds what is in a cassette, as show has it.
func fill(c *page.Cassette, f *cassette.File) {
	s := newShown(c.Path, f)
	if !s.Time.IsZero() {
		c.Given = append(c.Given, page.Field{Name: "time", Text: s.Time.Format(time.RFC3339)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Given = append(c.Given, page.Field{Name: name, Text: s.Env[name]})
	}
	for i, depth := range depths(s.Interactions) {
		e := s.Interactions[i]
		var told headlineTold
		if len(s.Interactions) == 1 {
			told = headlineTold{model: e.Model == c.Models, tokens: true} // by the cassette
		}
		c.List = append(c.List, callOf(e, s.stored[i], depth, c.Path, told))
	}
}

// A comparer adds comparisons to a page.
type comparer struct {
	page *page.Page
	read map[string]*cassette.File // those that can be read, by their paths
}

// add adds one comparison, to be shown with the cassette at a path.
func (c *comparer) add(name, path string, d *difference) {
	c.page.Compared = append(c.page.Compared, comparisonOf(name, path, d))
}

// chosen compares two cassettes that somebody chose.
func (c *comparer) chosen() error {
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

// beside compares each cassette with what came of its live parts, and of a run that must
// not replace it.
func (c *comparer) beside() {
	for _, other := range c.page.Cassettes {
		path := original(other.Path)
		if other.Kind == isFailed {
			path = strings.TrimSuffix(other.Path, ".failed")
		}
		if c.read[path] != nil && c.read[other.Path] != nil {
			c.add(filepath.Base(other.Path)+" compared with "+filepath.Base(path), path, compare(path, other.Path, c.read[path], c.read[other.Path]))
		}
	}
}

// mostRevisions is how many cassettes are compared with a revision: each takes git some
// milliseconds.
const mostRevisions = 100

// revision compares cassettes with a git revision. Without one it is HEAD, and no error if
// git is not there.
func (c *comparer) revision(ref string, paths []string) error {
	name := cmp.Or(ref, "HEAD")
	changed, unknown, err := changedAt(name, paths)
	if err != nil {
		if ref == "" {
			return nil
		}
		return err
	}
	if len(changed) > mostRevisions {
		c.page.Problem = fmt.Sprintf("%s may differ from %s; only %d "+
			"are compared here: promptecho diff compares all",
			count(len(changed), "file"), name, mostRevisions)
		changed = changed[:mostRevisions]
	}
	for _, file := range changed {
		d, err := diffRevision(name, file, false)
		if err != nil {
			if _, noGit := commitOf(name, filepath.Dir(file)); noGit != nil && ref == "" {
				continue
			}
			d = &difference{Old: file + " (" + name + ")", New: file, problem: "cannot be compared: " + err.Error()}
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
