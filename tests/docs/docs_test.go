package docs_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// pages are all pages of the documentation.
func pages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages in docs: %v", len(pages), err)
	}
	design, err := filepath.Glob("docs/design/*.md")
	if err != nil || len(design) == 0 {
		t.Fatalf("%d pages in docs/design: %v", len(design), err)
	}
	pages = append(pages, design...)
	return append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md")
}

// A fenced block, with the mark in the line above it.
var fenced = regexp.MustCompile("(?m)^( *)(?:<!-- (.*?) -->\n *)?```(\\w*)\n((?s:.*?))^ *```\n")

// Files that are run: tests, what scripts run and compare with, reports that tests compare
// with, cassettes that tests write or play.
var isRun = regexp.MustCompile(`^((\w+/)*\w+_test\.go|scripts/testdata/\S+|tests/reports/testdata/\w+\.txtar|(interop/)?testdata/cassettes/\w+\.yaml|interop/snapshots/testdata/snapshots/\w+\.snap|internal/cassette/testdata/golden\.yaml|(lint|bench/migrate)/testdata/\S+)$`)

// What no test runs, and why.
var notRun = map[string]string{
	"docs/DESIGN.md":             "a drawing, which internal/testing/arch compares with the code",
	"docs/design/runs-end.md":    "a drawing, which internal/testing/arch compares with the code",
	"docs/design/concurrency.md": "a drawing of time",
	"docs/PERFORMANCE.md":        "it measures for an hour; `go -C bench test ./...` checks the contenders",
	"CONTRIBUTING.md":            "the last command is CI itself, which begins with the first",
}

// Every block of the documentation is run by a test, and its mark says by which: under
// "<!-- code: FILE -->" it stands in that file as it is, and under "<!-- ci:NAME -->" .ci/run
// runs it. Under "<!-- not run: REASON -->" nothing does.
func TestDocumentedCode(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		text := must.Read(t, page)
		blocks := fenced.FindAllStringSubmatch(text, -1)
		if fences := regexp.MustCompile("(?m)^[ >]*(```|~~~)").FindAllString(text, -1); len(fences) != 2*len(blocks) {
			t.Errorf("%s has %d fences, and %d blocks are found", page, len(fences), len(blocks))
		}
		for _, m := range blocks {
			mark, block := m[2], strings.ReplaceAll("\n"+m[4], "\n"+m[1], "\n")[1:]
			kind, what, _ := strings.Cut(mark, ":")
			what = strings.TrimSpace(what)
			switch {
			case kind == "code" && !isRun.MatchString(what):
				t.Errorf("%s: nothing runs %s, which is the mark of\n%s", page, what, block)
			case kind == "code":
				if !strings.Contains(must.Read(t, what), strings.TrimSuffix(block, "\n")) {
					t.Errorf("%s: this block is not in %s:\n%s", page, what, block)
				}
			case kind == "ci" && page == "README.md":
				if !strings.Contains(must.Read(t, ".ci/run"), "$(below "+what+")") {
					t.Errorf("%s: .ci/run does not run %s", page, mark)
				}
			case kind == "diff" && page == "docs/MIGRATING.md": // a test in bench/migrate compares these
			case kind == "not run" && what == notRun[page]:
			default:
				t.Errorf("%s: no test runs this block, whose mark is %q; add <!-- code: FILE -->:\n%s", page, mark, block)
			}
			if m[3] == "yaml" {
				if _, err := (yaml.Format{}).Parse(block); err != nil {
					t.Errorf("%s: this block is no YAML: %v\n%s", page, err, block)
				}
			}
		}
	}
}

// Commands in sentences and tables that no script runs, and why.
var commandsNotRun = map[string]string{
	"go -C bench run ./cmd/table":                              "it measures for an hour",
	"go -C bench run ./cmd/growth":                             "it measures for an hour",
	"go -C bench test ./...":                                   ".ci/run does, with more flags",
	"go -C browser test -run Screens -screenshots DIR":         ".ci/run does, without pictures",
	"go -C bench test ./migrate -update":                       ".ci/run does, without the flag",
	"go -C interop test ./waits -update":                       ".ci/run does, without the flag",
	"go -C bench test -run '^$' -bench":                        "it measures",
	"go test ./internal/testing/arch -run TestSurface -update": ".ci/run does, without the flag",
	"go install github.com/promptecho/promptecho/store":        "it takes a release",
	"go test -httprecord=REGEXP":                               "it is a flag of httprr",
	"go test -overlay":                                         "this is what promptecho observe runs",
}

// Every command in a sentence or a table is one that a script or .ci/run runs, from its first
// word on. A word in capitals stands for any other.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	ran := "\n" + must.Read(t, ".ci/run")
	err := filepath.WalkDir("scripts/testdata", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			ran += "\n" + must.Read(t, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	span := regexp.MustCompile("`((?:PROMPTECHO_MODE=\\w+ )?(?:go|promptecho)\\s[^`]+)`")
	capitals := regexp.MustCompile(`\b[A-Z]+\b`)
	found := 0
	for _, page := range pages(t) {
		for _, m := range span.FindAllStringSubmatch(fenced.ReplaceAllString(must.Read(t, page), ""), -1) {
			found++
			command := strings.Join(strings.Fields(m[1]), " ")
			if slices.ContainsFunc(slices.Collect(maps.Keys(commandsNotRun)), func(c string) bool { return strings.HasPrefix(command, c) }) {
				continue
			}
			line := capitals.ReplaceAllString(regexp.QuoteMeta(command), `\S+`)
			if !regexp.MustCompile(`(?m)^(! )?(exec )?` + line + `( |$)`).MatchString(ran) {
				t.Errorf("%s: no script runs `%s`", page, command)
			}
		}
	}
	if found < 60 {
		t.Errorf("%d commands found, want those of README.md and docs/COMMAND.md", found)
	}
}

// Links between the pages lead somewhere.
func TestDocumentedLinks(t *testing.T) {
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

// The documentation of a mode names every mode, and each by its name.
func TestDocumentedModes(t *testing.T) {
	t.Parallel()
	readme := must.Read(t, "README.md")
	for _, m := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeCompare, promptecho.ModeNewEpisodes, promptecho.ModeUpdate, promptecho.ModeAll, promptecho.ModeLive} {
		if !strings.Contains(readme, "PROMPTECHO_MODE="+string(m)+" ") {
			t.Errorf("README.md does not show mode %s", m)
		}
	}
}

// The tests that the documentation names as proof exist.
func TestDocumentedTests(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, pattern := range []string{"*_test.go", "tests/*/*_test.go", "interop/*_test.go", "browser/*_test.go", "cmd/*/*_test.go", "cmd/promptecho/internal/*/*_test.go", "internal/*/*_test.go", "internal/*/*/*_test.go", "echotest/*_test.go", "echofault/*_test.go", "echosnap/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			source.WriteString(must.Read(t, file))
		}
	}
	pages := map[string]string{
		"docs/SUPPORT.md":      must.Read(t, "docs/SUPPORT.md"),
		"docs/SECURITY.md":     must.Read(t, "docs/SECURITY.md"),
		"docs/FAULTS.md":       must.Read(t, "docs/FAULTS.md"),
		"docs/PERFORMANCE.md":  must.Read(t, "docs/PERFORMANCE.md"),
		"pages of maintainers": designPages(t),
	}
	for file, least := range map[string]int{"docs/SUPPORT.md": 50, "docs/SECURITY.md": 40, "pages of maintainers": 60, "docs/FAULTS.md": 5, "docs/PERFORMANCE.md": 4} {
		names := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(pages[file], -1)
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

// designPages returns the pages for maintainers.
func designPages(t *testing.T) string {
	t.Helper()
	text := must.Read(t, "docs/DESIGN.md")
	files, err := filepath.Glob("docs/design/*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d pages in docs/design: %v", len(files), err)
	}
	for _, file := range files {
		text += must.Read(t, file)
	}
	return text
}

// The files that the pages for maintainers name exist. One without a folder may be in any.
func TestDocumentedFiles(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`([\\w/.-]+\\.go)`").FindAllStringSubmatch(designPages(t), -1)
	if len(named) < 30 {
		t.Errorf("docs/DESIGN.md and docs/design name %d files, want 30 or more", len(named))
	}
	for _, m := range named {
		patterns := []string{m[1]}
		if !strings.Contains(m[1], "/") {
			patterns = append(patterns, "*/"+m[1], "*/*/"+m[1], "internal/*/*/"+m[1], "cmd/promptecho/internal/*/"+m[1])
		}
		if !slices.ContainsFunc(patterns, func(pattern string) bool {
			files, err := filepath.Glob(pattern)
			return err == nil && len(files) > 0
		}) {
			t.Errorf("a page for maintainers names %s, which is nowhere", m[1])
		}
	}
}

// Each report of tests/reports/testdata begins with the situation that it is of.
func TestDocumentedReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("tests/reports/testdata/*.txtar")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d reports, want 60 or more: %v", len(files), err)
	}
	seen := map[string]string{}
	for _, file := range files {
		about := strings.Join(strings.Fields(string(txtar.Parse([]byte(must.Read(t, file))).Comment)), " ")
		if about == "" || seen[about] != "" {
			t.Errorf("%s does not say of which situation it is, or %s says the same: %q", file, seen[about], about)
		}
		seen[about] = file
	}
}
