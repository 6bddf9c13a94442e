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
	fromRoot()
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
	fromRoot()
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
	fromRoot()
	var source strings.Builder
	for _, pattern := range []string{
		"*_test.go",
		"tests/*/*_test.go",
		"echoexec/*_test.go",
		"echofake/*_test.go",
		"echofault/*_test.go",
		"echosnap/*_test.go",
		"echotest/*_test.go",
		"cmd/*/*_test.go",
		"cmd/promptecho/internal/*/*_test.go",
		"internal/*/*_test.go",
		"internal/*/*/*_test.go",
		"browser/*_test.go",
		"interop/*_test.go",
		"interop/*/*_test.go",
		"scripts/*_test.go",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			source.WriteString(must.Read(t, file))
		}
	}
	for _, page := range []struct {
		name   string
		text   string
		fewest int
	}{
		{"docs/SUPPORT.md", must.Read(t, "docs/SUPPORT.md"), 50},
		{"docs/SECURITY.md", must.Read(t, "docs/SECURITY.md"), 40},
		{"docs/FAULTS.md", must.Read(t, "docs/FAULTS.md"), 5},
		{"docs/PERFORMANCE.md", must.Read(t, "docs/PERFORMANCE.md"), 4},
		{"docs/DESIGN.md and docs/design", pagesForMaintainers(t), 60},
	} {
		names := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(page.text, -1)
		for _, m := range names {
			if !strings.Contains(source.String(), "func "+m[1]+"(") {
				t.Errorf("%s names %s, which is nowhere", page.name, m[1])
			}
		}
		if len(names) < page.fewest {
			t.Errorf("%s names %d tests, want %d or more", page.name, len(names), page.fewest)
		}
	}
}

// A test that a page for users names as proof of a promise has one row on the page of promises.
func TestNamedTestsHaveARow(t *testing.T) {
	t.Parallel()
	fromRoot()
	rows := map[string][]string{}
	for _, s := range subjects {
		for _, p := range promisesOf(t, s) {
			rows[p.test] = append(rows[p.test], p.file)
		}
	}
	for name, pages := range testsNamedInPages(t) {
		isExample := name == "TestMain"
		if !isExample && len(rows[name]) != 1 {
			t.Errorf("%s name %s, which is the test of %d rows of docs/PROMISES.md: %s", pages, name, len(rows[name]), rows[name])
		}
	}
}

// pagesForMaintainers returns the text of docs/DESIGN.md and of the pages in docs/design.
func pagesForMaintainers(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("docs/design/*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d pages in docs/design: %v", len(files), err)
	}
	text := must.Read(t, "docs/DESIGN.md")
	for _, file := range files {
		text += must.Read(t, file)
	}
	return text
}

// A file that the pages for maintainers name exists. One that is named without a folder may be in any.
func TestFilesOfTheDesignExist(t *testing.T) {
	t.Parallel()
	fromRoot()
	named := regexp.MustCompile("`([\\w/.-]+\\.go)`").FindAllStringSubmatch(pagesForMaintainers(t), -1)
	if len(named) < 30 {
		t.Errorf("the pages for maintainers name %d files, want 30 or more", len(named))
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
			t.Errorf("a page for maintainers names %s, which is nowhere", name)
		}
	}
}

// Each report in tests/reports/testdata begins with the situation that it is of.
func TestReportsSayTheirSituation(t *testing.T) {
	t.Parallel()
	fromRoot()
	files, err := filepath.Glob("tests/reports/testdata/*.txtar")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d reports, want 60 or more: %v", len(files), err)
	}
	reportOf := map[string]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		about := strings.Join(strings.Fields(string(archive.Comment)), " ")
		if other := reportOf[about]; about == "" || other != "" {
			t.Errorf("%s does not say of which situation it is, or %q says the same: %q", file, other, about)
		}
		reportOf[about] = file
	}
}
