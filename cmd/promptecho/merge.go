package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/merge"
	"github.com/promptecho/promptecho/internal/shell"
)

const mergeHelp = `merge [-install] [-into DIR FILE ...] [PATH ...]
merge cassettes that two branches recorded, interaction by interaction

Without flags, the cassettes that git left unmerged are merged, and those with
conflict marks in them; all below the current folder, or those at PATH. What one
side changed is taken. Where both recorded a request again, one of the answers
stays, and what follows from each; a run in mode update drops what is not asked
for. What both changed and one by hand is a conflict: both are in the file, whole,
between marks that say where they come from.

  -install     have git call this when it merges or rebases: writes .gitattributes
               and sets merge.promptecho.driver in the configuration of this clone
  -into DIR    merge cassettes, or those below folders, into DIR: what several
               machines have recorded that ran a part of the tests each
  -driver      what git calls, with the files %O %A %B and the path %P

The exit status is 1 if there are conflicts.
`

// runMerge merges cassettes.
func runMerge(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("merge", flag.ContinueOnError)
	install, driver, into := flags.Bool("install", false, ""), flags.Bool("driver", false, ""), flags.String("into", "", "")
	paths, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case *install && len(paths) == 0 && !*driver && *into == "":
		return installMerge(stdout)
	case *driver && len(paths) == 4 && !*install && *into == "":
		return driveMerge(paths[0], paths[1], paths[2], paths[3])
	case *into != "" && len(paths) > 0 && !*install && !*driver:
		return mergeInto(*into, paths, stdout)
	case *install || *driver || *into != "":
		return errors.New("-install takes no path, -driver four, -into one or more, and each stands alone")
	}
	return mergeUnmerged(paths, stdout)
}

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
		if files[i], err = cassette.Parse(fmt.Sprintf("%s (%s)", m.path, v.name), v.data, m.asset); err != nil {
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
	if err := cassette.Save(file, &f); err != nil {
		return nil, nil, err
	}
	if text, err = os.ReadFile(file); err != nil {
		return nil, nil, err
	}
	assets = map[string][]byte{}
	entries, _ := os.ReadDir(filepath.Join(dir, "c.assets"))
	for _, e := range entries {
		if assets[e.Name()], err = os.ReadFile(filepath.Join(dir, "c.assets", e.Name())); err != nil {
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

// driveMerge is what git calls: it merges the files base, ours and theirs of the cassette
// at path into ours. Assets stay where git has them.
func driveMerge(base, ours, theirs, path string) error {
	m := merging{path: path, asset: assetsInGit(path)}
	for _, v := range []struct {
		of         *version
		name, file string
	}{{&m.base, "base", base}, {&m.ours, "ours", ours}, {&m.theirs, "theirs", theirs}} {
		data, err := os.ReadFile(v.file)
		if err != nil {
			return err
		}
		*v.of = version{v.name, data}
	}
	text, assets, conflicts, err := m.result()
	if err != nil {
		return err
	}
	if err := os.WriteFile(ours, text, 0o666); err != nil {
		return err
	}
	switch lost := m.lost(assets); {
	case conflicts > 0:
		return found(fmt.Sprintf("%s: %s: both sides changed it, and one of them by hand", path, count(conflicts, "conflict")))
	case lost != "":
		return found(fmt.Sprintf("%s: git drops the asset %s, which is still needed: promptecho merge %s brings it back", path, lost, shell.Quote(path)))
	}
	return nil
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
		return nil, fmt.Errorf("%w in %s and in what is merged", fs.ErrNotExist, dir)
	}
}

// installMerge has git call promptecho for cassettes.
func installMerge(stdout io.Writer) error {
	root, err := git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	const line = "**/testdata/cassettes/**/*.yaml merge=promptecho"
	file := filepath.Join(strings.TrimSpace(string(root)), ".gitattributes")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), line) {
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		if err := os.WriteFile(file, append(text, line+"\n"...), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %s\n", file, line)
	}
	for _, setting := range [][2]string{
		{"merge.promptecho.name", "promptecho cassettes"},
		{"merge.promptecho.driver", "promptecho merge -driver %O %A %B %P"},
	} {
		if _, err := git("", "config", setting[0], setting[1]); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "git config %s %s\n", setting[0], shell.Quote(setting[1]))
	}
	fmt.Fprintln(stdout, "Commit .gitattributes. Each clone, and CI if it merges, needs the two git config lines: promptecho merge -install")
	return nil
}

// mergeUnmerged merges what git has left, at these paths.
func mergeUnmerged(paths []string, stdout io.Writer) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	list, err := unmerged(paths)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(stdout, "nothing to merge")
		return nil
	}
	open := 0
	var done []string
	for _, m := range list {
		text, assets, conflicts, err := m.result()
		if err != nil {
			return err
		}
		if err := m.put(text, assets); err != nil {
			return err
		}
		if conflicts > 0 {
			open++
			fmt.Fprintf(stdout, "%s: %s: keep one of the two interactions between each pair of marks, and take out the marks\n", m.path, count(conflicts, "conflict"))
			continue
		}
		done = append(done, m.path)
		fmt.Fprintf(stdout, "%s: merged\n", m.path)
	}
	if len(done) > 0 {
		fmt.Fprintln(stdout, "go test ./... replays what is merged; PROMPTECHO_MODE=update asks for what neither side recorded, and drops what nobody asks for. Then: git add -A "+shell.Quote(commonFolder(done)))
	}
	if open > 0 {
		return found("")
	}
	return nil
}

// put writes a merged cassette to its place, and its assets, whole or not at all.
func (m *merging) put(text []byte, assets map[string][]byte) error {
	dir := cassette.Beside(strings.TrimSuffix(m.path, ".yaml"), ".assets")
	if len(assets) > 0 {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for name, data := range assets {
		if err := replaceFile(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return replaceFile(m.path, text)
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".promptecho-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(data); err == nil {
		err = f.Chmod(0o644)
	}
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// commonFolder returns the folder that has all of these files.
func commonFolder(files []string) string {
	dir := filepath.Dir(files[0])
	for _, file := range files {
		for dir != "." && !strings.HasPrefix(file, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}
