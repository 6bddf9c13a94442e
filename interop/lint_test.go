package interop

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// command returns the promptecho command, built once.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "promptecho")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir, "./cmd/promptecho")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return filepath.Join(dir, "promptecho"), nil
})

// lint runs promptecho lint and returns its output and its exit status.
func lint(t *testing.T, dir string, args ...string) (out string, status int) {
	t.Helper()
	bin, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{"lint"}, args...)...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	data, err := cmd.Output()
	if said.Len() > 0 {
		t.Fatalf("promptecho lint: %v\n%s", err, said.String())
	}
	return string(data), cmd.ProcessState.ExitCode()
}

// Every rule of promptecho lint finds what it names in code with the types of the SDKs, and nothing
// else. The comments in testdata/lint say what, in the way of package analysistest. All rules run
// at once, so none finds something in what is there for another. They run by go vet, as for a user:
// analysistest would load the SDKs from their sources, which takes a minute. What needs no SDK is
// tested by it in the module lint, too.
func TestLint(t *testing.T) {
	t.Parallel()
	out, status := lint(t, ".", "-json", "./testdata/lint/...")
	if status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	var findings []struct{ Rule, Place, Message string }
	if err := json.Unmarshal([]byte(out), &findings); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	wanted := wants(t, "testdata/lint")
	ruled := map[string]bool{}
	for _, f := range findings {
		ruled[f.Rule] = true
		place := strings.Join(strings.Split(f.Place, ":")[:2], ":")
		want := wanted[place]
		delete(wanted, place)
		if message := f.Message + " (" + f.Rule + ")"; want == nil || !want.MatchString(message) {
			t.Errorf("%s: %s\nwant: %v", place, message, want)
		}
	}
	for place, want := range wanted {
		t.Errorf("%s: nothing is found, want: %s", place, want)
	}
	// The findings of unnoticed are not in Go files: TestLinesOfUnnoticed has them.
	if len(ruled) != 9 {
		t.Errorf("rules that find something: %v", ruled)
	}
}

// wants returns what comments say that is found, by file and line.
func wants(t *testing.T, dir string) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := map[string]*regexp.Regexp{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if _, want, ok := strings.Cut(line, "// want `"); ok {
				found[fmt.Sprintf("%s:%d", abs, i+1)] = regexp.MustCompile(strings.TrimSuffix(want, "`"))
			}
		}
	}
	return found
}

// Every fix of promptecho lint compiles, and leaves nothing to find. The result is what the golden
// files say.
func TestLintFixes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod := strings.Replace(read(t, "go.mod"), "=> ../", "=> "+root, 1)
	write(t, filepath.Join(dir, "go.mod"), mod)
	write(t, filepath.Join(dir, "go.sum"), read(t, "go.sum"))
	sources, err := filepath.Glob("testdata/lintfixes/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	for _, s := range sources {
		write(t, filepath.Join(dir, filepath.Base(s)), read(t, s))
	}
	// A recorder that one fix makes is what another one needs.
	for range 2 {
		lint(t, dir, "-fix", ".") // which fails if the code does not compile
	}
	if out, status := lint(t, dir, "-diff", "."); out != "" || status != 0 {
		t.Errorf("-diff after -fix has status %d:\n%s", status, out)
	}
	for _, s := range sources {
		got := read(t, filepath.Join(dir, filepath.Base(s)))
		if *update {
			write(t, s+".golden", got)
		} else if want := read(t, s+".golden"); got != want {
			t.Errorf("%s is now\n%s\nwant\n%s\n(go test -run TestLintFixes -update writes it)", s, got, want)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files of lint's fixes")

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
