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
)

// A version is one side of a merge.
type version struct {
	name string // "ours", or the file
	data []byte // nil if there is none
}

// A merging is a cassette that is to be merged.
type merging struct {
	path               string
	base, ours, theirs version
	asset              func(name string) ([]byte, error)
}

// result merges, and returns the text of the cassette and its assets. If there are conflicts,
// the text has marks around them.
func (m *merging) result() (text []byte, assets map[string][]byte, conflicts int, err error) {
	var files [3]*cassette.File
	for i, v := range []version{m.base, m.ours, m.theirs} {
		if len(v.data) == 0 && i == 0 {
			continue
		}
		files[i], err = cassette.Parse(fmt.Sprintf("%s (%s)", m.path, v.name), v.data, m.asset)
		if err != nil {
			return nil, nil, 0, err
		}
	}
	r, err := merge.Files(files[0], files[1], files[2])
	if err != nil {
		return nil, nil, 0, fmt.Errorf("%s: %w", m.path, err)
	}
	text, assets, err = m.write(r)
	return text, assets, len(r.Conflicts), err
}

// write returns what a result is as a cassette. Both sides of a conflict are written as
// interactions of one file, so that the marks stand around whole ones.
func (m *merging) write(r *merge.Result) (text []byte, assets map[string][]byte, err error) {
	f := *r.File
	f.Interactions = nil
	marks := map[int]merge.Conflict{} // by the place of ours
	for i, it := range r.File.Interactions {
		if c, ok := r.Conflicts[i]; ok {
			marks[len(f.Interactions)] = c
			it, theirs := c.Ours, c.Theirs
			f.Interactions = append(f.Interactions, it, theirs)
			continue
		}
		f.Interactions = append(f.Interactions, it)
	}
	dir, err := os.MkdirTemp("", "promptecho-merge")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "c.yaml")
	if err := rewrite.Save(file, &f); err != nil {
		return nil, nil, err
	}
	text, err = os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	assets = map[string][]byte{}
	entries, _ := os.ReadDir(filepath.Join(dir, "c.assets"))
	for _, e := range entries {
		assets[e.Name()], err = os.ReadFile(filepath.Join(dir, "c.assets", e.Name()))
		if err != nil {
			return nil, nil, err
		}
	}
	if len(marks) == 0 {
		return text, assets, nil
	}
	written, err := cassette.Load(file)
	if err != nil {
		return nil, nil, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	end := slices.IndexFunc(lines, func(l []byte) bool { return bytes.HasPrefix(l, []byte("seals:")) }) + 1
	lineOf := func(i int) int {
		if i < len(written.Interactions) {
			return written.Interactions[i].Line
		}
		return end
	}
	put := func(line int, format string, args ...any) {
		lines[line-1] = append(fmt.Appendf(nil, format+"\n", args...), lines[line-1]...)
	}
	for i := len(f.Interactions) - 1; i >= 0; i-- {
		if c, ok := marks[i]; ok {
			put(lineOf(i+2), ">>>>>>> %s:%d", m.theirs.name, c.Theirs.Line)
			put(lineOf(i+1), "=======")
			put(lineOf(i), "<<<<<<< %s:%d", m.ours.name, c.Ours.Line)
		}
	}
	return bytes.Join(lines, nil), assets, nil
}

// lost returns an asset that git will delete, since one side has done without it.
func (m *merging) lost(assets map[string][]byte) string {
	for name := range assets {
		has := func(v version) bool { return bytes.Contains(v.data, []byte(name)) }
		if has(m.base) && (!has(m.ours) || !has(m.theirs)) {
			return name
		}
	}
	return ""
}

// assetsInGit reads assets of the cassette at a path from its folder, or from the commits
// that are merged.
func assetsInGit(path string) func(name string) ([]byte, error) {
	dir := filepath.Dir(path)
	folder := strings.TrimSuffix(cassette.Beside(strings.TrimSuffix(path, ".yaml"), ".assets"), "/")
	return func(name string) ([]byte, error) {
		file := filepath.Join(folder, name)
		data, err := os.ReadFile(file)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
		commits := []string{"HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD", "ORIG_HEAD"}
		for _, variable := range os.Environ() { // git merge names what it merges
			if commit, ok := strings.CutPrefix(variable, "GITHEAD_"); ok {
				commit, _, _ = strings.Cut(commit, "=")
				commits = append(commits, commit)
			}
		}
		for _, commit := range commits {
			if data, err := git("", "cat-file", "blob", commit+":./"+filepath.ToSlash(file)); err == nil {
				return data, nil
			}
		}
		return nil, fmt.Errorf("%w: neither in %s nor in the commits that are merged", fs.ErrNotExist, dir)
	}
}

// put writes a merged cassette to its place, and its assets, each atomically.
func (m *merging) put(text []byte, assets map[string][]byte) error {
	dir := cassette.Beside(strings.TrimSuffix(m.path, ".yaml"), ".assets")
	if len(assets) > 0 {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for name, data := range assets {
		asset := filepath.Join(dir, name)
		options := atomicfile.Options{Owner: m.path}
		if err := atomicfile.Write(asset, options, atomicfile.Pieces(data)); err != nil {
			return err
		}
	}
	return atomicfile.Write(m.path, atomicfile.Options{}, atomicfile.Pieces(text))
}
