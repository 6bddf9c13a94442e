package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/merge"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// unmerged returns the cassettes at some paths that git has left unmerged, and those that have
// conflict markers.
func unmerged(paths []string) (list []*merging, err error) {
	list, err = unmergedInIndex(paths)
	if err != nil {
		return nil, err
	}
	inIndex := map[string]bool{}
	for _, m := range list {
		inIndex[m.path] = true
	}
	list = slices.DeleteFunc(list, func(m *merging) bool {
		return !isOurFormat(m.ours.data) && !isOurFormat(m.theirs.data)
	})
	for _, m := range list {
		if err := m.errDeleted(); err != nil {
			return nil, err
		}
	}

	files, err := allCassettes(paths)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if inIndex[filepath.Clean(file)] {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		ours, theirs, hasMarkers := cassette.ConflictSides(data)
		if !hasMarkers {
			continue
		}
		list = append(list, &merging{
			path:   file,
			ours:   version{"ours", ours},
			theirs: version{"theirs", theirs},
			asset:  assetsInGit(file),
		})
	}
	return list, nil
}

// unmergedInIndex returns the YAML files at some paths that are unmerged in git's index.
func unmergedInIndex(paths []string) (list []*merging, err error) {
	out, err := git("", append([]string{"ls-files", "-u", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, nil // no repository; there may be files with conflict markers nevertheless
	}
	byFile := map[string]*merging{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, file, ok := strings.Cut(entry, "\t")
		words := strings.Fields(about) // mode, object, stage
		if !ok || len(words) != 3 || !isYAML(file) {
			continue
		}
		object, stage := words[1], words[2]
		data, err := git("", "cat-file", "blob", object)
		if err != nil {
			return nil, err
		}
		file = filepath.FromSlash(file)
		m := byFile[file]
		if m == nil {
			m = &merging{path: file, asset: assetsInGit(file)}
			byFile[file] = m
			list = append(list, m)
		}
		switch stage {
		case "1":
			m.base = version{"base", data}
		case "2":
			m.ours = version{"ours", data}
		case "3":
			m.theirs = version{"theirs", data}
		}
	}
	return list, nil
}

// errDeleted returns an error if one branch has deleted the cassette and the other has changed it.
func (m *merging) errDeleted() error {
	var deletedBy, changedBy string
	switch {
	case m.ours.data == nil:
		deletedBy, changedBy = "this branch", "the other branch"
	case m.theirs.data == nil:
		deletedBy, changedBy = "the other branch", "this branch"
	default:
		return nil
	}
	return fmt.Errorf("%s: %s has deleted it, and %s "+
		"has changed it: git add %[4]s keeps it, git rm %[4]s deletes it",
		m.path, deletedBy, changedBy, shell.Quote(m.path))
}

// isOurFormat reports whether a file may be a cassette.
func isOurFormat(data []byte) bool { return bytes.Contains(data, []byte("\ninteractions:")) }

// mergeInto merges cassettes into a folder: files, and those below folders, which keep their
// relative paths.
func mergeInto(dir string, paths []string, stdout io.Writer) error {
	sources := map[string][]string{} // by their paths in dir
	var names []string
	for _, path := range paths {
		files, err := cassettesIn(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			if kindOf(file) != isCassette {
				continue
			}
			name, err := filepath.Rel(path, file)
			if err != nil || name == "." {
				name = filepath.Base(file)
			}
			if sources[name] == nil {
				names = append(names, name)
			}
			sources[name] = append(sources[name], file)
		}
	}
	slices.Sort(names)
	conflicts := 0
	for _, name := range names {
		to := filepath.Join(dir, name)
		files := sources[name]
		_, err := os.Stat(to)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && !slices.Contains(files, to) {
			files = append([]string{to}, files...)
		}
		conflict, err := mergeAll(to, files)
		if err != nil {
			return err
		}
		if conflict != "" {
			conflicts++
			printLine(stdout, "%s: conflict: %s; nothing was written", to, conflict)
			continue
		}
		printLine(stdout, "%s: from %s", to, count(len(files), "cassette"))
	}
	if conflicts > 0 {
		return printedFindings
	}
	return nil
}

// mergeAll merges cassettes without a common base into one, and writes it. If two of them have a
// conflict, it returns the places of the conflict, and writes nothing.
func mergeAll(to string, files []string) (conflict string, err error) {
	var loaded []*cassette.File
	for _, file := range files {
		f, err := load(file)
		if err != nil {
			return "", err
		}
		loaded = append(loaded, f)
	}
	all := loaded[0]
	for i := 1; i < len(files); i++ {
		r, err := merge.Files(nil, all, loaded[i])
		if err != nil {
			return "", fmt.Errorf("%s: %w", files[i], err)
		}
		if len(r.Conflicts) > 0 {
			return conflictOf(files[:i+1], loaded[:i+1]), nil
		}
		all = r.File
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", err
	}
	return "", rewrite.Save(to, all)
}

// conflictOf returns the places of the first conflict between the last of some cassettes and an
// earlier one.
func conflictOf(files []string, loaded []*cassette.File) string {
	last := len(files) - 1
	for i, earlier := range loaded[:last] {
		r, err := merge.Files(nil, earlier, loaded[last])
		if err != nil {
			continue
		}
		if len(r.Conflicts) > 0 {
			first := slices.Min(slices.Collect(maps.Keys(r.Conflicts)))
			c := r.Conflicts[first]
			return fmt.Sprintf("%s:%d and %s:%d", files[i], c.Ours.Line, files[last], c.Theirs.Line)
		}
	}
	return files[last] + " and those before it"
}
