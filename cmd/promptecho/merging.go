package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/merge"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A version is one side of a merge.
type version struct {
	name string // "ours", "theirs", "base", or a file
	data []byte // nil if the side has no such cassette
}

// A merging is a cassette to be merged.
type merging struct {
	path               string
	base, ours, theirs version
	asset              func(name string) ([]byte, error) // reads an asset of any side
}

// A merged is the result of merging a cassette.
type merged struct {
	text      []byte            // with conflict markers around each conflict
	assets    map[string][]byte // by name
	conflicts int
}

// merge merges the sides.
func (m *merging) merge() (*merged, error) {
	var base *cassette.File
	var err error
	if len(m.base.data) > 0 {
		base, err = m.parse(m.base)
		if err != nil {
			return nil, err
		}
	}
	ours, err := m.parse(m.ours)
	if err != nil {
		return nil, err
	}
	theirs, err := m.parse(m.theirs)
	if err != nil {
		return nil, err
	}
	r, err := merge.Files(base, ours, theirs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	return m.encode(r)
}

func (m *merging) parse(v version) (*cassette.File, error) {
	return cassette.Parse(fmt.Sprintf("%s (%s)", m.path, v.name), v.data, m.asset)
}

// encode returns the text of a merged cassette. Both sides of a conflict are encoded as
// interactions of one file, which is written to a temporary folder. Its text then gets conflict
// markers around whole interactions.
func (m *merging) encode(r *merge.Result) (*merged, error) {
	f := *r.File
	f.Interactions = nil
	conflicts := map[int]merge.Conflict{} // by the index of our interaction in f
	for i, it := range r.File.Interactions {
		c, isConflict := r.Conflicts[i]
		if !isConflict {
			f.Interactions = append(f.Interactions, it)
			continue
		}
		conflicts[len(f.Interactions)] = c
		f.Interactions = append(f.Interactions, c.Ours, c.Theirs)
	}

	dir, err := os.MkdirTemp("", "promptecho-merge")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "c.yaml")
	if err := rewrite.Save(file, &f); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	assets, err := readFolder(filepath.Join(dir, "c.assets"))
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		saved, err := cassette.Load(file) // for the lines of its interactions
		if err != nil {
			return nil, err
		}
		text = m.addMarkers(text, saved.Interactions, conflicts)
	}
	return &merged{text: text, assets: assets, conflicts: len(r.Conflicts)}, nil
}

// readFolder returns the content of the files in a folder by their names. A folder that does not
// exist has none.
func readFolder(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files[e.Name()] = data
	}
	return files, nil
}

// addMarkers adds conflict markers, as git writes them, to the text of a cassette. conflicts has
// the indices of our interactions; theirs is the next one.
func (m *merging) addMarkers(text []byte, its []*interaction.Interaction, conflicts map[int]merge.Conflict) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	isSeals := func(line []byte) bool { return bytes.HasPrefix(line, []byte("seals:")) }
	lineAfterLast := slices.IndexFunc(lines, isSeals) + 1
	lineOf := func(i int) int {
		if i < len(its) {
			return its[i].Line
		}
		return lineAfterLast
	}
	insertBefore := func(line int, marker string) {
		lines[line-1] = append([]byte(marker+"\n"), lines[line-1]...)
	}
	// From the end, so that two markers at one line are in the order of the file.
	for i := len(its) - 1; i >= 0; i-- {
		c, isConflict := conflicts[i]
		if !isConflict {
			continue
		}
		insertBefore(lineOf(i+2), fmt.Sprintf(">>>>>>> %s:%d", m.theirs.name, c.Theirs.Line))
		insertBefore(lineOf(i+1), "=======")
		insertBefore(lineOf(i), fmt.Sprintf("<<<<<<< %s:%d", m.ours.name, c.Ours.Line))
	}
	return bytes.Join(lines, nil)
}

// deletedAsset returns an asset that the merged cassette needs but that git deletes; "" if there
// is none. git deletes a file of the base that ours or theirs does not have.
func (m *merging) deletedAsset(needed map[string][]byte) string {
	for name := range needed {
		mentions := func(v version) bool { return bytes.Contains(v.data, []byte(name)) }
		oneSideDeleted := !mentions(m.ours) || !mentions(m.theirs)
		if mentions(m.base) && oneSideDeleted {
			return name
		}
	}
	return ""
}

// assetsInGit returns a function that reads assets of the cassette at a path from its folder, or
// from the commits that are merged.
func assetsInGit(path string) func(name string) ([]byte, error) {
	dir := filepath.Dir(path)
	folder := cassette.Assets(path)
	return func(name string) ([]byte, error) {
		file := filepath.Join(folder, name)
		data, err := os.ReadFile(file)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
		for _, commit := range mergedCommits() {
			object := commit + ":./" + filepath.ToSlash(file)
			data, err := git("", "cat-file", "blob", object)
			if err == nil {
				return data, nil
			}
		}
		return nil, fmt.Errorf("%w: neither in %s nor in the commits that are merged", fs.ErrNotExist, dir)
	}
}

// mergedCommits returns names of the commits that git may be merging, also in a rebase, a
// cherry-pick or a revert. While git merge calls a merge driver, there is a variable
// GITHEAD_COMMIT for each commit (builtin/merge.c of git).
func mergedCommits() []string {
	commits := []string{
		"HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD", "ORIG_HEAD",
	}
	for _, variable := range os.Environ() {
		if commit, ok := strings.CutPrefix(variable, "GITHEAD_"); ok {
			commit, _, _ = strings.Cut(commit, "=")
			commits = append(commits, commit)
		}
	}
	return commits
}

// write replaces the cassette with the merged one, and writes its assets, each file atomically.
func (m *merging) write(r *merged) error {
	dir := cassette.Assets(m.path)
	if len(r.assets) > 0 {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for name, data := range r.assets {
		asset := filepath.Join(dir, name)
		options := atomicfile.Options{Owner: m.path}
		if err := atomicfile.Write(asset, options, atomicfile.Pieces(data)); err != nil {
			return err
		}
	}
	return atomicfile.Write(m.path, atomicfile.Options{}, atomicfile.Pieces(r.text))
}
