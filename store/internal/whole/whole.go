// Package whole makes files that are whole whenever they are there.
package whole

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Named is set by tests that are to see what happens where files need names.
var Named bool

// Write makes a file, or replaces it, at once, with what fill writes. Until it is whole, it has no
// name, so that a process that is killed leaves nothing; where the system does not know
// that, and where a file is replaced, it has the one that temp gives it. fill may be called again.
func Write(file string, mode fs.FileMode, temp func() (*os.File, error), fill func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if _, err := os.Lstat(file); !Named && errors.Is(err, fs.ErrNotExist) {
		if done, err := unnamed(file, mode, fill); done {
			return err
		}
	}
	f, err := temp()
	if err != nil {
		return err
	}
	err = fill(f)
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
