//go:build unix

package mutant

import (
	"io/fs"
	"os"
	"syscall"
)

// isPrivate reports whether only the user of this process can write a file.
func isPrivate(info fs.FileInfo) bool {
	const byOthers = 0o022
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode()&byOthers == 0
}
