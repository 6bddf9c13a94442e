package scripts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// outgrownHead is what the test files of TestOutgrown begin with. What is sent
// is written to a file.
const outgrownHead = `package %s

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

type provider struct{}

func (provider) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	f, err := os.OpenFile(os.Getenv("SENT"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	f.WriteString(string(body) + "\n")
	f.Close()
	return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(strings.NewReader("{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"ok\"}}]}")),
	}, nil
}

func open(t *testing.T) *promptecho.Recorder {
	t.Helper()
	return echotest.New(t, promptecho.Upstream(provider{}))
}

func ask(t *testing.T, rec *promptecho.Recorder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json",
			strings.NewReader("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\""+text+"\"}]}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Error(resp.Status)
		}
	}
}

`

// An outgrownCase is a change of tests, with what a run says and what it costs.
type outgrownCase struct {
	name          string
	before, after map[string]string // the tests of packages, by their folders
	pinned        bool              // run also without FULL=1

	sent     int      // requests that the change costs
	commands []string // the parts of the commands that are pasted; each run prints the next one
	left     string   // the cassettes that prune deletes after that, without their folders
	moved    func(dir string) error
}

var outgrownCases = []outgrownCase{
	{
		name:     "moved to another package",
		pinned:   true,
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }; func TestA(t *testing.T) { ask(t, open(t), "a") }`, "b": `func TestB(t *testing.T) { ask(t, open(t), "b") }`},
		after:    map[string]string{"a": `func TestA(t *testing.T) { ask(t, open(t), "a") }`, "b": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }; func TestB(t *testing.T) { ask(t, open(t), "b") }`},
		commands: []string{"promptecho mv "},
	},
	{
		name:     "moved and renamed",
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }; func TestA(t *testing.T) { ask(t, open(t), "a") }`, "b": `func TestB(t *testing.T) { ask(t, open(t), "b") }`},
		after:    map[string]string{"a": `func TestA(t *testing.T) { ask(t, open(t), "a") }`, "b": `func TestOther(t *testing.T) { ask(t, open(t), "one", "two") }; func TestB(t *testing.T) { ask(t, open(t), "b") }`},
		commands: []string{"promptecho mv "},
	},
	{
		name:     "moved with its subtests",
		before:   map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }; func TestA(t *testing.T) {}`},
		after:    map[string]string{"a": `func TestA(t *testing.T) {}`, "b/c": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }`},
		commands: []string{"promptecho mv "},
	},
	{
		name:     "split into subtests",
		pinned:   true,
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }`},
		after:    map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }`},
		commands: []string{"PROMPTECHO_FROM="},
		left:     "TestX.yaml",
	},
	{
		name:     "split into subtests that run in parallel, and one of which has changed",
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }`},
		after:    map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two, please"} { t.Run(s, func(t *testing.T) { t.Parallel(); ask(t, open(t), s) }) } }`},
		sent:     1,
		commands: []string{"PROMPTECHO_FROM="},
		left:     "TestX.yaml",
	},
	{
		name:     "split into functions",
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }`},
		after:    map[string]string{"a": `func TestXOne(t *testing.T) { ask(t, open(t), "one") }; func TestXTwo(t *testing.T) { ask(t, open(t), "two") }`},
		commands: []string{"PROMPTECHO_FROM=", "PROMPTECHO_FROM="},
		left:     "TestX.yaml",
	},
	{
		name:     "subtests joined",
		pinned:   true,
		before:   map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }`},
		after:    map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one", "two") }`},
		commands: []string{"PROMPTECHO_FROM="},
		left:     "one.yaml two.yaml",
	},
	{
		name:     "tests joined",
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one") }; func TestY(t *testing.T) { ask(t, open(t), "two") }`},
		after:    map[string]string{"a": `func TestZ(t *testing.T) { ask(t, open(t), "one", "two") }`},
		commands: []string{"PROMPTECHO_FROM="},
		left:     "TestX.yaml TestY.yaml",
	},
	{
		name:     "the rows of a table become functions",
		before:   map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }`},
		after:    map[string]string{"a": `func TestOne(t *testing.T) { ask(t, open(t), "one") }; func TestTwo(t *testing.T) { ask(t, open(t), "two") }`},
		commands: []string{"promptecho mv ", "promptecho mv "},
	},
	{
		name:     "a subtest becomes a test",
		before:   map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }`},
		after:    map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }; func TestTwo(t *testing.T) { ask(t, open(t), "two") }`},
		commands: []string{"promptecho mv "},
	},
	{
		name:     "functions become a table",
		before:   map[string]string{"a": `func TestOne(t *testing.T) { ask(t, open(t), "one") }; func TestTwo(t *testing.T) { ask(t, open(t), "two") }`},
		after:    map[string]string{"a": `func TestX(t *testing.T) { for _, s := range []string{"one", "two"} { t.Run(s, func(t *testing.T) { ask(t, open(t), s) }) } }`},
		commands: []string{"promptecho mv ", "promptecho mv "},
	},
	{
		name:   "the folder of a package is renamed",
		before: map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one") }`},
		moved:  func(dir string) error { return os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")) },
	},
	{
		name:     "the files of a package are moved without testdata",
		before:   map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "one") }`},
		after:    map[string]string{"b": `func TestX(t *testing.T) { ask(t, open(t), "one") }`},
		commands: []string{"promptecho mv "},
	},
	{
		name:   "a new test asks first what the others ask, and more",
		pinned: true,
		before: map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "hi", "one") }; func TestOld(t *testing.T) { t.Run("a", func(t *testing.T) { ask(t, open(t), "hi") }) }`, "b": `func TestY(t *testing.T) { ask(t, open(t), "hi", "two") }; func TestGone(t *testing.T) { ask(t, open(t), "hi", "three") }`},
		after:  map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "hi", "one") }; func TestNew(t *testing.T) { ask(t, open(t), "hi", "four") }`, "b": `func TestY(t *testing.T) { ask(t, open(t), "hi", "two") }`},
		sent:   2,
		left:   "a.yaml TestGone.yaml",
	},
	{
		name:   "a test of the same name in another package, with its own cassette",
		before: map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "hi") }`, "b": `func TestX(t *testing.T) { ask(t, open(t), "hi") }`},
		after:  map[string]string{"c": `func TestX(t *testing.T) { ask(t, open(t), "hi") }`},
		sent:   1,
	},
	{
		name:   "a test opens a recorder, and its subtests have their own",
		before: map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "hi"); t.Run("a", func(t *testing.T) { ask(t, open(t), "one") }) }`},
		after:  map[string]string{"a": `func TestX(t *testing.T) { ask(t, open(t), "hi"); t.Run("a", func(t *testing.T) { ask(t, open(t), "one") }); t.Run("b", func(t *testing.T) { ask(t, open(t), "hi") }) }`},
		sent:   1,
	},
}

// A test that is moved, split or joined gets its recordings by the command that is printed. After
// that, all tests pass without the provider, prune names what is left over, and they still pass
// without that.
func TestOutgrown(t *testing.T) {
	t.Parallel()
	bin, mod := command(t), goMod(t)
	for _, tt := range outgrownCases {
		if !tt.pinned && !full.Set() {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			testOutgrown(t, &tt, bin, mod)
		})
	}
}

func testOutgrown(t *testing.T, tt *outgrownCase, bin, mod string) {
	dir, linked := t.TempDir(), t.TempDir()
	sent := filepath.Join(dir, "sent")
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := func(packages map[string]string) {
		for folder, text := range packages {
			write(folder+"/x_test.go", fmt.Sprintf(outgrownHead, filepath.Base(folder))+text+"\n")
		}
	}
	run := func(env string, args ...string) (output string, ok bool) {
		if args[0] == "promptecho" {
			args[0] = filepath.Join(bin, args[0])
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SENT="+sent, "CI=", "PROMPTECHO_MODE=", "GOPROXY=off",
			"GOFLAGS=-mod=mod -vet=off -ldflags=-w "+linkFlag(), "LINKED="+linked,
			"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), env)
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	count := func() int {
		text, _ := os.ReadFile(sent)
		return strings.Count(string(text), "\n")
	}

	write("go.mod", mod)
	tests(tt.before)
	if out, ok := run("", "go", "test", "./..."); !ok {
		t.Fatal(out)
	}
	before := count()

	for folder := range tt.before {
		if tt.after != nil && tt.after[folder] == "" && !strings.Contains(tt.name, "own cassette") {
			if err := os.Remove(filepath.Join(dir, folder, "x_test.go")); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests(tt.after)
	if tt.moved != nil {
		if err := tt.moved(dir); err != nil {
			t.Fatal(err)
		}
	}

	out, ok := run("", "go", "test", "./...")
	for _, part := range tt.commands {
		if ok {
			t.Fatalf("nothing says what is to be done:\n%s", out)
		}
		line := regexp.MustCompile(`(?m)^ +(` + regexp.QuoteMeta(part) + `.*)$`).FindStringSubmatch(out)
		if line == nil {
			t.Fatalf("no command %q:\n%s", part, out)
		}
		if out, ok := run("", "sh", "-c", line[1]); !ok {
			t.Fatalf("%s\n%s", line[1], out)
		}
		out, ok = run("", "go", "test", "./...")
	}
	if !ok {
		t.Fatalf("it still fails:\n%s", out)
	}
	if n := count() - before; n != tt.sent {
		t.Errorf("%d requests were sent, want %d:\n%s", n, tt.sent, out)
	}

	if out, ok := run("PROMPTECHO_MODE=none", "go", "test", "-count=1", "./..."); !ok {
		t.Errorf("it cannot be replayed:\n%s", out)
	}
	out, _ = run("", "promptecho", "prune", "-w")
	var left []string
	for _, m := range regexp.MustCompile(`(?m)([^/\s]+\.yaml): .*: deleted$`).FindAllStringSubmatch(out, -1) {
		left = append(left, m[1])
	}
	if got := strings.Join(left, " "); got != tt.left {
		t.Errorf("prune deletes %q, want %q:\n%s", got, tt.left, out)
	}
	if out, ok := run("PROMPTECHO_MODE=none", "go", "test", "-count=1", "./..."); !ok {
		t.Errorf("it cannot be replayed without what was deleted:\n%s", out)
	}
}
