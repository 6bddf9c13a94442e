// Package lock reads testdata/cassettes.lock, which names the cassettes of a package that
// are in an object store. The command promptecho-store writes the file. The library reads
// it to report a cassette that is in the store and missing in the folder.
package lock

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// File is the path of a lock, below the folder of its package.
const File = "testdata/cassettes.lock"

// Head and End are the first and the last line of a lock. Without End, a lock that was cut
// off would name fewer cassettes, and nothing would show it.
const (
	Head = "# Kept by promptecho-store: path, bytes, SHA-256\n"
	End  = "# end of the lock\n"
)

// An Entry is a file in the store, a cassette or an asset of one: its path below testdata,
// with slashes, its size, and its SHA-256 in hexadecimal digits.
type Entry struct{ Path, Size, SHA256 string }

const entryLine = `(cassettes/.+) (\d{1,15}) ([0-9a-f]{64})\n`

var (
	entries = memo.Regexp(`(?m)^` + entryLine)

	// validLines matches the lines of a lock up to the first one that is not valid.
	validLines = memo.Regexp(`^` + Head + `(?:\n|` + entryLine + `)*(?:` + End + `$)?`)
)

// Parse parses a lock. Errors have the name of its file.
func Parse(file string, data []byte) ([]Entry, error) {
	text := strings.ReplaceAll(string(data), "\r", "")
	valid := validLines().FindString(text)
	if valid != text || !strings.HasSuffix(text, End) {
		line := strings.Count(valid, "\n") + 1
		return nil, fmt.Errorf("%s:%d: the lock is incomplete: it was cut or edited, or git left a conflict in it. "+
			"promptecho-store merge settles a conflict; git checkout %s restores the last version",
			file, line, shell.Quote(file))
	}
	newEntry := func(m []string) Entry { return Entry{Path: m[1], Size: m[2], SHA256: m[3]} }
	return group.Each(entries().FindAllStringSubmatch(text, -1), newEntry), nil
}

// Missing returns the files that the lock of a package names and that do not exist. pkg is
// the folder of the package.
func Missing(pkg string) ([]Entry, error) {
	file := filepath.Join(pkg, File)
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := Parse(file, data)
	hasFile := func(e Entry) bool { return exists(filepath.Join(pkg, "testdata", e.Path)) }
	return slices.DeleteFunc(list, hasFile), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !os.IsNotExist(err)
}

// Check returns an error if a cassette does not exist and the lock of its package names it.
func Check(cassette string) error {
	pkg, name, ok := testname.Split(cassette)
	if !ok || exists(cassette) {
		return nil
	}
	missing, err := Missing(pkg)
	isCassette := func(e Entry) bool { return filepath.Join("testdata", e.Path) == name }
	if slices.ContainsFunc(missing, isCassette) {
		return fmt.Errorf("%s is not here; %s says that it is in the store, so it was not recorded again. "+
			"To fetch it:\n  promptecho-store pull %s\nTo record it anyway, remove its line from the lock",
			cassette, filepath.Join(pkg, File), shell.Quote(cassette))
	}
	return err
}
