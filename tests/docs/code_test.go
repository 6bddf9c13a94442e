package docs_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Each block of code in the documentation is run by a test, or says why not. Its mark names the file: under
// "<!-- code: FILE -->" it stands in that file as it is, under "<!-- ci:NAME -->" .ci/run runs it, under
// "<!-- not run: REASON -->" nothing does.
func TestCodeInTheDocumentationIsRun(t *testing.T) {
	t.Parallel()
	fromRoot()
	for _, page := range pages(t) {
		text := must.Read(t, page)
		blocks := blocksOf(text)
		fences := regexp.MustCompile("(?m)^[ >]*(```|~~~)").FindAllString(text, -1)
		if len(fences) != 2*len(blocks) {
			t.Errorf("%s has %d fences, and %d blocks are found", page, len(fences), len(blocks))
		}
		for _, b := range blocks {
			if err := b.checkMark(t, page); err != nil {
				t.Errorf("%s: the mark of this block is %q: %v\n%s", page, b.mark, err, b.text)
			}
			if b.language != "yaml" {
				continue
			}
			if _, err := (yaml.Format{}).Parse(b.text); err != nil {
				t.Errorf("%s: this block is no YAML: %v\n%s", page, err, b.text)
			}
		}
	}
}

// pages returns all pages of the documentation.
func pages(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob("docs/*.md")
	if err != nil || len(guides) < 15 {
		t.Fatalf("%d pages in docs: %v", len(guides), err)
	}
	design, err := filepath.Glob("docs/design/*.md")
	if err != nil || len(design) == 0 {
		t.Fatalf("%d pages in docs/design: %v", len(design), err)
	}
	all := append(append(guides, design...), "README.md", "CONTRIBUTING.md", "SECURITY.md")
	return group.Each(all, filepath.ToSlash)
}

// A block is a fenced block of a page.
type block struct{ mark, language, text string }

// fence matches a block: its indentation, the mark in the line above it, its language and its text.
var fence = regexp.MustCompile("(?m)^( *)(?:<!-- (.*?) -->\n *)?```(\\w*)\n((?s:.*?))^ *```\n")

// blocksOf returns the blocks of a page, without their indentation.
func blocksOf(page string) (blocks []block) {
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		indentation, text := m[1], m[4]
		text = strings.ReplaceAll("\n"+text, "\n"+indentation, "\n")[1:]
		blocks = append(blocks, block{mark: m[2], language: m[3], text: text})
	}
	return blocks
}

// isRun matches files that are run: tests, what scripts run and compare with, reports that tests compare with, and
// cassettes that tests write or play.
var isRun = regexp.MustCompile(`^(` + strings.Join([]string{
	`(\w+/)*\w+_test\.go`,
	`scripts/testdata/\S+`,
	`tests/reports/testdata/\w+\.txtar`,
	`(interop/(sessions/|children/recipes/)?)?testdata/cassettes/\w+\.yaml`,
	`interop/children/testdata/misses/\w+\.txt`,
	`interop/programs/testdata/(node|npm|python)/\w+\.\w+`,
	`interop/containers/assistant\.go`,
	`tests/containers/testdata/\S+`,
	`interop/snapshots/testdata/snapshots/\w+\.snap`,
	`internal/cassette/testdata/golden\.yaml`,
	`(lint|bench/migrate)/testdata/\S+`,
}, "|") + `)$`)

// reasonNotToRun has why no test runs the blocks of a page that say so.
var reasonNotToRun = map[string]string{
	"docs/DESIGN.md":             "a drawing, which internal/testing/arch compares with the code",
	"docs/design/runs-end.md":    "a drawing, which internal/testing/arch compares with the code",
	"docs/design/concurrency.md": "a drawing of time",
	"docs/PERFORMANCE.md":        "it measures for an hour; `go -C bench test ./...` checks the contenders",
	"CONTRIBUTING.md":            "the last command is CI itself, which begins with the first",
}

// checkMark returns what is wrong with the mark of a block.
func (b block) checkMark(t *testing.T, page string) error {
	t.Helper()
	kind, what, _ := strings.Cut(b.mark, ":")
	what = strings.TrimSpace(what)
	switch kind {
	case "code":
		if !isRun.MatchString(what) {
			return fmt.Errorf("nothing runs %s", what)
		}
		if !strings.Contains(must.Read(t, what), strings.TrimSuffix(b.text, "\n")) {
			return fmt.Errorf("the block is not in %s", what)
		}
		return nil
	case "ci":
		if page == "README.md" && strings.Contains(must.Read(t, ".ci/run"), "$(below "+what+")") {
			return nil
		}
		return fmt.Errorf(".ci/run does not run %s", what)
	case "diff":
		if page == "docs/MIGRATING.md" { // a test in bench/migrate compares these
			return nil
		}
	case "not run":
		if what == reasonNotToRun[page] {
			return nil
		}
	}
	return fmt.Errorf("no test runs the block; add <!-- code: FILE -->")
}

// Every command in a sentence or a table of the documentation is one that a script of tests or of .ci runs. A word in capitals
// stands for any other, and the command may have more arguments where it is run.
func TestCommandsInTheDocumentationAreRun(t *testing.T) {
	t.Parallel()
	fromRoot()
	ran := commandsIn(must.Read(t, ".ci/run"))
	ran = append(ran, commandsIn(must.Read(t, ".ci/lint"))...)
	err := filepath.WalkDir("scripts/testdata", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			ran = append(ran, commandsIn(must.Read(t, file))...)
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
		sentences := fence.ReplaceAllString(must.Read(t, page), "")
		for _, m := range span.FindAllStringSubmatch(sentences, -1) {
			found++
			command := strings.Join(strings.Fields(m[1]), " ")
			if isNotRun(command) {
				continue
			}
			pattern := capitals.ReplaceAllString(regexp.QuoteMeta(command), `\S+`)
			if !slices.ContainsFunc(ran, regexp.MustCompile(`^`+pattern+`( |$)`).MatchString) {
				t.Errorf("%s: no script runs `%s`", page, command)
			}
		}
	}
	if found < 60 {
		t.Errorf("%d commands found, want those of README.md and docs/COMMAND.md", found)
	}
}

// commandsIn returns the lines of a script that run the go command or promptecho, without what scripts write before.
func commandsIn(script string) (commands []string) {
	for line := range strings.SplitSeq(script, "\n") {
		line = strings.TrimPrefix(line, "! ")
		line = strings.TrimPrefix(line, "exec ")
		for _, beginning := range []string{"go", "promptecho", "PROMPTECHO_MODE="} {
			if strings.HasPrefix(line, beginning) {
				commands = append(commands, line)
				break
			}
		}
	}
	return commands
}

// commandsNotRun has the beginnings of commands that no script runs, and why.
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

// isNotRun reports whether a command is one of commandsNotRun.
func isNotRun(command string) bool {
	for beginning := range commandsNotRun {
		if strings.HasPrefix(command, beginning) {
			return true
		}
	}
	return false
}
