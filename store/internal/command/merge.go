package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/merge"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/testenv/lock"
	"github.com/promptecho/promptecho/store/internal/locks"
)

// runMerge merges the locks that git left unmerged, or, called by git, one of them.
func runMerge(c *call) error {
	driver := c.flags.Bool("driver", false, "called by git, with the files %O %A %B and the path %P")
	if err := c.parse(); err != nil {
		return err
	}
	repo, err := locks.Here()
	if err != nil {
		return err
	}
	from, err := c.source(repo)
	if err != nil {
		return err
	}
	if *driver {
		if len(c.rest) != 4 {
			return usageError{errors.New("-driver takes %O %A %B %P")}
		}
		var texts [3][]byte
		for i := range texts {
			if texts[i], err = os.ReadFile(c.rest[i]); err != nil {
				return err
			}
		}
		return c.mergeLock(from, c.rest[3], c.rest[1], texts)
	}
	unmerged, err := c.unmerged()
	if err != nil {
		return err
	}
	open := false
	for file, texts := range unmerged {
		if err := c.mergeLock(from, file, file, texts); errors.Is(err, errToDo) {
			open = true
			continue
		} else if err != nil {
			return err
		}
		c.say("%s: merged; git add it", file)
	}
	if open {
		return errToDo
	}
	return c.result(map[string]int{"merged": len(unmerged)}, "%s merged", english.Count(len(unmerged), "lock"))
}

// unmerged returns base, ours and theirs of the locks that are unmerged in git's index.
func (c *call) unmerged() (map[string][3][]byte, error) {
	paths := c.rest
	if len(paths) == 0 {
		paths = []string{"."}
	}
	out, err := exec.Command("git", append([]string{"ls-files", "-u", "-z", "--"}, paths...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	all := map[string][3][]byte{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, file, ok := strings.Cut(entry, "\t")
		words := strings.Fields(about) // mode, blob, stage
		if !ok || len(words) != 3 || !strings.HasSuffix("/"+file, "/"+lock.File) {
			continue
		}
		texts := all[filepath.FromSlash(file)]
		if texts[words[2][0]-'1'], err = exec.Command("git", "cat-file", "blob", words[1]).Output(); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		all[filepath.FromSlash(file)] = texts
	}
	return all, nil
}

// mergeLock merges the lock at a path into the file to. Where both sides name another version of
// a cassette, these are merged by the rules of promptecho merge, and the result is put where the
// cassette stands, to be pushed.
func (c *call) mergeLock(from *source, path, to string, texts [3][]byte) error {
	place := &locks.Place{Package: filepath.Dir(filepath.Dir(path))}
	var sides [3]map[string]locks.Entry
	names := map[string]bool{}
	for i, text := range texts {
		sides[i] = map[string]locks.Entry{}
		if len(text) == 0 {
			continue
		}
		entries, err := locks.Parse(path+[]string{" (base)", " (ours)", " (theirs)"}[i], text)
		if err != nil {
			return err
		}
		for _, e := range entries {
			sides[i][e.Path], names[locks.CassetteOf(e.Path)] = e, true
		}
	}
	var merged []locks.Entry
	var conflicts []string
	pushing := 0
	for name := range names {
		base, ours, theirs := version(sides[0], name), version(sides[1], name), version(sides[2], name)
		switch {
		case slices.Equal(ours, theirs) || slices.Equal(base, theirs):
			merged = append(merged, ours...)
		case slices.Equal(base, ours):
			merged = append(merged, theirs...)
		default:
			entries, err := from.mergeCassette(c.ctx, place, name, base, ours, theirs)
			if err != nil {
				conflicts = append(conflicts, fmt.Sprintf("%s: %v", place.File(name), err))
				merged = append(merged, ours...)
				continue
			}
			pushing++
			merged = append(merged, entries...)
		}
	}
	if len(conflicts) > 0 {
		slices.Sort(conflicts)
		fmt.Fprintf(c.stderr, "%s\nThe lock stays as it was: choose one of the two lines in it, then run promptecho-store pull and promptecho-store push.\n", strings.Join(conflicts, "\n"))
		return errToDo
	}
	if err := locks.Replace(to, func(w io.Writer) error { _, err := w.Write(locks.Format(merged)); return err }); err != nil {
		return err
	}
	if pushing > 0 {
		fmt.Fprintf(c.stderr, "%s: %s merged; before this branch is pushed: promptecho-store push\n", path, english.Count(pushing, "cassette"))
	}
	return nil
}

// version returns what one side names of a cassette: that and its assets, sorted.
func version(side map[string]locks.Entry, name string) (list []locks.Entry) {
	for _, e := range side {
		if locks.CassetteOf(e.Path) == name {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b locks.Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// mergeCassette merges two versions of a cassette, puts the result into its place, and returns
// what a lock names of it.
func (s *source) mergeCassette(ctx context.Context, place *locks.Place, name string, base, ours, theirs []locks.Entry) ([]locks.Entry, error) {
	if len(ours) == 0 || len(theirs) == 0 {
		return nil, errors.New("one side has deleted it, and the other one has changed it")
	}
	var files [3]*cassette.File
	for i, side := range [][]locks.Entry{base, ours, theirs} {
		if len(side) == 0 {
			continue
		}
		var err error
		if files[i], err = s.load(ctx, name, side); err != nil {
			return nil, err
		}
	}
	r, err := merge.Files(files[0], files[1], files[2])
	if err != nil {
		return nil, err
	}
	if len(r.Conflicts) > 0 {
		return nil, errors.New("both sides changed the same recording, and one of them by hand")
	}
	file := place.File(name)
	here, err := locks.Local(file)
	if err != nil {
		return nil, err
	}
	if here.SHA256 != "" && !slices.ContainsFunc(ours, func(e locks.Entry) bool { return e.SHA256 == here.SHA256 }) {
		if known, err := s.known(ctx, here.SHA256); err != nil {
			return nil, err
		} else if !known {
			return nil, errors.New("the local file was never pushed: promptecho-store push first, or move it away")
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	if err := rewrite.Save(file, r.File); err != nil {
		return nil, err
	}
	entries, _, err := entriesOf(place, name)
	return entries, err
}

// load reads one version of a cassette.
func (s *source) load(ctx context.Context, name string, side []locks.Entry) (*cassette.File, error) {
	get := func(path string) ([]byte, error) {
		i := slices.IndexFunc(side, func(e locks.Entry) bool { return e.Path == path })
		if i < 0 {
			return nil, fmt.Errorf("the lock does not name %s", path)
		}
		var b bytes.Buffer
		_, err := s.get(ctx, side[i], &b)
		return b.Bytes(), err
	}
	data, err := get(name)
	if err != nil {
		return nil, err
	}
	return cassette.Parse(name, data, func(asset string) ([]byte, error) { return get(locks.AssetsOf(name) + "/" + asset) })
}

// entriesOf reads a cassette that is here, and returns what a lock names of it: that and the
// assets it names.
func entriesOf(place *locks.Place, name string) (list []locks.Entry, f *cassette.File, err error) {
	data, err := os.ReadFile(place.File(name))
	if err != nil {
		return nil, nil, err
	}
	list = append(list, locks.Of(name, data))
	f, err = cassette.Parse(place.File(name), data, func(asset string) ([]byte, error) {
		asset = locks.AssetsOf(name) + "/" + asset
		content, err := os.ReadFile(place.File(asset))
		if e := locks.Of(asset, content); err == nil && !slices.Contains(list, e) {
			list = append(list, e)
		}
		return content, err
	})
	return list, f, err
}
