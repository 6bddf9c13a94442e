package whole

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unnamed makes a file that gets its name when it is whole. It reports whether that is done: not
// every file system can (overlayfs of old, NFS), /proc may not be there, and another process may have made
// the file meanwhile. Making a file, renaming it and what that costs in its folder takes
// ext4 twice the time.
func unnamed(file string, mode fs.FileMode, fill func(io.Writer) error) (done bool, err error) {
	fd, err := unix.Open(filepath.Dir(file), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return false, nil
	}
	// What is closed tells of errors, and what is linked must be open.
	held, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		unix.Close(fd)
		return false, nil
	}
	defer unix.Close(held)
	f := os.NewFile(uintptr(fd), file)
	err = fill(f)
	if err = cmp.Or(err, f.Close()); err != nil {
		return true, err
	}
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", held), unix.AT_FDCWD, file, unix.AT_SYMLINK_FOLLOW) == nil, nil
}
