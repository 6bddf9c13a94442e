package orphans

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/tree"
)

// TestCassettes: what no test is named after may be opened by a name that is put together, and
// the name of a subtest is a text of many tests.
func TestCassettes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../testenv/tests/testdata/odd_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"x_test.go": string(source)}
	for _, name := range []string{"TestPlain", "TestPlain/sub", "TestPlai", "TestMethod", "TestComment", "TestQuoted/a/b", "FuzzIt", "TestOld/ab", "TestShared/x", "opened", "model-gpt", "TestPlain.derived", "TestGone.assets/x"} {
		files["testdata/cassettes/"+name+".yaml"] = ""
	}
	files["testdata/cassettes/TestGone.yaml.failed"] = ""
	p := In(tree.New(t, files))
	var got []string
	for _, o := range p.Orphans() {
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
		p := In(tree.New(t, files))
		if left := p.Orphans(); len(p.Cassettes) != 1 || len(left) != 0 {
			t.Errorf("%s: %q, %q", name, p.Cassettes, left)
		}
	}
}
