package cassette

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Load reads the cassette NAME.yaml and the assets it names from the folder
// NAME.assets beside it. If path is a symbolic link, that is beside its target.
//
// If there is no such file the error is fs.ErrNotExist; if the file is broken,
// or an asset is missing or was changed, it is a *SyntaxError.
func Load(path string) (*File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, readFrom(assetDir(target(path))))
}

// readFrom returns a function that reads the assets in dir.
func readFrom(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		return readFile(filepath.Join(dir, name))
	}
}

// assetDir returns the folder for the assets of the cassette file: NAME.assets for
// NAME.yaml, and for what is beside that ([Beside]) one of its own.
func assetDir(file string) string { return Beside(strings.TrimSuffix(file, ".yaml"), ".assets") }

// Save writes f to path whole or not at all, and its assets beside it. Before
// anything is replaced, what would be written is read and must give f again;
// afterwards the file is read back and must be what was written. Then assets
// that f does not name are removed. A file that already has these bytes is not
// written. A symbolic link stays one: its target is written.
//
// On an error the old cassette and its assets are as before, unless the error
// says that the file on disk is not what was written. A link that leads out of the
// folder of path is not followed: that is an error.
func Save(path string, f *File) error {
	d, err := draft(f, Encode)
	if err != nil {
		return fmt.Errorf("%s: not saved: cassette: %w", path, err)
	}
	return d.Save(path)
}

// draft returns f as it is to be saved; format makes the items.
func draft(f *File, format func(*interaction.Interaction, uint32) (*Encoded, error)) (*Draft, error) {
	d := &Draft{Pinned: f.Pinned, Partial: f.Partial}
	for i, it := range f.Interactions {
		item, err := format(it, f.Rules)
		if err != nil {
			return nil, fmt.Errorf("interaction %d: %w", i+1, err)
		}
		d.Items = append(d.Items, item)
	}
	return d, nil
}

// Encoded is an interaction as it stands in a cassette.
type Encoded struct {
	Text   []byte
	Assets map[string][]byte // beside the file, by name

	seal   seal
	framed []byte // as it stands in a journal: Text behind a frame
}

// Encode returns an interaction as it stands in a cassette, with a seal by
// the rules of a revision (see [File]), and makes sure that it reads as it again.
// Errors are those of [Format].
func Encode(it *interaction.Interaction, revision uint32) (*Encoded, error) {
	item, err := encode(it, revision)
	if err != nil {
		return nil, err
	}
	return item, item.check(it)
}

// encode is Encode without the check.
func encode(it *interaction.Interaction, revision uint32) (*Encoded, error) {
	if it == nil {
		return nil, errors.New("is nil")
	}
	size := len(it.Request.Body) + len(it.Response.Body)
	for _, event := range it.Response.Events {
		for _, f := range event {
			size += len(f.Value) + 32
		}
	}
	e := encoder{buf: make([]byte, maxFrame, size+size/8+1024), assets: map[string][]byte{}}
	if e.interaction(it); e.err != nil {
		return nil, e.err
	}
	text := e.buf[maxFrame:]
	seal := sealOf(it, text, revision)
	frame := seal.frame()
	framed := e.buf[maxFrame-len(frame):]
	copy(framed, frame)
	return &Encoded{text, e.assets, seal, framed}, nil
}

// check makes sure that an item reads as an interaction.
func (x *Encoded) check(it *interaction.Interaction) error {
	back := decode(x.Text, &comparison{events: it.Response.Events})
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
	if d := it.Difference(back); d != "" {
		return fmt.Errorf("%s would not survive; please report this", d)
	}
	return nil
}

// A Draft is a cassette that is to be saved.
type Draft struct {
	Pinned, Partial bool
	Items           []*Encoded
}

// pieces returns what the file consists of, and its assets.
func (d *Draft) pieces() (pieces [][]byte, assets map[string][]byte, err error) {
	var head, tail encoder
	head.head(d.Pinned, d.Partial, len(d.Items))
	pieces, assets = append(pieces, head.buf), map[string][]byte{}
	if len(d.Items) > 0 {
		tail.raw(sealsLine)
	}
	for _, item := range d.Items {
		pieces = append(pieces, item.Text)
		tail.raw(itemStart + item.seal.String() + "\n")
		for name, content := range item.Assets {
			if err := addAsset(assets, name, content); err != nil {
				return nil, nil, err
			}
		}
	}
	tail.raw(endMark + "\n")
	return append(pieces, tail.buf), assets, nil
}

// head writes what stands before n interactions.
func (e *encoder) head(pinned, partial bool, n int) {
	e.raw(header)
	e.raw("version: " + strconv.Itoa(Version) + "\n")
	if pinned {
		e.raw("pinned: true\n")
	}
	if partial {
		e.raw("partial: true\n")
	}
	if n == 0 {
		e.raw("interactions: []\n")
	} else {
		e.raw("interactions:\n")
	}
}

// Save is [Save] of what the draft holds.
func (d *Draft) Save(path string) error {
	pieces, assets, err := d.pieces()
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	file, err := writable(path)
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	switch info, err := os.Stat(file); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: not saved: this is not a file; move it out of the way", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	added, err := saveAssets(file, assets)
	if err == nil {
		err = replace(file, pieces...)
	}
	if err != nil {
		undo(assetDir(file), added)
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	if err := readBack(path, pieces); err != nil {
		return err
	}
	if err := removeAssets(assetDir(file), assets); err != nil {
		return fmt.Errorf("%s: saved, but old assets are left: %w", path, err)
	}
	return nil
}

// Remove deletes the cassette file at path and its assets. It is no error if
// there is none.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return removeAssets(assetDir(path), nil)
}

func readBack(path string, pieces [][]byte) error {
	same, err := holds(path, pieces)
	if err != nil {
		return fmt.Errorf("%s: saved, but it cannot be read back: %w", path, err)
	}
	if !same {
		return fmt.Errorf("%s: the file is not what was just written; does something else write it? Record again", path)
	}
	return nil
}

// saveAssets writes the assets of file that are not there and returns the paths of
// those it wrote, on an error too.
func saveAssets(file string, assets map[string][]byte) (added []string, err error) {
	if len(assets) == 0 {
		return nil, nil
	}
	dir := assetDir(file)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if !isFolder(dir) {
		return nil, fmt.Errorf("%s is a symbolic link, which is not followed; make it a folder", dir)
	}
	for name, content := range assets {
		path := filepath.Join(dir, name)
		_, before := os.Lstat(path)
		// A temporary file is beside the cassette, where the next run finds it.
		if err := replaceFrom(file, path, content); err != nil {
			return added, err
		}
		if before != nil {
			added = append(added, path)
		}
	}
	return added, nil
}

// isFolder reports whether dir is a folder itself, not a link to one.
func isFolder(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

// undo removes the files that saveAssets added, and dir if nothing else is in it.
func undo(dir string, added []string) {
	for _, name := range added {
		os.Remove(name)
	}
	if isFolder(dir) {
		os.Remove(dir) // fails if there is something in it
	}
}

// removeAssets removes the assets in dir that are not in keep, and dir if
// nothing is left. Files that are not named like assets stay, and so does all that a
// link leads to.
func removeAssets(dir string, keep map[string][]byte) error {
	if !isFolder(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
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
