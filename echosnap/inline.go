package echosnap

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/inline"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// Inline compares a value with a snapshot that stands in the source: a string literal, which
// -echo.update writes. It is for short texts; begin with an empty one. Otherwise it is
// [Match], and takes its options but for [Name].
func Inline(t testing.TB, got any, want string, opts ...Option) {
	t.Helper()
	c := newConfig(t, "Inline", opts)
	if c.name != "" {
		t.Fatal("echosnap: Inline: a snapshot in the source has no name")
	}
	sec := c.section(t, "Inline", got)
	was := &snapshot.Section{Kind: sec.Kind, Text: want}
	if was.Equal(sec, c.ignored) {
		return
	}
	s := sessionOf(t)
	_, file, line, _ := runtime.Caller(1)
	sec.Name = filepath.Base(file) + ":" + strconv.Itoa(line)
	switch {
	case s.do == update:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inlines = append(s.inlines, inlined{file, line, want, sec.Text})
	case want != "" && c.ask != nil && s.judged(was, sec, c):
	case want == "":
		s.fail("the snapshot is empty. To write it:\n  %s\n\n%s", command(t.Name()), shown(sec))
	default:
		s.fail("the value differs:\n%s\nTo accept it:\n  %s", differences(was, sec, c.ignored), command(t.Name()))
	}
}

// An inlined is a snapshot in the source that is to be written.
type inlined struct {
	file     string
	line     int
	was, now string
}

// sources are the files whose snapshots this process has written, as they were compiled.
var sources = struct {
	sync.Mutex
	files map[string]*inline.Source
}{files: map[string]*inline.Source{}}

// rewrite writes the snapshots of the test into the source, if it passed.
func (s *session) rewrite() {
	s.t.Helper()
	if s.t.Failed() {
		return
	}
	for _, i := range s.inlines {
		if err := i.write(); err != nil {
			s.t.Errorf("echosnap: %s:%d: the snapshot is not written: %v", filepath.Base(i.file), i.line, err)
		}
	}
}

func (i *inlined) write() error {
	sources.Lock()
	defer sources.Unlock()
	path := i.file
	if !filepath.IsAbs(path) { // -trimpath: it is of this package, unless another one has a file of the name
		path = filepath.Join(folder, filepath.Base(path))
	}
	source := sources.files[path]
	if source == nil {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		source = inline.NewSource(text)
	}
	if err := source.Replace("Inline", i.line, i.was, i.now); err != nil {
		return err
	}
	sources.files[path] = source
	return snapshot.Write(path, source.Text())
}
