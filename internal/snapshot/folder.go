package snapshot

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// Folder is where the snapshots of a package's tests are, below the package's folder.
var Folder = filepath.Join("testdata", "snapshots")

const (
	ext     = ".snap"
	pending = ".new" // behind ext
)

// Path returns the file with the snapshots of a test, below the folder of its package. It has
// the place below [Folder] that the test's cassette has below its own.
func Path(test string) string {
	below := strings.TrimPrefix(strings.TrimSuffix(testname.File(test), ".yaml"), testname.Folder)
	segments := strings.Split(filepath.ToSlash(below), "/")
	for i, s := range segments {
		// A folder of this name could be in the way of a file.
		if e := strings.ToLower(filepath.Ext(s)); e == ext || e == pending {
			segments[i] = strings.TrimSuffix(s, filepath.Ext(s)) + "%2E" + filepath.Ext(s)[1:]
		}
	}
	return Folder + filepath.FromSlash(strings.Join(segments, "/")) + ext
}

// Pending returns the file beside one with snapshots that has what is to be reviewed.
func Pending(path string) string { return path + pending }

// Reviewed is the reverse of [Pending]. If path is no such file, ok is false, and file is path.
func Reviewed(path string) (file string, ok bool) {
	if !strings.HasSuffix(path, ext+pending) {
		return path, false
	}
	return strings.TrimSuffix(path, pending), true
}

// IsFile reports whether a file has the name of one with snapshots.
func IsFile(path string) bool { return filepath.Ext(path) == ext }

// Cassette splits the path of a file with snapshots into the folder of its package and the
// cassette that the same test has, below that. ok is false if the file is not where those of
// tests are.
func Cassette(path string) (pkg, file string, ok bool) {
	slash := "/" + filepath.ToSlash(path)
	i := strings.LastIndex(slash, "/"+filepath.ToSlash(Folder)+"/")
	below, isFile := strings.CutSuffix(slash, ext)
	if i < 0 || !isFile {
		return "", "", false
	}
	below = filepath.FromSlash(below[i+1+len(Folder):])
	return filepath.FromSlash(strings.TrimPrefix(slash[:i], "/")), testname.Folder + below + ".yaml", true
}

// Read reads a file. One that does not exist has no sections.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &File{}, nil
	case err != nil:
		return nil, err
	}
	return Parse(path, data)
}

// Write makes path a file with this content, at once, and a file without content none: who is
// killed meanwhile leaves what was there. It writes nothing if that is the same.
func Write(path string, content []byte) error {
	if len(content) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	was, err := os.ReadFile(path)
	if err == nil && bytes.Equal(was, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := cassette.Prepare(path); err != nil { // what killed processes have left
		return err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the file that a link leads to is written, and the link stays
	}
	return atomicfile.Write(path, atomicfile.Options{Sync: true}, atomicfile.Pieces(content))
}
