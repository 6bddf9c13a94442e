package scripts

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// TestFileNames: the go command takes a module with the cassettes of any test;
// golang.org/x/mod/zip refuses a whole module over one bad name.
func TestFileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("CI", "")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	names := []string{
		"TestPlain", "Test/sub/subsub", "Test/case#01", "Test/a=1,b=2", `Test/a:b*c?d"e<f>g|h\i`, "Test/../../etc/passwd", "Test//abs", "Test/",
		"Test/.hidden", "Test/end.", "Test/100%", "Test/émoji😀", "TestÜmlaut", "Test/con", "Test/COM1.txt", "Test/x.yaml/y", "Test/-flag", "Test/a\x00b\x7f`'~&;!",
	}
	for _, name := range names {
		rec, err := promptecho.Open(testname.File(name)) // as echotest.New does
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		resp, err := rec.Client().Get(server.URL)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		resp.Body.Close()
		if err := rec.Close(); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	saved := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		saved++
		return module.CheckFilePath(filepath.ToSlash(path))
	})
	if err != nil {
		t.Error(err)
	}
	if saved != len(names) {
		t.Errorf("%d tests have %d files", len(names), saved)
	}
	if _, err := os.Stat(filepath.Join("testdata", "cassettes", "TestPlain.yaml")); err != nil {
		t.Error(err)
	}
}
