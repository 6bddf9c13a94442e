package cassette

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette/codec"
)

// assetReader returns a function that reads an asset of a cassette file by its name. If the
// cassette is a symbolic link, its assets are next to the target of the link.
func assetReader(file string) codec.ReadAsset {
	return func(name string) ([]byte, error) {
		return readFile(filepath.Join(Assets(followLinks(file)), name))
	}
}

// Assets returns the path of the folder for the assets of a cassette file: NAME.assets for
// NAME.yaml. A file whose name does not end in ".yaml", such as the journal NAME.yaml.partial,
// has a folder of its own: NAME.yaml.partial.assets.
func Assets(file string) string {
	return PathWithSuffix(strings.TrimSuffix(file, ".yaml"), ".assets")
}

// saveAssets writes the assets of a cassette file. added has the paths of the assets that did
// not exist before, also if there is an error.
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
		_, err := os.Lstat(path)
		isNew := err != nil
		// The temporary file is named after the cassette, so that the next run can find and
		// remove it if this process is killed.
		if err := replaceFile(file, path, content); err != nil {
			return added, err
		}
		if isNew {
			added = append(added, path)
		}
	}
	return added, nil
}

// isFolder reports whether dir is a folder, and not a symbolic link to a folder.
func isFolder(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

// removeAdded removes the files that saveAssets added to the folder dir, and dir itself if it
// is empty then.
func removeAdded(dir string, added []string) {
	for _, path := range added {
		_ = atomicfile.Remove(path)
	}
	if isFolder(dir) {
		os.Remove(dir) // fails if the folder is not empty
	}
}

// RemoveAssets removes the assets of the cassette at path whose names are not in keep, and
// their folder if it is empty then. Files that do not have the name of an asset are kept. If
// the folder is a symbolic link, nothing is removed.
func RemoveAssets(path string, keep map[string][]byte) error {
	dir := Assets(followLinks(path))
	if !isFolder(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	remaining := 0
	for _, e := range entries {
		_, isKept := keep[e.Name()]
		isAsset := e.Type().IsRegular() && codec.IsAssetName(e.Name())
		if isKept || !isAsset {
			remaining++
			continue
		}
		if err := atomicfile.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if remaining == 0 {
		return os.Remove(dir)
	}
	return nil
}
