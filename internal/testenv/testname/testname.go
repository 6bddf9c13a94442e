// Package testname says which file is the cassette of a test, and to which package a cassette
// belongs.
package testname

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Names of tests hold anything: ":*?", unicode, "../../etc/passwd", "//abs".
// A cassette's path must be one that every file system and the module zip
// rules (golang.org/x/mod/module.CheckFilePath) accept, must differ for tests
// that differ (also on a file system that ignores case), and must stay inside
// the folder.

// maxSegment is how long a segment of a path gets, in bytes; file systems and
// tools limit names to 255 and Windows paths to 260.
const maxSegment = 80

// Folder is where the cassettes of a package's tests are, below the package's folder.
var Folder = filepath.Join("testdata", "cassettes")

// File returns the cassette of the test named name, below the folder of its package.
func File(name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = safeSegment(s)
	}
	return filepath.Join(Folder, filepath.Join(segments...)) + ".yaml"
}

// Split splits the path of a cassette into the folder of its package, "" for the working
// directory, and what is below that. ok is false if it is not below a folder of cassettes.
func Split(path string) (pkg, cassette string, ok bool) {
	slash := "/" + filepath.ToSlash(path)
	i := strings.LastIndex(slash, "/"+filepath.ToSlash(Folder)+"/")
	if i < 0 {
		return "", "", false
	}
	return filepath.FromSlash(strings.TrimPrefix(slash[:i], "/")), filepath.FromSlash(slash[i+1:]), true
}

// plain are the characters that may stand in the name of a file everywhere.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.=+,@#()[]{}"

// safeSegment makes one segment of a name safe. What is plain stays as it is;
// everything else becomes %XX, and so does the first byte of a name that
// Windows reserves. A long name is cut and ends in a hash of the whole.
func safeSegment(s string) string {
	out := ""
	for i := range len(s) {
		first, last := i == 0, i == len(s)-1
		if strings.IndexByte(plain, s[i]) < 0 || s[i] == '.' && (first || last) || s[i] == '-' && first {
			out += fmt.Sprintf("%%%02X", s[i])
		} else {
			out += s[i : i+1]
		}
	}
	switch ext := strings.ToLower(filepath.Ext(out)); {
	case out == "":
		return "%"
	case ext == ".yaml" || ext == ".assets" || ext == ".partial" || ext == ".failed":
		// A folder of this name could be in the way of a cassette or its files.
		out = strings.TrimSuffix(out, filepath.Ext(out)) + "%2E" + filepath.Ext(out)[1:]
	case reserved(out):
		out = fmt.Sprintf("%%%02X%s", out[0], out[1:])
	}
	if len(out) <= maxSegment {
		return out
	}
	hash := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%s-h%x", strings.TrimRight(out[:maxSegment-18], "%."), hash[:8])
}

// reserved reports whether Windows gives the name to a device, whatever
// extension follows (https://learn.microsoft.com/windows/win32/fileio/naming-a-file),
// or shortens another to it ("name~1").
func reserved(s string) bool {
	base, _, _ := strings.Cut(strings.ToLower(s), ".")
	return slices.Contains([]string{"con", "prn", "aux", "nul", "conin$", "conout$"}, base) ||
		len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) && '0' <= base[3] && base[3] <= '9'
}
