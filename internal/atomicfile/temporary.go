package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Temporary files are named for their owner, and for the machine and the
// process that made them, so that a later run finds those of a process that was
// killed:
//
//	.promptecho-OWNER-MACHINE-PROCESS-NUMBER.tmp
const tempPrefix, tempSuffix = ".promptecho-", ".tmp"

// CreateTemp makes a temporary file next to the file owner.
func CreateTemp(owner string) (*os.File, error) { return createTemp(owner, 0o666) }

// createTemp makes a temporary file with this mode, less the umask. Its name
// has 64 random bits, so that no two temporary files have the same name.
func createTemp(owner string, mode fs.FileMode) (*os.File, error) {
	dir, name := filepath.Split(owner)
	temp := fmt.Sprintf("%s%s-%s-%d-%d%s",
		tempPrefix, ShortHash(name), machine(), os.Getpid(), rand.Uint64(), tempSuffix)
	return os.OpenFile(dir+temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

// IsTemporary reports whether a file has the name of a temporary one.
func IsTemporary(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// ShortHash returns 12 hexadecimal digits that tell names apart inside the
// names of files.
func ShortHash(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:6])
}

// machine tells this machine from others that share a folder with it. Machines
// that do not know their host names count as one.
var machine = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return ShortHash(name)
})

// RemoveAbandoned removes the temporary files that killed processes have left
// in a folder, if their owners have one of these names. A process lists each
// folder only once; Relist changes that.
func RemoveAbandoned(dir string, owners ...string) {
	hashes := map[string]bool{}
	for _, owner := range owners {
		hashes[ShortHash(owner)] = true
	}
	for _, name := range temporary(dir) {
		if path := filepath.Join(dir, name); isAbandoned(path, hashes) {
			os.Remove(path)
		}
	}
}

// Relist makes the next [RemoveAbandoned] list the folder again.
func Relist(dir string) { listed.Delete(dir) }

// listed has the names of the temporary files that were in each folder when it
// was listed. A folder with thousands of cassettes must not be listed for each
// of them.
var listed sync.Map

// temporary returns the names of the temporary files in a folder.
func temporary(dir string) []string {
	if names, ok := listed.Load(dir); ok {
		return names.([]string)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // an error that matters shows when a file is written
	}
	var names []string
	for _, e := range entries {
		if IsTemporary(e.Name()) {
			names = append(names, e.Name())
		}
	}
	listed.Store(dir, names)
	return names
}

// isAbandoned reports whether a temporary file belongs to one of the owners and
// was made by a process that has ended. owners has the hashes of their names.
//
// A file with the process ID of this process counts as abandoned: an earlier
// process had the same ID. This process does not write a file while it removes
// what others have left of it.
func isAbandoned(path string, owners map[string]bool) bool {
	made := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), tempPrefix), tempSuffix)
	parts := strings.Split(made, "-")
	if len(parts) != 4 || !owners[parts[0]] {
		return false
	}
	pid, err := strconv.Atoi(parts[2])
	if err != nil {
		return false
	}
	if parts[1] != machine() {
		// The processes of another machine cannot be seen from here. No save
		// takes a day.
		info, err := os.Lstat(path)
		return err == nil && time.Since(info.ModTime()) > 24*time.Hour
	}
	return pid == os.Getpid() || !isAlive(pid)
}
