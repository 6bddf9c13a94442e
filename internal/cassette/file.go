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
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
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
	f, err = os.Open(path)
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
	end := "-" + shortHash(name) + ext + suffix
	return dir + strings.ToValidUTF8(name[:max(0, maxName-len(end))], "") + end
}

// shortHash tells texts apart in the names of files.
func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
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
		return "", fmt.Errorf("it is a symbolic link that leads out of its folder, to %s; put a file in its place", file)
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
	f, err := CreateTemp(filepath.Join(dir, filepath.Base(file)))
	if err != nil {
		return fmt.Errorf("%s: %w", dir, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// replace makes path a file with this content, at once: it writes a temporary
// file beside it and renames that. A file with the same content is left alone.
// The temporary file is named for owner, which is in the same file system.
func replace(owner, path string, content ...[]byte) error {
	if same, err := holds(path, content); err == nil && same {
		return nil
	}
	return replaceWith(owner, path, writing(content), os.Rename)
}

// create is replace for a file that is not there: another process may make it at the same time, and is not overwritten.
func create(path string, content [][]byte) error {
	return replaceWith(path, path, writing(content), func(from, to string) error {
		err := os.Link(from, to)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return os.Rename(from, to) // some file systems have no links
		}
		os.Remove(from)
		return err
	})
}

func writing(content [][]byte) func(*os.File) error {
	return func(f *os.File) (err error) {
		for i := 0; err == nil && i < len(content); i++ {
			_, err = f.Write(content[i])
		}
		return err
	}
}

// replaceWith is replace for whatever write writes, and rename renames.
func replaceWith(owner, path string, write func(*os.File) error, rename func(from, to string) error) error {
	f, err := CreateTemp(owner)
	if err != nil {
		return err
	}
	err = write(f)
	if info, serr := os.Stat(path); err == nil && serr == nil && info.Mode().IsRegular() {
		err = f.Chmod(info.Mode().Perm())
	}
	if _, serr := os.Stat(owner); err == nil && serr == nil {
		err = f.Sync() // a cassette that is replaced must not be lost if the power fails
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Temporary files are named for the file they belong to, the machine and the process
// that made them, so that a later run finds those of a process that was killed:
//
//	.promptecho-FILE-MACHINE-PROCESS-NUMBER.tmp
const tempPrefix, tempSuffix = ".promptecho-", ".tmp"

// CreateTemp makes a temporary file beside the file owner. No two have the same 64 random bits.
func CreateTemp(owner string) (*os.File, error) {
	dir, name := filepath.Split(owner)
	temp := fmt.Sprintf("%s%s-%s-%d-%d%s", tempPrefix, shortHash(name), machine(), os.Getpid(), rand.Uint64(), tempSuffix)
	return os.OpenFile(dir+temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) // less what umask says
}

// machine returns what tells this machine from others that share a folder with it; machines
// that do not know their names count as one.
var machine = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return shortHash(name)
})

// Prepare makes sure that the cassette at path may be written, and removes the
// temporary files that killed processes have left of it and of the files beside it.
func Prepare(path string, beside ...string) error {
	file, err := writable(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	names := map[string]bool{}
	for _, f := range append(beside, file) {
		names[shortHash(filepath.Base(f))] = true
	}
	dir := folderOf(file)
	for _, f := range beside {
		if _, err := os.Lstat(f); err == nil {
			listed.Delete(dir) // a process that was killed left this, and maybe more
		}
	}
	for _, entry := range temporary(dir) {
		made := strings.TrimSuffix(strings.TrimPrefix(entry, tempPrefix), tempSuffix)
		if left := filepath.Join(dir, entry); leftBehind(left, made, names) {
			os.Remove(left)
		}
	}
	return nil
}

// listed has the temporary files that were in each folder when this process first asked: one with
// thousands of cassettes is not to be listed for each of them. A process that is killed later
// leaves its journal, too; a temporary file without one is for the next process to find.
var listed sync.Map

// temporary returns the names of the temporary files in a folder.
func temporary(dir string) []string {
	if names, ok := listed.Load(dir); ok {
		return names.([]string)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it is not there yet, or saving will say what is wrong with it
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			names = append(names, e.Name())
		}
	}
	listed.Store(dir, names)
	return names
}

// leftBehind reports whether a temporary file is of one of these names and of a
// process that is no more. One with the number of this process is: none of its saves is at
// work on a cassette that is being opened.
func leftBehind(path, made string, names map[string]bool) bool {
	parts := strings.Split(made, "-")
	if len(parts) != 4 || !names[parts[0]] {
		return false
	}
	pid, err := strconv.Atoi(parts[2])
	if err != nil {
		return false
	}
	if parts[1] != machine() {
		// Nobody can ask that machine; no save takes a day.
		info, err := os.Lstat(path)
		return err == nil && time.Since(info.ModTime()) > 24*time.Hour
	}
	return pid == os.Getpid() || !alive(pid)
}

// alive reports whether there is a process with this number, or none can tell.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0)) // signal 0 is sent to nobody: kill(2)
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
