package promptecho

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/txtar"
)

// Code in the documentation is code that runs: a block under
// "<!-- code: FILE -->" must be in that file as it is.
func TestDocumentedCode(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- code: (\\S+) -->\n```\\w+\n(.*?)```")
	found := 0
	for _, page := range append(pages, "README.md") {
		for _, m := range block.FindAllStringSubmatch(read(t, page), -1) {
			found++
			if src := read(t, m[1]); !strings.Contains(src, m[2]) {
				t.Errorf("%s: this block is not in %s:\n%s", page, m[1], m[2])
			}
		}
	}
	if found < 14 {
		t.Errorf("%d blocks of code found, want those of README.md, docs/CASSETTE.md and docs/MISSES.md", found)
	}
}

// Every block of docs/COMMAND.md is what a script runs, or what it says.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile("(?m)^(.*)\n```\\w").FindAllStringSubmatch(read(t, "docs/COMMAND.md"), -1)
	for _, m := range shown {
		if !regexp.MustCompile(`^<!-- code: (scripts/testdata/\S+|cmd/promptecho/completion)\.\w+ -->$`).MatchString(m[1]) {
			t.Errorf("docs/COMMAND.md: no script is named above the block under %q", m[1])
		}
	}
	if len(shown) < 10 {
		t.Errorf("docs/COMMAND.md has %d blocks, want those of its verbs", len(shown))
	}
}

// Links between the pages lead somewhere.
func TestDocumentedLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

// The documentation of a mode names every mode, and each by its name.
func TestDocumentedModes(t *testing.T) {
	t.Parallel()
	readme := read(t, "README.md")
	for _, m := range []Mode{ModeNone, ModeCompare, ModeNewEpisodes, ModeUpdate, ModeAll, ModeLive} {
		if !strings.Contains(readme, "PROMPTECHO_MODE="+string(m)+" ") {
			t.Errorf("README.md does not show mode %s", m)
		}
	}
}

// The tests that the documentation names as proof exist.
func TestDocumentedTests(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, pattern := range []string{"*_test.go", "interop/*_test.go", "browser/*_test.go", "cmd/*/*_test.go", "internal/*/*_test.go", "echotest/*_test.go", "echofault/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			source.WriteString(read(t, file))
		}
	}
	for file, least := range map[string]int{"docs/SUPPORT.md": 50, "docs/SECURITY.md": 40, "docs/DESIGN.md": 15, "docs/FAULTS.md": 5} {
		names := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(read(t, file), -1)
		for _, m := range names {
			if !strings.Contains(source.String(), "func "+m[1]+"(") {
				t.Errorf("%s names %s, which is nowhere", file, m[1])
			}
		}
		if len(names) < least {
			t.Errorf("%s names %d tests, want %d or more", file, len(names), least)
		}
	}
}

// Every report of testdata/reports is listed in docs/MISSES.md under what it is about.
func TestDocumentedReports(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/MISSES.md")
	files, err := filepath.Glob("testdata/reports/*.txtar")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d reports, want 60 or more: %v", len(files), err)
	}
	for _, file := range files {
		about := strings.Join(strings.Fields(string(txtar.Parse([]byte(read(t, file))).Comment)), " ")
		if line := "- [" + about + "](../" + file + ")\n"; !strings.Contains(page, line) {
			t.Errorf("docs/MISSES.md does not list a report; add under \"All reports\":\n%s", line)
		}
	}
}
