package orphans

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

// TestCassettes: what no test is named after may be opened by a name that is put together, and
// the name of a subtest is a text of many tests.
func TestCassettes(t *testing.T) {
	t.Parallel()
	files := map[string]string{"x_test.go": source}
	for _, name := range []string{"TestPlain", "TestPlain/sub", "TestPlai", "TestMethod", "TestComment", "TestQuoted/a/b", "FuzzIt", "TestOld/ab", "TestShared/x", "opened", "model-gpt", "TestPlain.derived", "TestGone.assets/x"} {
		files["testdata/cassettes/"+name+".yaml"] = ""
	}
	files["testdata/cassettes/TestGone.yaml.failed"] = ""
	p := In(write(t, files))
	var got []string
	for _, o := range p.Left() {
		rel, _ := filepath.Rel("testdata/cassettes", o)
		got = append(got, filepath.ToSlash(rel))
	}
	if want := []string{"TestComment.yaml", "TestMethod.yaml", "TestOld/ab.yaml", "TestPlai.yaml", "TestQuoted/a/b.yaml"}; len(p.Cassettes) != 11 || !slices.Equal(got, want) {
		t.Errorf("%d cassettes, orphans %q, want %q", len(p.Cassettes), got, want)
	}
}

// Without sources, or with one that cannot be read, nobody knows what is gone.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no sources":   {"testdata/cassettes/TestGone.yaml": ""},
		"not closed":   {"testdata/cassettes/TestGone.yaml": "", "x_test.go": "package x\nvar a = `func TestGone("},
		"a bracket":    {"testdata/cassettes/TestGone.yaml": "", "x_test.go": "package x\nfunc TestA(t *testing.T) { foo( }\nfunc TestGone(t *testing.T) {}"},
		"two brackets": {"testdata/cassettes/TestGone.yaml": "", "x_test.go": "package x\nfunc TestA(t *testing.T) { if x {\n}\nfunc TestGone(t *testing.T) {}\nfunc TestC(t *testing.T) { }}"},
		"not Go text":  {"testdata/cassettes/TestGone.yaml": "", "x_test.go": "package x\n\x00"},
	} {
		p := In(write(t, files))
		if left := p.Left(); len(p.Cassettes) != 1 || len(left) != 0 {
			t.Errorf("%s: %q, %q", name, p.Cassettes, left)
		}
	}
}
