package cassette

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/promptecho/promptecho/internal/atomicfile"
)

// maxFile is the length in bytes of the longest file that is read: 1 GiB.
const maxFile = 1 << 30

// openFile opens a regular file for reading and returns its size. Anything else, such as a
// named pipe, also at the end of a symbolic link, is refused before it is opened: opening a
// pipe can block forever.
func openFile(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if kind := irregularKind(info.Mode()); kind != "" {
		err := fmt.Errorf("this is a %s, not a file; move it out of the way", kind)
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	err = atomicfile.Retry(func() error {
		// O_NONBLOCK spares the four system calls with which package os sets and resets it.
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		return err
	})
	return f, info.Size(), err
}

// irregularKind names the kind of a file that is not regular, such as "named pipe", for messages.
// It returns "" for a regular file.
func irregularKind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// readFile returns the content of a regular file.
func readFile(path string) ([]byte, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, size)
}

// readAll returns the content of an open file that has this size.
func readAll(f *os.File, size int64) ([]byte, error) {
	if size > maxFile {
		err := fmt.Errorf("it has %d bytes, but the limit is %d", size, maxFile)
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: err}
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(f, maxFile))
	return b.Bytes(), err
}

// SumOf returns the SHA-256 of the file at path in hex, to find out later whether the file has
// changed. It returns "" if the file cannot be read.
func SumOf(path string) string {
	data, err := readFile(path)
	if err != nil {
		return ""
	}
	return Sum(data)
}

// Sum returns what [SumOf] returns for a file with this content.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// hasContent reports whether the content of the file at path is that of the pieces together.
func hasContent(path string, pieces [][]byte) (bool, error) {
	f, size, err := openFile(path)
	if err != nil {
		return false, err
	}
	defer f.Close()

	length := int64(0)
	for _, piece := range pieces {
		length += int64(len(piece))
	}
	if size != length {
		return false, nil // usual for a change: the file need not be read
	}

	want := sha256.New()
	for _, piece := range pieces {
		want.Write(piece)
	}
	got := sha256.New()
	_, err = io.Copy(got, f)
	return bytes.Equal(got.Sum(nil), want.Sum(nil)), err
}

// maxName is the length in bytes of the longest file name that common file systems allow.
const maxName = 255

// PathWithSuffix returns path with a suffix: the path of a file that belongs to the file at path
// and is in the same folder. If the name becomes too long for a file system, it is shortened to
// START-HASH.EXT and the suffix. HASH is that of the whole name.
func PathWithSuffix(path, suffix string) string {
	dir, name := filepath.Split(path)
	if len(name)+len(suffix) <= maxName {
		return path + suffix
	}
	ext := filepath.Ext(name)
	const maxExt = 16 // longer text after a dot is part of the name, as in "gpt-4.answers-a-question"
	if len(ext) > maxExt {
		ext = ""
	}
	end := "-" + atomicfile.ShortHash(name) + ext + suffix
	start := name[:max(0, maxName-len(end))]
	start = strings.ToValidUTF8(start, "") // the cut may be in the middle of a character
	return dir + start + end
}

// maxLinks is the number of symbolic links that Linux follows in a path (path_resolution(7)).
const maxLinks = 40

// followLinks returns the target of the symbolic link at path. If the target is a link, that is
// followed, too. The last target need not exist. If path is not a link, followLinks returns path.
func followLinks(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		switch {
		case filepath.IsAbs(to):
		case to != "" && os.IsPathSeparator(to[0]): // on Windows, from the top of the volume
			to = filepath.VolumeName(path) + to
		default:
			// filepath.Join would remove "..", which is wrong where the folder is a link.
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	return path
}

// writablePath returns the path of the file to write for path: the target if path is a symbolic
// link. A target outside the folder of path is an error.
func writablePath(path string) (file string, err error) {
	file = followLinks(path)
	if file == path {
		return file, nil
	}
	from, fromErr := filepath.EvalSymlinks(folderOf(path))
	to, toErr := filepath.EvalSymlinks(folderOf(file))
	rel, relErr := filepath.Rel(from, to)
	failed := fromErr != nil || toErr != nil || relErr != nil
	if failed || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("it is a symbolic link that leads out of "+
			"its folder, to %s; put a file in its place",
			file)
	}
	return file, nil
}

// folderOf returns the folder of path. Unlike filepath.Dir it keeps "..", since a/.. is another
// folder than "." if a is a symbolic link.
func folderOf(path string) string {
	dir, _ := filepath.Split(path)
	return cmp.Or(dir, ".")
}

// CanSave returns an error if no file can be made in the folder of the cassette at path. If the
// folder does not exist, the nearest folder above it that exists is tried.
func CanSave(path string) error {
	file, err := writablePath(path)
	if err != nil {
		return err
	}
	dir := folderOf(file)
	for {
		_, err := os.Lstat(dir)
		parent := filepath.Dir(dir)
		if err == nil || parent == dir {
			break
		}
		dir = parent
	}

	f, err := atomicfile.CreateTemp(filepath.Join(dir, filepath.Base(file)))
	if err != nil {
		cause := errors.Unwrap(err) // without the name of the temporary file
		return fmt.Errorf("%s: %w", dir, cause)
	}
	f.Close()
	return atomicfile.Remove(f.Name())
}

// replaceFile atomically gives the file at path this content. A file that already has the
// content is not written. The temporary file is named after owner, the cassette, so that the
// next run can find and remove it if this process is killed.
func replaceFile(owner, path string, content ...[]byte) error {
	if same, err := hasContent(path, content); err == nil && same {
		return nil
	}
	return atomicfile.Write(path, saveOptions(owner), atomicfile.Pieces(content...))
}

// createFile writes a file that does not exist yet. If another process creates the file at the
// same time, that file is kept, and createFile returns an error.
func createFile(path string, content [][]byte) error {
	options := saveOptions(path)
	options.NoReplace = true
	return atomicfile.Write(path, options, atomicfile.Pieces(content...))
}

// saveOptions returns the options for writing the file owner or one of its assets. A cassette
// that exists is synced to the disk, so that a power failure does not lose it. A new cassette
// can be recorded again.
func saveOptions(owner string) atomicfile.Options {
	_, err := os.Stat(owner)
	exists := err == nil
	return atomicfile.Options{Owner: owner, Sync: exists}
}

// Prepare returns an error if the cassette at path is a symbolic link out of its folder. It
// removes the temporary files that killed processes have left in the folder, for the cassette
// and for the files related to it, such as its journal.
func Prepare(path string, related ...string) error {
	file, err := writablePath(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	dir := folderOf(file)
	var owners []string
	for _, f := range append(related, file) {
		owners = append(owners, filepath.Base(f))
	}
	for _, f := range related {
		if _, err := os.Lstat(f); err == nil {
			// A killed process has left this file, and perhaps a temporary file that is not in
			// the list of the folder's files that package atomicfile keeps.
			atomicfile.Relist(dir)
		}
	}
	atomicfile.RemoveAbandoned(dir, owners...)
	return nil
}
