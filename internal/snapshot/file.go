// Package snapshot reads and writes files with snapshots. The snapshots of a test are the
// sections of one file. New versions of them wait in a pending file next to it until a user
// accepts or rejects them. The package also turns values into sections, and compares sections.
//
// From the bottom up: file.go has the format, value.go the text and the comparison of values,
// and folder.go the paths and the writing of files.
package snapshot

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact"
)

// The kinds of sections.
const (
	Text  = "text"  // equal if it is the same text
	JSON  = "json"  // equal if it is the same value
	Route = "route" // text that describes what an agent did
)

// quoted is the kind in the file of a text with invisible characters: each of its lines is a
// Go string literal.
const quoted = "quoted"

// A Section is one snapshot.
type Section struct {
	Name string
	Kind string
	Text string // without "\r\n"

	// Only pending sections have these fields.

	OldSum string // the Sum of the section to be replaced; empty if there is none
	At     string // the line of the test that asked for the snapshot: "file.go:line"
}

// Sum returns a checksum of the kind and the text.
func (s *Section) Sum() string {
	sum := sha256.Sum256([]byte(s.Kind + "\n" + s.Text))
	return hex.EncodeToString(sum[:4])
}

// A File holds the snapshots of one test, sorted by their names.
type File struct{ Sections []*Section }

// Find returns the section of a name, or nil if there is none.
func (f *File) Find(name string) *Section {
	i := slices.IndexFunc(f.Sections, func(s *Section) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return f.Sections[i]
}

// Put adds a section, and replaces the section of the same name if there is one.
func (f *File) Put(s *Section) {
	f.Drop(s.Name)
	f.Sections = append(f.Sections, s)
	slices.SortFunc(f.Sections, func(a, b *Section) int { return compareNames(a.Name, b.Name) })
}

// Drop removes the section of a name, if there is one.
func (f *File) Drop(name string) {
	f.Sections = slices.DeleteFunc(f.Sections, func(s *Section) bool { return s.Name == name })
}

// compareNames compares two names: numbers by value and before all other names, these as text.
func compareNames(a, b string) int {
	numberA, errA := strconv.Atoi(a)
	numberB, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil:
		return cmp.Or(cmp.Compare(numberA, numberB), strings.Compare(a, b))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// CheckName returns an error if a name is not valid for a section.
func CheckName(name string) error {
	const longest = 200
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a name must not be empty")
	case len(name) > longest:
		return fmt.Errorf("a name has at most %d bytes, and this one has %d", longest, len(name))
	case redact.OneLine(name) != name, strings.TrimSpace(name) != name:
		return fmt.Errorf("%q is not a name: "+
			"it has spaces around it, or invisible characters", name)
	}
	return nil
}

const (
	firstLine = "promptecho snapshots, version 1"
	lastLine  = "-- end --"
)

// heading is the line above a section: the name and the kind, and for a pending section
// OldSum and At.
var heading = memo.Regexp(`^-- (.+) \((text|json|route|quoted)` +
	`(?:, (?:new|was ([0-9a-f]{8})), at (.*))?\) --$`)

// conflictMarker is a line that git writes between two sides of a merge.
var conflictMarker = memo.Regexp(`^(<<<<<<< |>>>>>>> |\|\|\|\|\|\|\| |=======$)`)

// needsEscape matches the lines of a text that would be read as a heading or a conflict marker,
// or as the escaped form of one. Encode adds a backslash before them, and Parse removes it.
var needsEscape = memo.Regexp(`^\\*(-- |<<<<<<< |>>>>>>> |\|\|\|\|\|\|\| |=======$)`)

// Encode returns the content of the file, which is empty if there are no sections. pending says
// that it is a pending file.
func (f *File) Encode(pending bool) []byte {
	if len(f.Sections) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(firstLine + "\n")
	for _, s := range f.Sections {
		kind, text := s.Kind, s.Text
		hasInvisible := redact.Visible(text) != text
		if hasInvisible {
			kind = quoted
			text = quote(text)
		}
		details := ""
		if pending {
			details = s.pendingDetails()
		}
		fmt.Fprintf(&b, "-- %s (%s%s) --\n", s.Name, kind, details)
		for line := range strings.SplitSeq(text, "\n") {
			if needsEscape().MatchString(line) {
				line = `\` + line
			}
			b.WriteString(line + "\n")
		}
	}
	b.WriteString(lastLine + "\n")
	return []byte(b.String())
}

// pendingDetails returns the part of a heading that only pending sections have.
func (s *Section) pendingDetails() string {
	at := ", at " + redact.OneLine(s.At)
	if s.OldSum == "" {
		return ", new" + at
	}
	return ", was " + s.OldSum + at
}

// quote returns a text with each of its lines as a Go string literal.
func quote(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strconv.Quote(line)
	}
	return strings.Join(lines, "\n")
}

// unquote is the reverse of [quote].
func unquote(text string) (string, error) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		unquoted, err := strconv.Unquote(line)
		if err != nil {
			return "", fmt.Errorf("%s is not a quoted line", line)
		}
		lines[i] = unquoted
	}
	return strings.Join(lines, "\n"), nil
}

// A SyntaxError says where a file with snapshots is broken, and how to mend it.
type SyntaxError struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Parse reads the content of a file. name is the path for errors, which are of type
// [*SyntaxError].
func Parse(name string, data []byte) (*File, error) {
	errorAt := func(line int, format string, args ...any) error {
		return &SyntaxError{File: name, Line: line, Msg: fmt.Sprintf(format, args...)}
	}

	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	text, hasLastLine := strings.CutSuffix(text, "\n"+lastLine+"\n")
	lines := strings.Split(text, "\n")
	if i := slices.IndexFunc(lines, conflictMarker().MatchString); i >= 0 {
		return nil, errorAt(i+1, "a merge has left conflict markers: take one side "+
			"(git checkout --ours or --theirs), or run the tests with -echo.update")
	}
	if lines[0] != firstLine {
		return nil, errorAt(1, "the first line must be %q", firstLine)
	}
	if !hasLastLine {
		return nil, errorAt(len(lines), "the file was cut, or edited: "+
			"its last line must be %q", lastLine)
	}

	f := &File{}
	for i := 1; i < len(lines); {
		match := heading().FindStringSubmatch(lines[i])
		if match == nil {
			return nil, errorAt(i+1, "want the heading of a section, such as %q", "-- 1 (text) --")
		}
		s := &Section{
			Name:   match[1],
			Kind:   match[2],
			OldSum: match[3],
			At:     redact.OneLine(match[4]),
		}
		i++
		start := i // also the number of the heading's line, counted from 1
		if err := CheckName(s.Name); err != nil {
			return nil, errorAt(start, "%v", err)
		}

		for ; i < len(lines) && !strings.HasPrefix(lines[i], "-- "); i++ {
			if needsEscape().MatchString(lines[i]) {
				lines[i] = lines[i][1:]
			}
		}
		if start == i {
			return nil, errorAt(start, "the section %q has no text: for an empty text, "+
				"write one empty line", s.Name)
		}
		s.Text = strings.Join(lines[start:i], "\n")
		if s.Kind == quoted {
			unquoted, err := unquote(s.Text)
			if err != nil {
				return nil, errorAt(start+1, "%v", err)
			}
			s.Kind = Text
			s.Text = unquoted
		}
		if f.Find(s.Name) != nil {
			return nil, errorAt(start, "there are two sections of the name %q", s.Name)
		}
		f.Put(s)
	}
	return f, nil
}
