package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

var updatePromises = flag.Bool("promises", false, "write docs/PROMISES.md")

// mostWords is how long a promise may be.
const mostWords = 25

// A subject is a section of docs/PROMISES.md: folders whose tests hold what users rely on.
type subject struct {
	name    string
	about   string // "": the first sentence of the folder's package comment
	folders []string

	// The folders of packages whose tests are for maintainers. Only tests that a page of the
	// documentation names are promises.
	rooms []string
}

var subjects = []subject{
	{name: "Record modes", folders: []string{"tests/modes"}},
	{name: "Comparing with the provider", folders: []string{"tests/compare"}},
	{name: "Other models", folders: []string{"tests/models"}},
	{name: "Requests that pass", folders: []string{"tests/passthrough"}},
	{
		name:    "Matching",
		folders: []string{"tests/matching"},
		rooms:   []string{"internal/canon", "interop/coverage"},
	},
	{name: "Concurrency", folders: []string{"tests/concurrency"}},
	{
		name:    "Cancellation",
		folders: []string{"tests/cancellation"},
		rooms:   []string{"internal/exchange"},
	},
	{name: "Waits", folders: []string{"tests/waits"}},
	{
		name:    "Streams and bodies",
		folders: []string{"tests/streams"},
		rooms:   []string{"internal/stream", "internal/canon/said"},
	},
	{
		name:    "Sessions",
		folders: []string{"tests/sessions"},
		rooms:   []string{"internal/session", "internal/nethttp/websocket"},
	},
	{name: "Uploads", folders: []string{"tests/uploads"}},
	{name: "Functions", folders: []string{"tests/wrap"}},
	{name: "Time, randomness, environment", folders: []string{"tests/time"}},
	{
		name:    "Saving",
		folders: []string{"tests/saving"},
		rooms:   []string{"internal/atomicfile", "internal/cassette"},
	},
	{
		name:    "Editing by hand",
		folders: []string{"tests/editing"},
		rooms:   []string{"internal/cassette/codec", "internal/cassette/merge"},
	},
	{
		name:    "Secrets",
		folders: []string{"tests/secrets"},
		rooms:   []string{"internal/redact", "internal/redact/carrier"},
	},
	{name: "Containers", folders: []string{"tests/containers"}},
	{
		name:    "The proxy",
		folders: []string{"tests/proxy"},
		rooms:   []string{"internal/nethttp/authority", "internal/nethttp/proxy", "internal/nethttp/serve"},
	},
	{name: "Reports", folders: []string{"tests/reports"}},
	{name: "Large recordings", folders: []string{"tests/large"}},
	{
		name:    "Package echotest",
		about:   "What a test gets from its recorder, and what it is told.",
		folders: []string{"echotest", "tests/links"},
		rooms:   []string{"internal/testenv/testname"},
	},
	{
		name:    "Package echosnap",
		about:   "Snapshots of what an agent did.",
		folders: []string{"echosnap"},
	},
	{
		name:    "Package echoexec",
		about:   "Child processes that a test starts and speaks to.",
		folders: []string{"echoexec"},
		rooms:   []string{"internal/child", "internal/canon/perrun"},
	},
	{
		name:    "Package echofake",
		about:   "Answers from a script, before there is a recording.",
		folders: []string{"echofake"},
	},
	{
		name:    "Package echofault",
		about:   "Faults of a provider, played to the code under test.",
		folders: []string{"echofault"},
	},
	{
		name:  "SDKs",
		about: "Real SDKs, agents, programs and protocols, recorded and replayed.",
		folders: []string{
			"interop", "interop/sessions", "interop/children", "interop/fakes", "interop/baseurls",
			"interop/programs", "interop/rpc", "interop/milvus",
		},
	},
	{
		name:    "The command",
		about:   "What `promptecho` and `go test` print and do, in scripts.",
		folders: []string{"cmd/promptecho", "scripts", "scripts/testdata"},
		rooms: []string{
			"cmd/promptecho/internal/control",
			"cmd/promptecho/internal/foreign",
			"cmd/promptecho/internal/page",
		},
	},
	{
		name:    "The page of promptecho view",
		about:   "What a browser shows of cassettes.",
		folders: []string{"browser"},
	},
	{
		name:    "Lint",
		about:   "What `promptecho lint` and golangci-lint find.",
		folders: []string{"internal/lint", "lint"},
	},
	{
		name:    "The action",
		about:   "What the action for GitHub does in the jobs of users.",
		folders: []string{"action/promptecho-action"},
	},
	{
		name:    "The store",
		about:   "Cassettes that are kept outside of git.",
		folders: []string{"store/internal/command", "store/internal/cache", "store/internal/whole"},
	},
	{
		name:    "Documentation",
		about:   "What keeps these pages true.",
		folders: []string{"tests/docs"},
	},
}

// uncommented are the tests without a comment, each with the reason.
var uncommented = map[string]string{
	"TestCapital": "README.md shows it, and TestFirstTenMinutes says what it promises",
}

// A promise is a row of docs/PROMISES.md.
type promise struct {
	text string
	test string // its name
	file string // where it is, from the root of the repository
}

const promisesHead = `# Promises

What promptecho promises, by subject, each with the test that fails if the promise is broken. This page is made from
the first sentences of the tests: ` + "`go test ./tests/docs -run TestPromises -promises`" + ` writes it. Of a package
below ` + "`internal`" + `, it has the tests that the documentation names.
`

// The page of promises has each test of the public behaviour, with the first sentence of its comment.
func TestPromises(t *testing.T) {
	t.Parallel()
	fromRoot()
	var page strings.Builder
	page.WriteString(promisesHead)
	for _, s := range subjects {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n", s.name, aboutSubject(t, s))
		for _, p := range promisesOf(t, s) {
			if words := len(strings.Fields(p.text)); words == 0 || words > mostWords {
				t.Errorf("%s: %s begins with a sentence of %d words, want 1 to %d: %q", p.file, p.test, words, mostWords, p.text)
			}
			fmt.Fprintf(&page, "- %s [%s](../%s)\n", p.text, p.test, p.file)
		}
	}
	for _, folder := range foldersOfTests(t) {
		isSubject := func(s subject) bool { return slices.Contains(s.folders, folder) }
		if !slices.ContainsFunc(subjects, isSubject) {
			t.Errorf("%s is no subject of docs/PROMISES.md", folder)
		}
	}
	const file = "docs/PROMISES.md"
	if *updatePromises {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if must.Read(t, file) != page.String() {
		t.Errorf("%s is not what the tests say: go test ./tests/docs -run TestPromises -promises", file)
	}
}

// foldersOfTests returns the folders below tests that have tests.
func foldersOfTests(t *testing.T) (folders []string) {
	t.Helper()
	files, err := filepath.Glob("tests/*/main_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d folders of tests: %v", len(files), err)
	}
	for _, file := range files {
		folders = append(folders, filepath.ToSlash(filepath.Dir(file)))
	}
	return folders
}

// aboutSubject returns the sentence below a heading.
func aboutSubject(t *testing.T, s subject) string {
	t.Helper()
	if s.about != "" {
		return s.about
	}
	main := filepath.Join(s.folders[0], "main_test.go")
	file, err := parser.ParseFile(token.NewFileSet(), main, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	about := firstSentence(file.Doc.Text())
	if about == "" {
		t.Errorf("%s has no package comment that says what is promised", main)
	}
	return about
}

// promisesOf returns the promises of a subject, by file and in the order of their tests.
func promisesOf(t *testing.T, s subject) (all []promise) {
	t.Helper()
	for _, folder := range s.folders {
		if folder == "scripts/testdata" {
			all = append(all, promisesOfScripts(t, folder)...)
		} else {
			all = append(all, promisesOfFolder(t, folder)...)
		}
	}
	named := testsNamedInPages(t)
	for _, room := range s.rooms {
		for _, p := range promisesOfFolder(t, room) {
			if len(named[p.test]) > 0 {
				all = append(all, p)
			}
		}
	}
	return all
}

// promisesOfFolder returns the promises of the tests in a folder.
func promisesOfFolder(t *testing.T, folder string) (list []promise) {
	t.Helper()
	files, err := filepath.Glob(folder + "/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	for _, name := range files {
		list = append(list, promisesOfFile(t, filepath.ToSlash(name))...)
	}
	return list
}

// testsNamedInPages returns the tests that pages of the documentation name as proof, each with
// the pages.
func testsNamedInPages(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	named := map[string][]string{}
	for _, name := range append(files, "README.md") {
		file := filepath.ToSlash(name)
		isForUsers := file != "docs/PROMISES.md" && file != "docs/DESIGN.md" && file != "docs/PERFORMANCE.md"
		if !isForUsers {
			continue
		}
		for _, m := range namedTest.FindAllStringSubmatch(must.Read(t, file), -1) {
			named[m[1]] = append(named[m[1]], file)
		}
	}
	return named
}

var namedTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]+)`")

// promisesOfFile returns the promises of the tests and fuzz targets of a file.
func promisesOfFile(t *testing.T, name string) (list []promise) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Name.Name == "TestMain" || uncommented[fn.Name.Name] != "" || !isTestName.MatchString(fn.Name.Name) {
			continue
		}
		text := strings.TrimPrefix(fn.Doc.Text(), fn.Name.Name+": ")
		list = append(list, promise{firstSentence(text), fn.Name.Name, name})
	}
	return list
}

var isTestName = regexp.MustCompile(`^(Test|Fuzz)[A-Z0-9]`)

// promisesOfScripts returns the promises of the scripts below a folder. A script of which the
// first line is no comment serves another test.
func promisesOfScripts(t *testing.T, folder string) (list []promise) {
	t.Helper()
	files, err := filepath.Glob(folder + "/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d scripts, %v", folder, len(files), err)
	}
	for _, name := range files {
		var comment []string
		for line := range strings.Lines(must.Read(t, name)) {
			text, ok := strings.CutPrefix(line, "#")
			if !ok {
				break
			}
			comment = append(comment, strings.TrimSpace(text))
		}
		if len(comment) > 0 {
			rel, err := filepath.Rel(folder, name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, promise{firstSentence(strings.Join(comment, " ")), filepath.ToSlash(rel), filepath.ToSlash(name)})
		}
	}
	return list
}

// firstSentence returns the first sentence of a text. It begins with a capital letter, unless it
// begins with the name of the command.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end+1]
	}
	if text == "" || strings.HasPrefix(text, "promptecho ") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
