// Package migrate proves docs/MIGRATING.md: it records with the real go-vcr, imports, makes
// the edits that the page shows, and runs every command of it.
package migrate

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

var update = flag.Bool("update", false, "write the diffs into docs/MIGRATING.md")

const (
	page = "../../docs/MIGRATING.md"
	key  = "echo-secret-migrate-0123456789"
)

// A diff of the page: the file that changes, and the diff itself.
var shown = regexp.MustCompile("(?s)<!-- diff: (\\S+) -->\n```diff\n(.*?)```\n")

// TestPage: the page shows how each test in testdata/before becomes that in testdata/after.
// go test ./migrate -update writes it.
func TestPage(t *testing.T) {
	text, found := read(t, page), map[string]bool{}
	right := shown.ReplaceAllStringFunc(text, func(block string) string {
		file := shown.FindStringSubmatch(block)[1]
		found[file] = true
		diff := unified(file, read(t, "testdata/before/"+file), read(t, "testdata/after/"+file))
		return "<!-- diff: " + file + " -->\n```diff\n" + diff + "```\n"
	})
	switch {
	case right == text:
	case *update:
		if err := os.WriteFile(page, []byte(right), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s shows other diffs than testdata has; go test ./migrate -update writes\n%s", page, right)
	}
	for _, m := range regexp.MustCompile("(?m)^(.*)\n```\\w").FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`^<!-- (diff: \S+|code: (?:bench/migrate/testdata|scripts/testdata/first|interop/fakes)/\S+) -->$`).MatchString(m[1]) {
			t.Errorf("%s: no file is named above the block under %q", page, m[1])
		}
	}
	err := fs.WalkDir(os.DirFS("testdata/after"), ".", func(file string, d fs.DirEntry, err error) error {
		if _, changed := os.Stat("testdata/before/" + file); err == nil && changed == nil && !d.IsDir() && !found[file] {
			t.Errorf("%s does not show how %s changes", page, file)
		}
		return err
	})
	if err != nil || len(found) < 4 {
		t.Errorf("%d diffs, %v", len(found), err)
	}
}

// TestMigration records the suites of go-vcr and httprr against a server of this machine,
// takes that away, and does what the page says, in its order. At each comment of its commands
// it makes the edits: of one test, and of the others.
func TestMigration(t *testing.T) {
	t.Parallel()
	app := newApp(t)
	provider := fakeprovider.New()
	defer provider.Close()
	app.setenv("OPENAI_BASE_URL=" + provider.URL + "/v1")
	app.run(t, "RECORD=1 OPENAI_API_KEY="+key+" go test ./chat")
	app.run(t, "mkdir title/testdata && OPENAI_API_KEY="+key+" go test ./title -httprecord=.")
	app.run(t, "git init -q && git add . && git -c user.name=x -c user.email=x@example.com commit -q -m recorded")
	provider.Close()

	out := app.run(t, "go test ./...")
	for _, want := range []string{"--- SKIP: TestAnswer", "--- PASS: TestStream", "--- PASS: TestTitle"} {
		if !strings.Contains(out, want) {
			t.Errorf("before: want %q in\n%s", want, out)
		}
	}
	// What the page says of go-vcr: its default matcher wants the key that it has written, and
	// the stream is there at once.
	if !strings.Contains(read(t, app.file("chat/testdata/fixtures/answer.yaml")), key) {
		t.Error("go-vcr has not written the key")
	}
	app.fails(t, "TestAnswer", "OPENAI_API_KEY=another go test ./chat")
	app.write(t, "chat/stream_test.go", read(t, "testdata/after/chat/stream_test.go"))
	app.fails(t, "TestStream", "go test ./chat")
	app.run(t, "git checkout -q .")

	diffs := shown.FindAllStringSubmatch(read(t, page), -1)
	edit := func(n int) {
		for _, m := range diffs[:n] {
			app.stdin(t, m[2], "git apply -")
			if read(t, app.file(m[1])) != read(t, "testdata/after/"+m[1]) {
				t.Errorf("the diff of %s does not lead to testdata/after", m[1])
			}
		}
		diffs = diffs[n:]
	}
	edits := 0
	for command := range strings.Lines(read(t, "testdata/steps.sh")) {
		switch {
		case !strings.HasPrefix(command, "#"):
			out = app.run(t, command)
		case edits == 0:
			edit(1)
			app.run(t, "go test ./...") // the others still run as they did
			edits++
		default:
			edit(len(diffs))
			edits++
		}
		if strings.Contains(command, "go test") && (!strings.Contains(out, "--- PASS: TestAnswer") || strings.Contains(out, "--- SKIP")) {
			t.Errorf("%s: it has skipped tests:\n%s", command, out)
		}
	}
	if edits != 2 || len(diffs) > 0 {
		t.Errorf("edited %d times, %d diffs are left", edits, len(diffs))
	}

	if left := app.run(t, "cat go.mod; grep -rl -e go-vcr -e httprr --include=*.go . || true"); strings.Contains(left, "go-vcr") || strings.Contains(left, ".go") {
		t.Errorf("something of the other tools is left:\n%s", left)
	}
	if found := app.run(t, "git ls-files -co | xargs grep -l "+key+" || true"); found != "" {
		t.Errorf("the key is in %s", found)
	}
	app.run(t, "go test ./...")
}

// TestPort does what the page says of vcrpy, whose cassette was written by PyYAML, as vcrpy
// calls it. The Python test is not run.
func TestPort(t *testing.T) {
	t.Parallel()
	app := newApp(t)
	app.write(t, "translate/translate_test.go", read(t, "testdata/after/translate/translate_test.go"))
	out := ""
	for command := range strings.Lines(read(t, "testdata/port.sh")) {
		out = app.run(t, command)
	}
	if !strings.Contains(out, "--- PASS: TestTranslate") {
		t.Errorf("got\n%s", out)
	}
}

// An app is a module as a user has it, in a folder of its own, beside a service in Python.
type app struct {
	dir string
	env []string
}

func newApp(t *testing.T) *app {
	t.Helper()
	work := t.TempDir()
	a := &app{dir: filepath.Join(work, "app")}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"before": "app", "python": "service"} {
		if err := os.CopyFS(filepath.Join(work, to), os.DirFS(filepath.Join("testdata", from))); err != nil {
			t.Fatal(err)
		}
	}
	mod := strings.NewReplacer("github.com/promptecho/promptecho/bench", "example.com/app", "=> ../", "=> "+root).Replace(read(t, "../go.mod"))
	a.write(t, "go.mod", mod)
	a.write(t, "go.sum", read(t, "../go.sum"))
	build := exec.Command("go", "build", "-o", work+"/bin/", "./cmd/promptecho")
	build.Dir = root // the module that requires what the command needs
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "CI" && name != "RECORD" && !strings.HasPrefix(name, "PROMPTECHO_") && !strings.HasPrefix(name, "OPENAI_") {
			a.env = append(a.env, v)
		}
	}
	a.setenv("PATH="+filepath.Join(work, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-v -count=1")
	return a
}

func (a *app) setenv(vars ...string) { a.env = append(a.env, vars...) }

func (a *app) file(name string) string { return filepath.Join(a.dir, name) }

func (a *app) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(a.file(name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// fails runs a command that must fail because of a test.
func (a *app) fails(t *testing.T, test, command string) {
	t.Helper()
	if out := a.run(t, "! "+command); !strings.Contains(out, "--- FAIL: "+test) {
		t.Errorf("%s: %s has not failed:\n%s", command, test, out)
	}
}

// run runs a command of the shell and returns what it prints.
func (a *app) run(t *testing.T, command string) string { t.Helper(); return a.stdin(t, "", command) }

func (a *app) stdin(t *testing.T, input, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin = a.dir, a.env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
