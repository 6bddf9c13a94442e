package tape

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that docs/design/mechanisms.md names exists in this package, in the
// packages canon, sequence and idle, or below tests.
func TestDocumentedMechanisms(t *testing.T) {
	t.Parallel()
	const page = "../../docs/design/mechanisms.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}

	var tests strings.Builder
	for _, pattern := range []string{
		"*_test.go", "../canon/*_test.go", "../sequence/*_test.go", "../sequence/idle/*_test.go", "../../tests/*/*_test.go",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(source)
		}
	}

	names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) == 0 {
		t.Fatalf("%s names no test", page)
	}
	for _, name := range names {
		if !strings.Contains(tests.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("%s names %s, which does not exist", page, name[1])
		}
	}
}
