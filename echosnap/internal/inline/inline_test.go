package inline

import (
	"go/format"
	"strings"
	"testing"
)

const source = `package p

func TestX(t *testing.T) {
	echosnap.Inline(t, got, "") // new
	echosnap.Inline(t, got,
		"old",
	)
	Inline(t, f(func() string { return "x" }), "a"+("b"), echosnap.Ignore("c"))
	echosnap.Inline(t, got, want)
	echosnap.Inline(t, a, "x"); echosnap.Inline(t, b, "x")
	echosnap.Match(t, got, "y")
}
`

func TestReplace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line     int
		was, now string
		want     string // in the new source, or the error
	}{
		{4, "", "one", `Inline(t, got, "one") // new`},
		{4, "", "two\nlines", "Inline(t, got, `two\nlines`) // new"},
		{4, "", "with `\nquotes", `Inline(t, got, "with ` + "`" + `\nquotes") // new`},
		{4, "", "esc \x1b\n", `Inline(t, got, "esc \x1b\n") // new`},
		{4, "", "\ufeff\n", `Inline(t, got, "\ufeff\n") // new`},
		{5, "old", "new", "\n\t\t\"new\",\n"},
		{6, "old", "new", "\n\t\t\"new\",\n"},
		{8, "ab", "new", `}), "new", echosnap.Ignore("c"))`},
		{4, "gone", "new", "the source has changed since the test was built"},
		{9, "x", "new", "the snapshot is not a string literal"},
		{10, "x", "new", "line 10 has several calls with this snapshot"},
		{11, "y", "new", "the source has changed since the test was built"},
		{99, "", "new", "the source has changed since the test was built"},
	} {
		s := NewSource([]byte(source))
		got := ""
		if err := s.Replace("Inline", tt.line, tt.was, tt.now); err != nil {
			got = err.Error()
		} else {
			got = string(s.Text())
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("line %d, %q to %q: %s, want %s", tt.line, tt.was, tt.now, got, tt.want)
		}
	}
	if err := NewSource([]byte("package")).Replace("Inline", 1, "", "x"); err == nil {
		t.Error("source that cannot be read is rewritten")
	}
}

// TestSeveral: the lines are those that were compiled, whatever was replaced before; a call
// that comes again with the same value is no other one; what gofmt wrote stays so.
func TestSeveral(t *testing.T) {
	t.Parallel()
	text := strings.Replace(source, "\techosnap.Inline(t, a, \"x\"); echosnap.Inline(t, b, \"x\")\n", "\ta := 1                        // a comment\n", 1)
	if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
		text = string(formatted)
	}
	s := NewSource([]byte(text))
	for range 2 {
		for _, r := range []struct {
			line     int
			was, now string
		}{{8, "ab", "eight"}, {4, "", "four\nlines\nlong\n"}, {5, "old", "five"}} {
			if err := s.Replace("Inline", r.line, r.was, r.now); err != nil {
				t.Error(err)
			}
		}
	}
	got := s.Text()
	formatted, err := format.Source(got)
	if err != nil || string(formatted) != string(got) {
		t.Errorf("%v: not as gofmt writes it:\n%s", err, got)
	}
	for _, want := range []string{"`four\nlines\nlong\n`) // new", `"five",`, `"eight", echosnap`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if err := s.Replace("Inline", 4, "", "other"); err == nil || !strings.Contains(err.Error(), "two different values in one run") {
		t.Error(err)
	}
}
