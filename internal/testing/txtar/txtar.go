// Package txtar reads and writes the archives of text files that tests keep their
// cases in: a comment, then each file behind a line "-- NAME --". It is the format of
// golang.org/x/tools/txtar, which would be the only thing that this module requires.
// It is for tests.
package txtar

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Archive is a comment and files in order.
type Archive struct {
	Comment []byte
	Files   []File
}

// File is one file of an archive.
type File struct {
	Name string
	Data []byte // ends in a line end
}

// ParseFile reads the archive in a file.
func ParseFile(name string) (*Archive, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(data), nil
}

// Parse reads an archive. Every text is one.
func Parse(data []byte) *Archive {
	a := new(Archive)
	text := &a.Comment
	for line := range bytes.Lines(data) {
		if name, ok := fileName(string(line)); ok {
			a.Files = append(a.Files, File{Name: name})
			text = &a.Files[len(a.Files)-1].Data
			continue
		}
		*text = append(*text, line...)
	}
	return a
}

// fileName returns the name in a line that starts a file.
func fileName(line string) (name string, ok bool) {
	name, ok = strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok && strings.TrimSpace(name) != ""
}

// Format returns the text of an archive.
func Format(a *Archive) []byte {
	b := bytes.Clone(a.Comment)
	for _, f := range a.Files {
		b = append(fmt.Appendf(b, "-- %s --\n", f.Name), f.Data...)
	}
	return b
}
