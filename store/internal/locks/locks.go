// Package locks finds and writes the locks of a repository, and says what stands in the places
// that they name.
package locks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/testenv/lock"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/store/internal/whole"
)

// An Entry is a line of a lock.
type Entry = lock.Entry

// A Place is a package with cassettes, or with a lock that names some.
type Place struct {
	Package string  // its folder
	Entries []Entry // what the lock names, sorted

	patterns []string // of paths below testdata; all if there are none
}

// Lock returns the path of the place's lock.
func (p *Place) Lock() string { return filepath.Join(p.Package, filepath.FromSlash(lock.File)) }

// File returns where an entry's file stands.
func (p *Place) File(entry string) string {
	return filepath.Join(p.Package, "testdata", filepath.FromSlash(entry))
}

// Selected returns the entries that were asked for.
func (p *Place) Selected() []Entry {
	return slices.DeleteFunc(slices.Clone(p.Entries), func(e Entry) bool { return !p.Selects(e.Path) })
}

// Names reports whether the lock has this entry.
func (p *Place) Names(e Entry) bool {
	i, there := slices.BinarySearchFunc(p.Entries, e, byPath)
	return there && p.Entries[i] == e
}

// Named returns what the lock names of a cassette: that and its assets, or nothing.
func (p *Place) Named(cassette string) (list []Entry) {
	for _, start := range []string{cassette, AssetsOf(cassette) + "/"} {
		i, _ := slices.BinarySearchFunc(p.Entries, Entry{Path: start}, byPath)
		for ; i < len(p.Entries) && strings.HasPrefix(p.Entries[i].Path, start) && CassetteOf(p.Entries[i].Path) == cassette; i++ {
			list = append(list, p.Entries[i])
		}
	}
	if len(list) == 0 || list[0].Path != cassette {
		return nil
	}
	return list
}

// Selects reports whether a cassette, or the one that an asset belongs to, was asked for.
func (p *Place) Selects(name string) bool {
	name = CassetteOf(name)
	return len(p.patterns) == 0 || slices.ContainsFunc(p.patterns, func(pattern string) bool {
		below := strings.TrimPrefix(name, "cassettes/")
		for _, is := range []string{name, below, path.Base(name), strings.TrimSuffix(below, path.Ext(name)), strings.TrimSuffix(path.Base(name), path.Ext(name))} {
			if ok, _ := path.Match(pattern, is); ok || is == pattern {
				return true
			}
		}
		return strings.HasPrefix(name, pattern+"/") || strings.HasPrefix(below, pattern+"/")
	})
}

// CassetteOf returns the cassette that an asset belongs to, and for a cassette itself.
func CassetteOf(name string) string {
	if dir := path.Dir(name); strings.HasSuffix(dir, ".assets") {
		return strings.TrimSuffix(dir, ".assets") + ".yaml"
	}
	return name
}

// AssetsOf returns the folder that has the assets of a cassette.
func AssetsOf(name string) string { return strings.TrimSuffix(name, ".yaml") + ".assets" }

// Find returns the places at these paths, which are folders, files and patterns of names.
func Find(paths []string) (places []*Place, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, arg := range paths {
		found, err := findAt(filepath.Clean(arg))
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			i := slices.IndexFunc(places, func(q *Place) bool { return q.Package == p.Package })
			switch {
			case i < 0:
				places = append(places, p)
			case len(p.patterns) == 0 || len(places[i].patterns) == 0:
				places[i].patterns = nil
			default:
				places[i].patterns = append(places[i].patterns, p.patterns...)
			}
		}
	}
	for _, p := range places {
		if err := p.Read(); err != nil {
			return nil, err
		}
	}
	return places, nil
}

// findAt is Find for one path.
func findAt(arg string) (places []*Place, err error) {
	if pkg, name, ok := testname.Split(arg); ok { // also of a cassette that is not here
		name = strings.TrimPrefix(filepath.ToSlash(name), "testdata/")
		return []*Place{{Package: cmp.Or(pkg, "."), patterns: []string{name}}}, nil
	}
	if pkg, _, ok := testname.Split(filepath.Join(arg, "x")); ok {
		return []*Place{{Package: cmp.Or(pkg, ".")}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil || !info.IsDir() {
		if places, err = findBelow("."); err != nil {
			return nil, err
		}
		for _, p := range places {
			p.patterns = []string{filepath.ToSlash(arg)}
		}
		return places, nil
	}
	if filepath.Base(arg) == "testdata" {
		arg = filepath.Dir(arg)
	}
	return findBelow(arg)
}

// findBelow returns all places below a folder.
func findBelow(dir string) (places []*Place, err error) {
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case ".git", "node_modules":
			return fs.SkipDir
		case "testdata":
			p := &Place{Package: filepath.Dir(file)}
			_, err1 := os.Stat(p.Lock())
			_, err2 := os.Stat(filepath.Join(file, "cassettes"))
			if err1 == nil || err2 == nil {
				places = append(places, p)
				return fs.SkipDir
			}
		}
		return nil
	})
	return places, err
}

// For returns the places of the packages that patterns of the go command name.
func For(patterns []string) (places []*Place, err error) {
	cmd := exec.Command("go", append([]string{"list", "-f", "{{.Dir}}", "--"}, patterns...)...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for dir := range strings.Lines(string(out)) {
		dir = strings.TrimSpace(dir)
		if rel, err := filepath.Rel(here, dir); err == nil {
			dir = rel
		}
		p := &Place{Package: dir}
		if err := p.Read(); err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

// Read reads the lock, if there is one.
func (p *Place) Read() error {
	data, err := os.ReadFile(p.Lock())
	if errors.Is(err, fs.ErrNotExist) {
		p.Entries = nil
		return nil
	} else if err != nil {
		return err
	}
	p.Entries, err = Parse(p.Lock(), data)
	return err
}

// Parse reads a lock. What it names stands below testdata, and once.
func Parse(file string, data []byte) ([]Entry, error) {
	entries, err := lock.Parse(file, data)
	if err != nil {
		return nil, err
	}
	sort(entries)
	for i, e := range entries {
		if !filepath.IsLocal(filepath.FromSlash(e.Path)) || path.Clean(e.Path) != e.Path {
			return nil, fmt.Errorf("%s: %q leads out of the folder", file, e.Path)
		}
		if i > 0 && entries[i-1].Path == e.Path {
			return nil, fmt.Errorf("%s: %s is listed twice: remove one of the lines", file, e.Path)
		}
	}
	return entries, nil
}

func byPath(a, b Entry) int { return cmp.Compare(a.Path, b.Path) }

func sort(entries []Entry) {
	slices.SortFunc(entries, byPath)
}

// Format returns the text of a lock. A line stands between two entries, so that git merges
// changes of neighbours without a conflict.
func Format(entries []Entry) []byte {
	entries = slices.Clone(entries)
	sort(entries)
	var b strings.Builder
	b.WriteString(lock.Head + "\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s %s\n\n", e.Path, e.Size, e.SHA256)
	}
	b.WriteString(lock.End)
	return []byte(b.String())
}

// Update changes entries of the lock: it reads it again, since another process may have
// written it, and puts these in the places of those with the same path, or takes them out if they
// have no SHA-256. It reports whether the lock changed.
func (p *Place) Update(changes []Entry) (changed bool, err error) {
	if err := p.Read(); err != nil {
		return false, err
	}
	before := string(Format(p.Entries))
	for _, c := range changes {
		i, there := slices.BinarySearchFunc(p.Entries, c, byPath)
		switch {
		case c.SHA256 == "" && there:
			p.Entries = slices.Delete(p.Entries, i, i+1)
		case c.SHA256 == "":
		case there:
			p.Entries[i] = c
		default:
			p.Entries = slices.Insert(p.Entries, i, c)
		}
	}
	text := Format(p.Entries)
	if string(text) == before {
		return false, nil
	}
	return true, Replace(p.Lock(), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// Replace makes a file, at once: it is whole when it is there.
func Replace(file string, fill func(io.Writer) error) error {
	return whole.Write(file, atomicfile.Options{}, fill)
}

// Local returns the entry of a file as it is, without a path; SHA256 is "" if it is not there.
func Local(file string) (Entry, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, nil
	} else if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, f)
	return Entry{Size: strconv.FormatInt(n, 10), SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

// Of returns the entry of data.
func Of(name string, data []byte) Entry {
	hash := sha256.Sum256(data)
	return Entry{Path: name, Size: strconv.Itoa(len(data)), SHA256: hex.EncodeToString(hash[:])}
}

// Cassettes returns the cassettes of a place that are here and were asked for, by their paths
// below testdata. What killed and failed runs left, and what came of live parts, is none.
func (p *Place) Cassettes() (names []string, err error) {
	top := p.File("cassettes")
	err = filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == top:
			return nil
		case err != nil:
			return err
		case d.IsDir() && strings.HasSuffix(d.Name(), ".assets"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".yaml":
			return nil
		}
		if name, ok := strings.CutSuffix(file, ".derived.yaml"); ok {
			if _, err := os.Stat(name + ".yaml"); err == nil {
				return nil
			}
		}
		rel, err := filepath.Rel(p.File(""), file)
		if name := filepath.ToSlash(rel); err == nil && p.Selects(name) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
