package cassette

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
)

// readFrom returns a function that reads the assets of a file. If that is a symbolic link, they are
// beside its target.
func readFrom(file string) codec.ReadAsset {
	return func(name string) ([]byte, error) {
		return readFile(filepath.Join(Assets(target(file)), name))
	}
}

// Assets returns the folder for the assets of the cassette file: NAME.assets for
// NAME.yaml, and for what is beside that ([Beside]) one of its own.
func Assets(file string) string { return Beside(strings.TrimSuffix(file, ".yaml"), ".assets") }

// saveAssets writes the assets of file that are not there and returns the paths of
// those it wrote, on an error too.
func saveAssets(file string, assets map[string][]byte) (added []string, err error) {
	if len(assets) == 0 {
		return nil, nil
	}
	dir := Assets(file)
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
		if err := replace(file, path, content); err != nil {
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

// RemoveAssets removes the assets of the cassette at path that are not in keep, and their
// folder if nothing is left. Files that are not named like assets stay, and so does all that a
// link to a folder leads to.
func RemoveAssets(path string, keep map[string][]byte) error {
	dir := Assets(target(path))
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
		if named || !e.Type().IsRegular() || !codec.IsAssetName(e.Name()) {
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
