package tests

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// write writes files below a new folder.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const source = `package x

import "testing"

var _ = map[string]func(){"a": func() {}}

// func TestComment(t *testing.T) {}
func TestPlain(t *testing.T) { use("testdata/cassettes/opened.yaml", "\u0061b", "../TestShared/x.yaml") }

func (s *suite) TestMethod() {}

func helper() { use("not/of/a/test") }

var text = ` + "`" + `
func TestQuoted(t *testing.T) {}
` + "`" + `

func FuzzIt(f *testing.F) {
	func() { use("inner") }()
}

func BenchmarkOf[T any](b *testing.B) {}
func example() {}
`

// Comments, methods and quoted code have no tests; a literal is read as Go reads it.
func TestIn(t *testing.T) {
	t.Parallel()
	p := In(write(t, map[string]string{"x_test.go": source, "x.go": "package x\nfunc TestNone() {}\n"}))
	if want := []string{"TestPlain", "FuzzIt", "BenchmarkOf"}; !slices.Equal(p.Functions, want) || p.unread != nil {
		t.Errorf("%q, %v, want %q", p.Functions, p.unread, want)
	}
	if got := p.Texts["TestPlain"]; !slices.Equal(got, []string{"testdata/cassettes/opened.yaml", "ab", "../TestShared/x.yaml"}) {
		t.Errorf("the texts in TestPlain: %q", got)
	}
	if got := p.Texts["FuzzIt"]; !slices.Equal(got, []string{"inner"}) {
		t.Errorf("the texts in FuzzIt: %q", got)
	}
}
