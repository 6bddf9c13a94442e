// Package lock reads testdata/cassettes.lock, which names the cassettes of a package that are
// kept in an object store. The command promptecho-store writes it; the library only has to know
// that such a cassette exists although it is not here.
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

// File is where the lock of a package is, below the package's folder. It begins with Head and ends
// with End: one that was cut would seem to name fewer cassettes.
const File, Head, End = "testdata/cassettes.lock", "# Kept by promptecho-store: path, bytes, SHA-256\n", "# end of the lock\n"

// An Entry names a file that is kept, a cassette or an asset of one: its path, with slashes,
// below testdata, its size, and its SHA-256 in hexadecimal digits.
type Entry struct{ Path, Size, SHA256 string }

const entry = `(cassettes/.+) (\d{1,15}) ([0-9a-f]{64})\n`

var entries, good = memo.Regexp(`(?m)^` + entry), memo.Regexp(`^` + Head + `(?:\n|` + entry + `)*(?:` + End + `$)?`)

// Parse reads a lock. The file is its name in errors.
func Parse(file string, data []byte) (list []Entry, err error) {
	text := strings.ReplaceAll(string(data), "\r", "")
	if whole := good().FindString(text); whole != text || !strings.HasSuffix(text, End) {
		return nil, fmt.Errorf("%s:%d: the lock is incomplete: it was cut or edited, or git left a conflict in it. promptecho-store merge settles a conflict; git checkout %s restores the last version", file, strings.Count(whole, "\n")+1, shell.Quote(file))
	}
	return group.Each(entries().FindAllStringSubmatch(text, -1), func(m []string) Entry { return Entry{m[1], m[2], m[3]} }), nil
}

// Missing returns what the lock of the package in a folder names and what is not there.
func Missing(pkg string) (list []Entry, err error) {
	file := filepath.Join(pkg, File)
	if data, failed := os.ReadFile(file); failed == nil {
		list, err = Parse(file, data)
	} else if !os.IsNotExist(failed) {
		err = failed
	}
	return slices.DeleteFunc(list, func(e Entry) bool { return exists(filepath.Join(pkg, "testdata", e.Path)) }), err
}

func exists(path string) bool { _, err := os.Stat(path); return !os.IsNotExist(err) }

// Check returns an error if a cassette is not there and the lock of its package names it.
func Check(cassette string) error {
	pkg, name, ok := testname.Split(cassette)
	if !ok || exists(cassette) {
		return nil
	}
	missing, err := Missing(pkg)
	if slices.ContainsFunc(missing, func(e Entry) bool { return filepath.Join("testdata", e.Path) == name }) {
		return fmt.Errorf("%s is not here; %s says that it is in the store, so it was not recorded again. To fetch it:\n  promptecho-store pull %s\nTo record it anyway, remove its line from the lock", cassette, filepath.Join(pkg, File), shell.Quote(cassette))
	}
	return err
}
