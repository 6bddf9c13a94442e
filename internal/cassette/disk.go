package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Load reads the cassette NAME.yaml and the assets it names from the folder
// NAME.assets beside it. If path is a symbolic link, that is beside its target.
//
// If there is no such file the error is fs.ErrNotExist; if the file is broken,
// or an asset is missing or was changed, it is a *SyntaxError.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, readFrom(assetDir(target(path))))
}

// readFrom returns a function that reads the assets in dir.
func readFrom(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, name))
	}
}

// assetDir returns the folder for the assets of the cassette file.
func assetDir(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".assets"
}

// target follows path as long as it is a symbolic link. A target need not exist.
func target(path string) string {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// Save writes f to path whole or not at all, and its assets beside it. Before
// anything is replaced, what would be written is read and must give f again;
// afterwards the file is read back and must be what was written. Then assets
// that f does not name are removed. A file that already has these bytes is not
// written. A symbolic link stays one: its target is written.
//
// On an error the old cassette and its assets are as before, unless the error
// says that the file on disk is not what was written.
func Save(path string, f *File) error {
	d := Draft{Pinned: f.Pinned, Partial: f.Partial}
	for i, it := range f.Interactions {
		item, err := FormatItem(it, f.Rules)
		if err != nil {
			return fmt.Errorf("%s: not saved: cassette: interaction %d: %w", path, i+1, err)
		}
		d.Items = append(d.Items, item)
	}
	return d.Save(path)
}

// An Item is an interaction as it stands in a cassette.
type Item struct {
	Text   []byte
	Assets map[string][]byte // beside the file, by name
}

// FormatItem returns an interaction as it stands in a cassette, sealed if rules is
// not 0 (see [File]), and makes sure that it reads as it again. Errors are those of
// [Format].
func FormatItem(it *Interaction, rules uint32) (*Item, error) {
	if it == nil {
		return nil, errors.New("is nil")
	}
	w := writer{assets: map[string][]byte{}, rules: rules}
	size := len(it.Request.Body) + len(it.Response.Body)
	for _, e := range it.Response.Events {
		for _, f := range e {
			size += len(f.Value) + 16
		}
	}
	w.buf = make([]byte, 0, size+size/4+1024)
	if w.interaction(it); w.err != nil {
		return nil, w.err
	}
	item := &Item{w.buf, w.assets}
	return item, item.check(it)
}

// check makes sure that an item reads as an interaction.
func (x *Item) check(it *Interaction) error {
	back := readItem(x.Text)
	if back == nil {
		var err error
		back, err = parseItem("cassette", x.Text, func(name string) ([]byte, error) {
			if b, ok := x.Assets[name]; ok {
				return b, nil
			}
			return nil, fs.ErrNotExist
		})
		if err != nil {
			return fmt.Errorf("promptecho cannot read what it would write; please report this: %w", err)
		}
	}
	if d := it.difference(back); d != "" {
		return fmt.Errorf("%s would not survive; please report this", d)
	}
	return nil
}

// A Draft is a cassette that is to be saved.
type Draft struct {
	Pinned, Partial bool
	Items           []*Item
}

// format returns the file and its assets.
func (d *Draft) format() (data []byte, assets map[string][]byte, err error) {
	w := writer{assets: map[string][]byte{}}
	w.head(d.Pinned, d.Partial, len(d.Items))
	n := len(w.buf)
	for _, item := range d.Items {
		n += len(item.Text)
	}
	w.buf = slices.Grow(w.buf, n-len(w.buf))
	for _, item := range d.Items {
		w.buf = append(w.buf, item.Text...)
		for _, content := range item.Assets {
			w.asset(content)
		}
	}
	return w.buf, w.assets, w.err
}

// Save is [Save] of what the draft holds.
func (d *Draft) Save(path string) error {
	data, assets, err := d.format()
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	file := target(path)
	switch info, err := os.Stat(file); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: not saved: this is not a file; move it out of the way", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	added, err := saveAssets(assetDir(file), assets)
	if err == nil {
		err = replace(file, data)
	}
	if err != nil {
		undo(assetDir(file), added)
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	if err := readBack(path, data); err != nil {
		return err
	}
	if err := removeAssets(assetDir(file), assets); err != nil {
		return fmt.Errorf("%s: saved, but old assets are left: %w", path, err)
	}
	return nil
}

// Append adds an interaction to the journal at path: a cassette that is marked
// partial and that grows. create makes the file, and it is an error (fs.ErrExist)
// if there is one. The write is one, so that a process that is killed leaves at
// most the last interaction torn; see [LoadJournal]. The file is not kept open:
// another process may put a new one in its place.
func Append(path string, item *Item, create bool) error {
	flags := os.O_WRONLY | os.O_APPEND
	data := item.Text
	if create {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		flags |= os.O_CREATE | os.O_EXCL
		var w writer
		w.head(false, true, 1)
		data = append(w.buf, data...)
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := saveAssets(assetDir(path), item.Assets); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Close()
}

// itemStart is where an interaction starts in what Format writes: nothing in it
// stands as far left.
var itemStart = []byte("\n  - ")

// LoadJournal reads a journal that [Append] wrote. What its writer left torn, the
// last interaction, is dropped. If there is none it returns nil and no error; if
// it is broken elsewhere the error is a *SyntaxError.
func LoadJournal(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	asset := readFrom(assetDir(path))
	f, err := Parse(path, data, asset)
	if err == nil && bytes.HasSuffix(data, []byte("\n")) {
		return f, nil
	}
	last := bytes.LastIndex(data, itemStart)
	if first := bytes.Index(data, itemStart); last < 0 || first == last {
		return nil, nil // killed while it was created
	}
	return Parse(path, data[:last+1], asset)
}

// Remove deletes the cassette file at path and its assets. It is no error if
// there is none.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return removeAssets(assetDir(path), nil)
}

func readBack(path string, data []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: saved, but it cannot be read back: %w", path, err)
	}
	if !bytes.Equal(got, data) {
		return fmt.Errorf("%s: the file is not what was just written; does something else write it? Record again", path)
	}
	return nil
}

// saveAssets writes the assets that are not in dir and returns the paths of
// those it wrote, on an error too.
func saveAssets(dir string, assets map[string][]byte) (added []string, err error) {
	if len(assets) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for name, content := range assets {
		path := filepath.Join(dir, name)
		_, before := os.Lstat(path)
		if err := replace(path, content); err != nil {
			return added, err
		}
		if before != nil {
			added = append(added, path)
		}
	}
	return added, nil
}

// undo removes the files that saveAssets added, and dir if nothing else is in it.
func undo(dir string, added []string) {
	for _, name := range added {
		os.Remove(name)
	}
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		os.Remove(dir) // fails if there is something in it
	}
}

// removeAssets removes the assets in dir that are not in keep, and dir if
// nothing is left. Files that are not named like assets stay.
func removeAssets(dir string, keep map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	left := 0
	for _, e := range entries {
		_, named := keep[e.Name()]
		if named || !e.Type().IsRegular() || !assetName.MatchString(e.Name()) {
			left++
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if left == 0 {
		return os.Remove(dir)
	}
	return nil
}

// replace makes path a file with this content, at once: it writes a temporary
// file beside it and renames that. A file with the same content is left alone.
func replace(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return replaceWith(path, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}

// replaceWith is replace for whatever write writes.
func replaceWith(path string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".promptecho-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(modeFor(path))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// modeFor returns the permissions of the file at path, or those for a new one.
func modeFor(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
