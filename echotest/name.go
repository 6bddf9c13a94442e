package echotest

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
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

// fileFor returns the cassette of the test named name.
func fileFor(name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = safeSegment(s)
	}
	return filepath.Join("testdata", "cassettes", filepath.Join(segments...)) + ".yaml"
}

// safeSegment makes one segment of a name safe. What is plain stays as it is;
// everything else becomes %XX, and so does the first byte of a name that
// Windows reserves. A long name is cut and ends in a hash of the whole.
func safeSegment(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if plainByte(c) && !(c == '.' && (i == 0 || i == len(s)-1)) && !(i == 0 && c == '-') {
			b.WriteByte(c)
			continue
		}
		escape(&b, c)
	}
	out := b.String()
	switch ext := strings.ToLower(filepath.Ext(out)); {
	case out == "":
		return "%"
	case ext == ".yaml" || ext == ".assets" || ext == ".partial" || ext == ".failed":
		// A folder of this name could be in the way of a cassette or its files.
		out = strings.TrimSuffix(out, filepath.Ext(out)) + "%2E" + filepath.Ext(out)[1:]
	case reserved(out):
		b.Reset()
		escape(&b, out[0])
		out = b.String() + out[1:]
	}
	if len(out) <= maxSegment {
		return out
	}
	sum := sha256.Sum256([]byte(s))
	return strings.TrimRight(out[:maxSegment-18], "%.") + "-h" + hex.EncodeToString(sum[:8])
}

func escape(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-.=+,@#()[]{}", c) >= 0
}

// reserved reports whether Windows gives the name to a device, whatever
// extension follows (https://learn.microsoft.com/windows/win32/fileio/naming-a-file),
// or shortens another to it ("name~1").
func reserved(s string) bool {
	base, _, _ := strings.Cut(strings.ToLower(s), ".")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	return len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) && '0' <= base[3] && base[3] <= '9'
}
