package setup

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/tree"
	"github.com/promptecho/promptecho/internal/testing/txtar"
)

var update = flag.Bool("update", false, "copy the texts of docs/CI.md and README.md")

// What promptecho init writes is what docs/CI.md and README.md show.
func TestTextsAreThoseOfTheDocumentation(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "..")
	archive, err := txtar.ParseFile(filepath.Join(root, "scripts", "testdata", "install", "ci.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{} // by the names of files
	for _, f := range archive.Files {
		shown[f.Name] = string(f.Data)
	}
	_, code, _ := strings.Cut(string(readme), "\n```go\n")
	shown["README.md"], _, _ = strings.Cut(code, "```\n")

	for _, tt := range []struct{ shown, file, text string }{
		{".gitignore", "gitignore", gitignore},
		{".gitattributes", "gitattributes", gitattributes},
		{".github/workflows/test.yml", "workflow.yml", workflow},
		{".gitlab-ci.yml", "gitlab.yml", gitlab},
		{"README.md", "first_test.txt", firstTest},
	} {
		if *update {
			tree.Write(t, "texts", map[string]string{tt.file: shown[tt.shown]})
			continue
		}
		if shown[tt.shown] != tt.text {
			t.Errorf("texts/%s is not the %s that the documentation shows; to copy it: "+
				"go test ./cmd/promptecho/internal/setup -update", tt.file, tt.shown)
		}
	}
	for name, text := range map[string]string{"workflow.yml": workflow, "gitlab.yml": gitlab} {
		if verifyStep(text) == "" {
			t.Errorf("texts/%s has no step that checks cassettes", name)
		}
	}
}

// Lines that promptecho init adds end as the other lines of the file do, and begin on a line of
// their own.
func TestLinesAreAddedAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"", "a\nb\n"},
		{"x\n", "x\na\nb\n"},
		{"x", "x\na\nb\n"},
		{"x\r\ny\r\n", "x\r\ny\r\na\r\nb\r\n"},
		{"x\r\ny", "x\r\ny\r\na\r\nb\r\n"},
		{"\ufeffx\n\n", "\ufeffx\n\na\nb\n"},
	} {
		if got := appendLines(tt.text, []string{"a", "b"}); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// promptecho init adds no line that another one makes superfluous, with git and without.
func TestLinesThatAreThereAreNotAdded(t *testing.T) {
	t.Parallel()
	all := linesOf(gitignore)
	for _, tt := range []struct {
		name, ignore, nested, attributes string
		withoutGit                       bool
		ignores                          []string // patterns that are missing
		attributeLines                   int      // patterns that are missing
	}{
		{name: "nothing is there", ignores: patterns(all), attributeLines: 2},
		{name: "the same lines", ignore: gitignore, attributes: gitattributes},
		{name: "the same lines with CRLF and spaces", attributeLines: 0,
			ignore:     strings.ReplaceAll(gitignore, "\n", "\r\n"),
			attributes: strings.ReplaceAll(gitattributes, "\n", "  \r\n")},
		{name: "wider patterns", ignore: "*.partial*\n*.failed*\n*.derived.*\n*.new\n", attributes: "* -text\n"},
		{name: "a wider pattern that a later one takes back", attributeLines: 2,
			ignore: "*.new\n!*.snap.new\n*.partial*\n*.failed*\n*.derived.*\n", ignores: []string{"*.snap.new"},
			attributes: "* -text\n*.yaml text\n*.snap text\n"},
		{name: "the user un-ignores a line of ours", ignore: gitignore + "!*.snap.new\n", attributes: "testdata/** -text\n**/testdata/** -text\n"},
		{name: "patterns of one folder", nested: "*\n", ignores: patterns(all), attributeLines: 2},
		{name: "binary is -text, too", ignore: gitignore, attributes: "**/testdata/** binary\n"},
		{name: "without git, lines are compared", withoutGit: true, ignore: "*.new\n*.yaml.failed\n",
			ignores:    slices.DeleteFunc(patterns(all), func(s string) bool { return s == "*.yaml.failed" }),
			attributes: "**/testdata/cassettes/** -text\n", attributeLines: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := tempDir(t)
			tree.Write(t, top, map[string]string{
				".gitignore": tt.ignore, ".gitattributes": tt.attributes, "bot/.gitignore": tt.nested,
			})
			git := Git(runGit)
			of := top
			if tt.withoutGit {
				of = ""
			} else if _, err := runGit(top, "init", "-q"); err != nil {
				t.Fatal(err)
			}
			if got := patterns(git.MissingIgnores(of, tt.ignore)); !slices.Equal(got, tt.ignores) {
				t.Errorf(".gitignore lacks %q, want %q", got, tt.ignores)
			}
			if got := patterns(git.MissingAttributes(of, tt.attributes)); len(got) != tt.attributeLines {
				t.Errorf(".gitattributes lacks %q, want %d lines", got, tt.attributeLines)
			}
		})
	}
}

// patterns returns lines without comments.
func patterns(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(line, "#") })
}

// tempDir returns a folder whose path has no symbolic links.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func runGit(dir string, args ...string) ([]byte, error) {
	return exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
}

// A package gets a TestMain with echotest.Main if it has none, and otherwise a hint at the line to
// change.
func TestGuardOfAPackage(t *testing.T) {
	t.Parallel()
	const head = "package bot\n\nimport \"" + echotest + "\"\n\n"
	for _, tt := range []struct {
		name, text string
		want       Guard
	}{
		{"none", head, Guard{Clause: "bot"}},
		{"Main", head + "func TestMain(m *testing.M) { echotest.Main(m) }", Guard{Calls: true, Line: 5, Clause: "bot"}},
		{"Run for goleak", head + "func TestMain(m *testing.M) {\n\tgoleak.VerifyTestMain(echotest.RunFunc(func() int { return echotest.Run(m) }))\n}", Guard{Calls: true, Line: 5, Clause: "bot"}},
		{"another name", "package x\nimport e \"" + echotest + "\"\nfunc TestMain(m *testing.M) { e.Main(m) }", Guard{Calls: true, Line: 3, Clause: "x"}},
		{"no name", "package x\nimport . \"" + echotest + "\"\nfunc TestMain(m *testing.M) { Main(m) }", Guard{Calls: true, Line: 3, Clause: "x"}},
		{"in a helper", head + "func TestMain(m *testing.M) { run(m) }\n\nfunc run(m *testing.M) { echotest.Main(m) }", Guard{Calls: true, Line: 5, Clause: "bot"}},
		{"its own", "package x\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}", Guard{Line: 3, Runs: true, Clause: "x"}},
		{"goleak", "package x\nfunc TestMain(m *testing.M) {\n\tgoleak.VerifyTestMain(m)\n}", Guard{Line: 2, Clause: "x"}},
		{"a method", head + "func (s suite) TestMain(m *testing.M) { m.Run() }", Guard{Clause: "bot"}},
	} {
		dir := filepath.Join(tempDir(t), "a [b] c")
		tree.Write(t, dir, map[string]string{"b_test.go": tt.text})
		if tt.want.Line > 0 {
			tt.want.File = filepath.Join(dir, "b_test.go")
		}
		got, err := GuardOf(dir)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v\nwant %+v", tt.name, got, err, tt.want)
		}
	}

	dir := tempDir(t)
	tree.Write(t, dir, map[string]string{
		"a_test.go":    "package bot\n",
		"b_test.go":    strings.Replace(head, "bot", "bot_test", 1),
		"main_test.go": "package bot\n",
	})
	g, err := GuardOf(dir)
	path, text := testMainFile(dir, g.Clause)
	if err != nil || filepath.Base(path) != "testmain_test.go" || !strings.HasPrefix(text, "package bot_test\n") {
		t.Errorf("%v: %s has %q, want it in the package of the tests that use echotest, with a free name", err, path, text)
	}
}

// CI that is there is recognised by what it runs, not by comments.
func TestCIThatIsThere(t *testing.T) {
	t.Parallel()
	const test, verify = "- run: go test ./...\n", "- run: go run github.com/promptecho/promptecho/cmd/promptecho@latest verify\n"
	step := strings.TrimSpace(verifyStep(workflow))
	for _, tt := range []struct {
		files map[string]string
		want  string // Verifies, Tests and the advice
	}{
		{nil, " | "},
		{map[string]string{".github/workflows/a.yml": test + verify}, ".github/workflows/a.yml | .github/workflows/a.yml:1"},
		{map[string]string{".github/workflows/a.yml": test, ".github/workflows/b.yaml": "- uses: promptecho/promptecho/action@v0.1.0\n"}, ".github/workflows/b.yaml | .github/workflows/a.yml:1"},
		{map[string]string{".github/workflows/a.yml": "# promptecho verify\n" + test}, " | .github/workflows/a.yml:2 | " + step},
		{map[string]string{".github/workflows/a.yml": "- run: make\n"}, " |  | " + step},
		{map[string]string{".gitlab-ci.yml": "script:\n  - gotestsum\n"}, " | .gitlab-ci.yml:2 | - go run github.com/promptecho/promptecho/cmd/promptecho@latest verify"},
		{map[string]string{"Jenkinsfile": "// go test\nsh 'go test ./...'\n"}, " | Jenkinsfile:2 | go run github.com/promptecho/promptecho/cmd/promptecho@latest verify, and set PROMPTECHO_MODE=none in its environment: Jenkins does not set CI"},
		{map[string]string{".circleci/config.yml": "- run: go tool promptecho verify\n"}, ".circleci/config.yml | "},
	} {
		root := tempDir(t)
		tree.Write(t, root, tt.files)
		c := CIOf(root)
		got := fmt.Sprintf("%s | %s", c.Verifies, c.Tests)
		if c.Verifies == "" && c.hasAny {
			got += " | " + strings.Join(c.advice().Lines, ", ")
		}
		if got != tt.want {
			t.Errorf("%v:\n got %s\nwant %s", tt.files, got, tt.want)
		}
	}
}

// A link or a file that git would not read as text is named, and nothing is written.
func TestFilesThatGitDoesNotRead(t *testing.T) {
	t.Parallel()
	top := tempDir(t)
	if _, err := runGit(top, "init", "-q"); err != nil {
		t.Fatal(err)
	}
	p, err := PlaceOf(top, runGit)
	if err != nil || p.Root != top || p.Top != top {
		t.Fatal(p, err)
	}
	for _, make := range []func(path string) error{
		func(path string) error { return os.Symlink("elsewhere", path) },
		func(path string) error { return os.WriteFile(path, []byte("a\x00\n\x00"), 0o666) },
		func(path string) error { return os.Mkdir(path, 0o777) },
	} {
		path := filepath.Join(top, ".gitattributes")
		if err := make(path); err != nil {
			t.Skip(err) // Windows lets only some users make links
		}
		_, err := PlanFor(p, nil, true, runGit, func(s string) string { return s })
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("the error is %v, want one that names %s", err, path)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
