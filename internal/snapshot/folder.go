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

// Folder is the folder with the snapshots of a package's tests, below the package's folder.
var Folder = filepath.Join("testdata", "snapshots")

const (
	ext        = ".snap"
	pendingExt = ".new" // after ext
)

// Path returns the file with the snapshots of a test, below the folder of its package. Its path
// below [Folder] is the path of the test's cassette below the folder for cassettes:
// testdata/snapshots/TestAgent/weather.snap for testdata/cassettes/TestAgent/weather.yaml.
func Path(test string) string {
	cassette := strings.TrimSuffix(testname.File(test), ".yaml")
	segments := strings.Split(filepath.ToSlash(strings.TrimPrefix(cassette, testname.Folder)), "/")
	for i, segment := range segments {
		// Escape the dot of a segment such as "a.snap". A test of this name with subtests
		// has a folder, which must not have the path of the file of the test "a".
		segmentExt := filepath.Ext(segment)
		switch strings.ToLower(segmentExt) {
		case ext, pendingExt:
			segments[i] = strings.TrimSuffix(segment, segmentExt) + "%2E" + segmentExt[1:]
		}
	}
	return Folder + filepath.FromSlash(strings.Join(segments, "/")) + ext
}

// Pending returns the path of the pending file for a file with snapshots.
func Pending(path string) string { return path + pendingExt }

// Reviewed is the reverse of [Pending]. If path is not a pending file, it returns path and
// false.
func Reviewed(path string) (file string, ok bool) {
	if !strings.HasSuffix(path, ext+pendingExt) {
		return path, false
	}
	return strings.TrimSuffix(path, pendingExt), true
}

// IsFile reports whether a path has the extension of a file with snapshots.
func IsFile(path string) bool { return filepath.Ext(path) == ext }

// Cassette splits the path of a file with snapshots. It returns the folder of the package, and
// the path of the same test's cassette below that folder. It returns false if the path is not
// one that [Path] returns.
func Cassette(path string) (pkg, file string, ok bool) {
	slashed := "/" + filepath.ToSlash(path)
	base, isFile := strings.CutSuffix(slashed, ext)
	start := strings.LastIndex(slashed, "/"+filepath.ToSlash(Folder)+"/")
	if start < 0 || !isFile {
		return "", "", false
	}
	pkg = filepath.FromSlash(strings.TrimPrefix(slashed[:start], "/"))
	below := filepath.FromSlash(base[start+1+len(Folder):])
	return pkg, testname.Folder + below + ".yaml", true
}

// Read reads a file with snapshots. A file that does not exist has no sections.
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

// Write writes content to a file atomically. It removes the file if content is empty, and does
// nothing if the file has this content.
func Write(path string, content []byte) error {
	if len(content) == 0 {
		if err := atomicfile.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// Remove the temporary files that killed processes have left.
	if err := cassette.Prepare(path); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // keep a symbolic link, and write the file to which it points
	}
	return atomicfile.Write(path, atomicfile.Options{Sync: true}, atomicfile.Pieces(content))
}
