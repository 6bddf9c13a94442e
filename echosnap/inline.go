package echosnap

import (
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/promptecho/promptecho/internal/snapshot"
)

// Inline compares a value with a snapshot in the source code: a string literal,
// which -echo.update writes. It is for short texts; begin with an empty one.
// Otherwise it is like [Match], and takes its options except [Name].
func Inline(t testing.TB, got any, want string, opts ...Option) {
	t.Helper()
	c := newConfig(t, "Inline", opts)
	if c.name != "" {
		t.Fatal("echosnap: Inline takes no Name: leave that option out")
	}
	sec := c.section(t, "Inline", got)
	_, file, line, _ := runtime.Caller(1)
	sec.Name = filepath.Base(file) + ":" + strconv.Itoa(line)
	was := &snapshot.Section{Name: sec.Name, Kind: sec.Kind, Text: want}
	if was.Equal(sec, c.ignored) {
		return
	}
	s := sessionOf(t)
	switch {
	case s.mode == update:
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
