// Package whole makes files that are whole whenever they are there.
package whole

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/promptecho/promptecho/internal/atomicfile"
)

// Named is set by tests that are to see what happens where files need names.
var Named bool

// Write makes a file, or replaces it, atomically, with what fill writes. A file
// that is made has no name until it is whole, so that a process that is killed
// leaves nothing. Where the system has no files without names, and where a file
// is replaced, there is a temporary file until then, as options say. fill may
// be called twice.
func Write(file string, options atomicfile.Options, fill func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	_, err := os.Lstat(file)
	isNew := errors.Is(err, fs.ErrNotExist)
	if isNew && !Named {
		done, err := unnamed(file, cmp.Or(options.Mode, 0o666), fill)
		if done {
			return err
		}
	}
	return atomicfile.Write(file, options, fill)
}
