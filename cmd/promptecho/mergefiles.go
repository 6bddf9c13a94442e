package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/merge"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// unmerged returns the cassettes at these paths that are unmerged in git's index, and those
// that have marks of a conflict.
func unmerged(paths []string) (list []*merging, err error) {
	staged := map[string]*merging{}
	out, err := git("", append([]string{"ls-files", "-u", "-z", "--"}, paths...)...)
	if err != nil {
		out = nil // no repository: there may be files with marks all the same
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, file, ok := strings.Cut(entry, "\t")
		words := strings.Fields(about) // mode, blob, stage
		if !ok || len(words) != 3 || !isYAML(file) {
			continue
		}
		data, err := git("", "cat-file", "blob", words[1])
		if err != nil {
			return nil, err
		}
		file = filepath.FromSlash(file)
		m := staged[file]
		if m == nil {
			m = &merging{path: file, asset: assetsInGit(file)}
			staged[file], list = m, append(list, m)
		}
		switch words[2] {
		case "1":
			m.base = version{"base", data}
		case "2":
			m.ours = version{"ours", data}
		case "3":
			m.theirs = version{"theirs", data}
		}
	}
	list = slices.DeleteFunc(list, func(m *merging) bool { return !isOurFormat(m.ours.data) && !isOurFormat(m.theirs.data) })
	for _, m := range list {
		if m.ours.data == nil || m.theirs.data == nil {
			deleted, changed := "the other branch", "this branch"
			if m.ours.data == nil {
				deleted, changed = changed, deleted
			}
			return nil, fmt.Errorf("%s: %s has deleted it, and %s "+
				"has changed it: git add %[4]s keeps it, git rm %[4]s deletes it",
				m.path, deleted, changed, shell.Quote(m.path))
		}
	}
	files, err := allCassettes(paths)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if staged[filepath.Clean(file)] != nil {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if ours, theirs, ok := cassette.Sides(data); ok {
			list = append(list, &merging{path: file, ours: version{"ours", ours}, theirs: version{"theirs", theirs}, asset: assetsInGit(file)})
		}
	}
	return list, nil
}

// isOurFormat reports whether a file may be a cassette.
func isOurFormat(data []byte) bool { return bytes.Contains(data, []byte("\ninteractions:")) }

// mergeInto merges cassettes into a folder: files, and all that is below folders, which keep
// their names there.
func mergeInto(dir string, paths []string, stdout io.Writer) error {
	sources := map[string][]string{} // by what they are called in dir
	var names []string
	for _, path := range paths {
		files, err := cassettesIn(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			name := filepath.Base(file)
			if rel, err := filepath.Rel(path, file); err == nil && rel != "." {
				name = rel
			}
			if kindOf(file) != isCassette {
				continue
			}
			if sources[name] == nil {
				names = append(names, name)
			}
			sources[name] = append(sources[name], file)
		}
	}
	slices.Sort(names)
	open := 0
	for _, name := range names {
		to := filepath.Join(dir, name)
		files := sources[name]
		if _, err := os.Stat(to); err == nil && !slices.Contains(files, to) {
			files = append([]string{to}, files...)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		conflict, err := mergeAll(to, files)
		if err != nil {
			return err
		}
		if conflict != "" {
			open++
			printLine(stdout, "%s: conflict: %s; nothing was written", to, conflict)
			continue
		}
		printLine(stdout, "%s: from %s", to, count(len(files), "cassette"))
	}
	if open > 0 {
		return found("")
	}
	return nil
}

// mergeAll merges cassettes that have no common base into one, and returns where two of them
// have what a person must decide.
func mergeAll(to string, files []string) (conflict string, err error) {
	all, err := load(files[0])
	if err != nil {
		return "", err
	}
	for _, file := range files[1:] {
		next, err := load(file)
		if err != nil {
			return "", err
		}
		r, err := merge.Files(nil, all, next)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		for _, c := range r.Conflicts {
			return fmt.Sprintf("%s:%d and %s:%d", files[0], c.Ours.Line, file, c.Theirs.Line), nil
		}
		all = r.File
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", err
	}
	return "", rewrite.Save(to, all)
}
