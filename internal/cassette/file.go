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

// maxFile is the length in bytes of a file that is read as a whole.
const maxFile = 1 << 30

// openFile opens a file. What is not one (a device or a pipe, also behind a symbolic
// link) is refused before it is opened, since that can take forever.
func openFile(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if what := notFile(info.Mode()); what != "" {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("this is a " + what + ", not a file; move it out of the way")}
	}
	// With O_NONBLOCK, package os does not make four system calls to set and reset it.
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return f, info.Size(), err
}

// notFile says what is no regular file; "" if it is one.
func notFile(mode fs.FileMode) string {
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

// readFile reads a file as a whole.
func readFile(path string) ([]byte, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, size)
}

// readAll reads an open file as a whole.
func readAll(f *os.File, size int64) ([]byte, error) {
	if size > maxFile {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("it has %d bytes, but the limit is %d", size, maxFile)}
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(f, maxFile))
	return b.Bytes(), err
}

// SumOf returns what tells whether the file at path is still the one that was read; "" if
// it cannot be read.
func SumOf(path string) string {
	data, err := readFile(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// holds reports whether a file has this content.
func holds(path string, pieces [][]byte) (bool, error) {
	f, _, err := openFile(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	there, wanted := sha256.New(), sha256.New()
	for _, piece := range pieces {
		wanted.Write(piece)
	}
	_, err = io.Copy(there, f)
	return bytes.Equal(there.Sum(nil), wanted.Sum(nil)), err
}

// maxName is the length in bytes of a file's name that file systems allow.
const maxName = 255

// Beside returns the name of a file that stands beside the one at path: its name with
// a suffix. If that is too long for a file system, a hash is in place of the name's
// end.
func Beside(path, suffix string) string {
	dir, name := filepath.Split(path)
	if len(name)+len(suffix) <= maxName {
		return path + suffix
	}
	ext := filepath.Ext(name)
	if len(ext) > 16 {
		ext = ""
	}
	end := "-" + atomicfile.ShortHash(name) + ext + suffix
	return dir + strings.ToValidUTF8(name[:max(0, maxName-len(end))], "") + end
}

// target follows path as long as it is a symbolic link. A target need not exist.
func target(path string) string {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			// Not joined: ".." is that of the real folder.
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	return path
}

// writable returns the file to write for path, which is another one if path is a
// symbolic link. It is an error if that leads out of the folder.
func writable(path string) (file string, err error) {
	file = target(path)
	if file == path {
		return file, nil
	}
	from, err1 := filepath.EvalSymlinks(folderOf(path))
	to, err2 := filepath.EvalSymlinks(folderOf(file))
	rel, err3 := filepath.Rel(from, to)
	if err1 != nil || err2 != nil || err3 != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("it is a symbolic link that leads out of "+
			"its folder, to %s; put a file in its place",
			file)
	}
	return file, nil
}

// folderOf is filepath.Dir, but ".." in it stays.
func folderOf(path string) string {
	dir, _ := filepath.Split(path)
	return cmp.Or(dir, ".")
}

// CanSave returns an error if the folder of the cassette at path, or the one in which that would be made, cannot be written.
func CanSave(path string) error {
	file, err := writable(path)
	if err != nil {
		return err
	}
	dir := folderOf(file)
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
	}
	f, err := atomicfile.CreateTemp(filepath.Join(dir, filepath.Base(file)))
	if err != nil {
		return fmt.Errorf("%s: %w", dir, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// replace makes path a file with this content, atomically. A file with the same
// content is left alone. The temporary file is named for owner, the cassette,
// where the next run finds it.
func replace(owner, path string, content ...[]byte) error {
	if same, err := holds(path, content); err == nil && same {
		return nil
	}
	return atomicfile.Write(path, saveOptions(owner), atomicfile.Pieces(content...))
}

// create is replace for a file that does not exist. If another process makes
// the file at the same time, that file stays, and create returns an error.
func create(path string, content [][]byte) error {
	options := saveOptions(path)
	options.NoReplace = true
	return atomicfile.Write(path, options, atomicfile.Pieces(content...))
}

// saveOptions returns how the files of the cassette owner are written. If that
// exists, it must not be lost if the power fails; a new one can be recorded
// again.
func saveOptions(owner string) atomicfile.Options {
	_, err := os.Stat(owner)
	return atomicfile.Options{Owner: owner, Sync: err == nil}
}

// Prepare makes sure that the cassette at path may be written, and removes the
// temporary files that killed processes have left of it and of the files beside it.
func Prepare(path string, beside ...string) error {
	file, err := writable(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	dir := folderOf(file)
	var owners []string
	for _, f := range append(beside, file) {
		owners = append(owners, filepath.Base(f))
	}
	for _, f := range beside {
		if _, err := os.Lstat(f); err == nil {
			// A process that was killed has left this file, and maybe a temporary one.
			atomicfile.Relist(dir)
		}
	}
	atomicfile.RemoveAbandoned(dir, owners...)
	return nil
}
