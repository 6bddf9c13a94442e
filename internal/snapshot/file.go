// Package snapshot is the file that the snapshots of a test live in: its sections, what is
// pending beside it until somebody has reviewed it, and how both reach the disk whole. It
// also says what a value is as text, and whether two of them are equal. It knows no tests.
//
// From the bottom up: file.go has the format, value.go what is written and compared, and
// folder.go where files are and how they are written.
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
	Route = "route" // text that says what an agent did
)

// quoted is how a text is written that has characters that cannot be seen.
const quoted = "quoted"

// A Section is one snapshot.
type Section struct {
	Name string
	Kind string
	Text string // without "\r\n"

	// What follows is of a pending one only.

	Was string // the Sum of the section that it would replace; empty if there is none
	At  string // "file.go:line", where the test asked
}

// Sum tells the section from every other one of its name.
func (s *Section) Sum() string {
	sum := sha256.Sum256([]byte(s.Kind + "\n" + s.Text))
	return hex.EncodeToString(sum[:4])
}

// A File is the snapshots of one test, sorted by their names.
type File struct{ Sections []*Section }

// Find returns the section of a name, or nil if there is none.
func (f *File) Find(name string) *Section {
	i := slices.IndexFunc(f.Sections, func(s *Section) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return f.Sections[i]
}

// Put puts a section into the file, in the place of that of its name if there is one.
func (f *File) Put(s *Section) {
	f.Drop(s.Name)
	f.Sections = append(f.Sections, s)
	slices.SortFunc(f.Sections, func(a, b *Section) int { return compareNames(a.Name, b.Name) })
}

// Drop removes the section of a name, if there is one.
func (f *File) Drop(name string) {
	f.Sections = slices.DeleteFunc(f.Sections, func(s *Section) bool { return s.Name == name })
}

// compareNames sorts numbers as numbers, and before everything else.
func compareNames(a, b string) int {
	m, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	switch {
	case err1 == nil && err2 == nil:
		return cmp.Or(cmp.Compare(m, n), strings.Compare(a, b))
	case err1 == nil:
		return -1
	case err2 == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// CheckName returns why a section cannot have a name, or nil if it can.
func CheckName(name string) error {
	const longest = 200
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a name must not be empty")
	case len(name) > longest:
		return fmt.Errorf("a name has at most %d bytes, and this one has %d", longest, len(name))
	case redact.OneLine(name) != name, strings.TrimSpace(name) != name:
		return fmt.Errorf("%q is not a name: it has spaces around it, or invisible characters", name)
	}
	return nil
}

const (
	first = "promptecho snapshots, version 1"
	last  = "-- end --"
)

// header is the line above a section: its name, its kind, and of a pending one what it
// replaces and where it was asked for.
var header = memo.Regexp(`^-- (.+) \((text|json|route|quoted)(?:, (?:new|was ([0-9a-f]{8})), at (.*))?\) --$`)

// special are the lines of a text that would be read as something else: a backslash is put
// before them, and taken away again.
var special = memo.Regexp(`^\\*(-- |<<<<<<< |>>>>>>> |\|\|\|\|\|\|\| |=======$)`)

// conflict is a line that git puts between two sides of a merge.
var conflict = memo.Regexp(`^(<<<<<<< |>>>>>>> |\|\|\|\|\|\|\| |=======$)`)

// Encode returns the text of the file. That of no sections is empty; pending says that the
// sections are to be reviewed.
func (f *File) Encode(pending bool) []byte {
	if len(f.Sections) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(first + "\n")
	for _, s := range f.Sections {
		kind, text := s.Kind, s.Text
		if redact.Visible(text) != text {
			kind, text = quoted, quote(text)
		}
		more := ""
		if pending {
			more = ", new"
			if s.Was != "" {
				more = ", was " + s.Was
			}
			more += ", at " + redact.OneLine(s.At)
		}
		fmt.Fprintf(&b, "-- %s (%s%s) --\n", s.Name, kind, more)
		for line := range strings.SplitSeq(text, "\n") {
			if special().MatchString(line) {
				line = `\` + line
			}
			b.WriteString(line + "\n")
		}
	}
	b.WriteString(last + "\n")
	return []byte(b.String())
}

// quote writes each line of a text as a string of Go.
func quote(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strconv.Quote(line)
	}
	return strings.Join(lines, "\n")
}

func unquote(text string) (string, error) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		plain, err := strconv.Unquote(line)
		if err != nil {
			return "", fmt.Errorf("%s is not a quoted line", line)
		}
		lines[i] = plain
	}
	return strings.Join(lines, "\n"), nil
}

// A SyntaxError says where a file with snapshots is broken, and what to do about it.
type SyntaxError struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Parse reads the text of a file. It reads all of it or nothing.
func Parse(name string, data []byte) (*File, error) {
	at := func(line int, format string, args ...any) error {
		return &SyntaxError{File: name, Line: line, Msg: fmt.Sprintf(format, args...)}
	}
	text, whole := strings.CutSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"+last+"\n")
	lines := strings.Split(text, "\n")
	if i := slices.IndexFunc(lines, conflict().MatchString); i >= 0 {
		return nil, at(i+1, "a merge has left conflict markers: take one side (git checkout --ours "+
			"or --theirs), or run the tests with -echo.update")
	}
	switch {
	case lines[0] != first:
		return nil, at(1, "the first line must be %q", first)
	case !whole:
		return nil, at(len(lines), "the file was cut, or edited: its last line must be %q", last)
	}
	f := &File{}
	for i := 1; i < len(lines); {
		m := header().FindStringSubmatch(lines[i])
		if m == nil {
			return nil, at(i+1, "want the heading of a section, such as %q", "-- 1 (text) --")
		}
		s, start := &Section{Name: m[1], Kind: m[2], Was: m[3], At: redact.OneLine(m[4])}, i+1
		if err := CheckName(s.Name); err != nil {
			return nil, at(start, "%v", err)
		}
		for i++; i < len(lines) && !strings.HasPrefix(lines[i], "-- "); i++ {
			if special().MatchString(lines[i]) {
				lines[i] = lines[i][1:]
			}
		}
		if start == i {
			return nil, at(start, "the section %q has no text: for an empty text, write one empty line", s.Name)
		}
		s.Text = strings.Join(lines[start:i], "\n")
		if s.Kind == quoted {
			plain, err := unquote(s.Text)
			if err != nil {
				return nil, at(start+1, "%v", err)
			}
			s.Kind, s.Text = Text, plain
		}
		if f.Find(s.Name) != nil {
			return nil, at(start, "there are two sections of the name %q", s.Name)
		}
		f.Put(s)
	}
	return f, nil
}
