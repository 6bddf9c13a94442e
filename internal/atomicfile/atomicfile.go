// Package atomicfile writes files atomically: at every moment, the path has
// either the file that was there or all of the new content, also if the process
// is killed. On Windows it waits for other programs that have the file open.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Options say how [Write] writes a file. The zero value is right for most
// files.
type Options struct {
	// Owner is the file whose folder the temporary file is in, and from whose
	// name its name is made. It must be in the same file system as the file.
	// If it is empty, the file is its own owner.
	Owner string

	// Mode is the mode of a file that does not exist yet, less the umask. 0
	// means 0o666. A file that exists keeps its mode.
	Mode fs.FileMode

	// NoReplace makes it an error ([fs.ErrExist]) if the file exists once the
	// content is written. On file systems without hard links, the file is
	// replaced.
	NoReplace bool

	// Sync makes the content durable before the file is replaced, so that a
	// power failure leaves the old content or the new one.
	Sync bool
}

// Write makes path a file with the content that fill writes. It writes a
// temporary file and gives that the name path. On an error, path is as it was,
// and the temporary file is removed.
func Write(path string, o Options, fill func(io.Writer) error) error {
	owner := o.Owner
	if owner == "" {
		owner = path
	}
	mode := o.Mode
	if mode == 0 {
		mode = 0o666
	}
	f, err := createTemp(owner, mode)
	if err != nil {
		return err
	}
	temp := f.Name()

	err = writeTemp(f, path, o.Sync, fill)
	if err == nil {
		err = moveTo(path, temp, o.NoReplace)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// Pieces returns a function for [Write] that writes these pieces one after the
// other.
func Pieces(pieces ...[]byte) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, piece := range pieces {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
}

// writeTemp writes the content of a temporary file for path and closes it.
func writeTemp(f *os.File, path string, sync bool, fill func(io.Writer) error) error {
	err := fill(f)
	if err == nil {
		err = copyMode(f, path)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	closeErr := f.Close()
	if err == nil {
		err = closeErr
	}
	return err
}

// copyMode gives f the mode of the file at path, if there is one.
func copyMode(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // a path that cannot be replaced makes the rename fail
	}
	return f.Chmod(info.Mode().Perm())
}

// moveTo gives a temporary file the name path.
func moveTo(path, temp string, noReplace bool) error {
	if !noReplace {
		return Rename(temp, path)
	}

	// A rename would replace a file that another process has just created at
	// path. A link fails.
	err := os.Link(temp, path)
	if err == nil {
		os.Remove(temp)
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	return Rename(temp, path) // the file system has no hard links
}
