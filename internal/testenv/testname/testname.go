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

// maxSegment is the length of a segment of a path at most, in bytes. File systems
// limit names to 255 bytes, and Windows limits paths to 260.
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

// plain are the characters that every file system allows in names.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.=+,@#()[]{}"

// ourExtensions are those of cassettes and the files next to them.
var ourExtensions = []string{".yaml", ".assets", ".partial", ".failed"}

// safeSegment returns the name of a file or folder for a segment of a test name. Plain
// characters stay as they are. Others become %XX, and so does the first byte of a name
// that Windows reserves. A long name is cut and ends in a hash of the whole segment.
func safeSegment(segment string) string {
	if segment == "" {
		return "%"
	}
	var escaped strings.Builder
	for i := range len(segment) {
		if isPlainAt(segment, i) {
			escaped.WriteByte(segment[i])
		} else {
			fmt.Fprintf(&escaped, "%%%02X", segment[i])
		}
	}

	name := escaped.String()
	ext := filepath.Ext(name)
	switch {
	case slices.Contains(ourExtensions, strings.ToLower(ext)):
		// A folder with this name could have the path of a cassette.
		name = strings.TrimSuffix(name, ext) + "%2E" + ext[1:]
	case isDevice(name):
		name = fmt.Sprintf("%%%02X%s", name[0], name[1:])
	}
	if len(name) <= maxSegment {
		return name
	}
	hash := sha256.Sum256([]byte(segment))
	ending := fmt.Sprintf("-h%x", hash[:8])
	return strings.TrimRight(name[:maxSegment-len(ending)], "%.") + ending
}

// isPlainAt reports whether the byte at i stays as it is. A dot at an end hides a file or
// is dropped by Windows, and commands take a leading minus for a flag.
func isPlainAt(s string, i int) bool {
	isFirst := i == 0
	isLast := i == len(s)-1
	switch s[i] {
	case '.':
		return !isFirst && !isLast
	case '-':
		return !isFirst
	}
	return strings.IndexByte(plain, s[i]) >= 0
}

// isDevice reports whether Windows gives a name to a device, whatever extension follows
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
func isDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	if slices.Contains([]string{"con", "prn", "aux", "nul", "conin$", "conout$"}, base) {
		return true
	}
	isPort := strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")
	return isPort && len(base) == 4 && '0' <= base[3] && base[3] <= '9'
}
