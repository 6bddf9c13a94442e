package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A link between pages of the documentation leads to a file that exists.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(must.Read(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

// README.md shows the command for each record mode but once, which is the default.
func TestReadmeShowsEachMode(t *testing.T) {
	t.Parallel()
	readme := must.Read(t, "README.md")
	for _, mode := range must.EveryMode {
		isDefault := mode == promptecho.ModeOnce
		if !isDefault && !strings.Contains(readme, "PROMPTECHO_MODE="+string(mode)+" ") {
			t.Errorf("README.md does not show mode %s", mode)
		}
	}
}

// A test that the documentation names as proof of a promise exists.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, pattern := range []string{
		"*_test.go",
		"tests/*/*_test.go",
		"echofault/*_test.go",
		"echosnap/*_test.go",
		"echotest/*_test.go",
		"cmd/*/*_test.go",
		"cmd/promptecho/internal/*/*_test.go",
		"internal/*/*_test.go",
		"internal/*/*/*_test.go",
		"browser/*_test.go",
		"interop/*_test.go",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			source.WriteString(must.Read(t, file))
		}
	}
	fewest := map[string]int{
		"docs/SUPPORT.md":  50,
		"docs/SECURITY.md": 40,
		"docs/DESIGN.md":   15,
		"docs/FAULTS.md":   5,
	}
	for page, fewest := range fewest {
		names := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(must.Read(t, page), -1)
		for _, m := range names {
			if !strings.Contains(source.String(), "func "+m[1]+"(") {
				t.Errorf("%s names %s, which is nowhere", page, m[1])
			}
		}
		if len(names) < fewest {
			t.Errorf("%s names %d tests, want %d or more", page, len(names), fewest)
		}
	}
}

// A file that docs/DESIGN.md names exists. One that is named without a folder may be in any.
func TestFilesOfTheDesignExist(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`([\\w/.-]+\\.go)`").FindAllStringSubmatch(must.Read(t, "docs/DESIGN.md"), -1)
	if len(named) < 60 {
		t.Errorf("docs/DESIGN.md names %d files, want 60 or more", len(named))
	}
	exists := func(pattern string) bool {
		files, err := filepath.Glob(pattern)
		return err == nil && len(files) > 0
	}
	for _, m := range named {
		name := m[1]
		places := []string{name}
		if !strings.Contains(name, "/") {
			places = append(places, "*/"+name, "*/*/"+name, "internal/*/*/"+name, "cmd/promptecho/internal/*/"+name)
		}
		if !slices.ContainsFunc(places, exists) {
			t.Errorf("docs/DESIGN.md names %s, which is nowhere", name)
		}
	}
}

// docs/MISSES.md lists every report in tests/reports/testdata under what it is about.
func TestMissesListsEachReport(t *testing.T) {
	t.Parallel()
	page := must.Read(t, "docs/MISSES.md")
	files, err := filepath.Glob("tests/reports/testdata/*.txtar")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d reports, want 60 or more: %v", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		about := strings.Join(strings.Fields(string(archive.Comment)), " ")
		if line := "- [" + about + "](../" + file + ")\n"; !strings.Contains(page, line) {
			t.Errorf("docs/MISSES.md does not list a report; add under \"All reports\":\n%s", line)
		}
	}
}
