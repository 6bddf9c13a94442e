package mutate

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// command returns the promptecho command, built once. TestMain removes it.
var command = sync.OnceValues(func() (string, error) {
	build := exec.Command("go", "build", "-o", programs, "./cmd/promptecho")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return filepath.Join(programs, "promptecho"), nil
})

// programs is the folder of the command.
var programs string

func TestMain(m *testing.M) {
	var err error
	programs, err = os.MkdirTemp("", "promptecho-interop-mutate-")
	if err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(programs)
	os.Exit(status)
}

// packages are suite, odd and decode.
type packages struct {
	dir string // the folder that they are in
}

// copyPackages copies the packages, and what makes a module of them. The tests of package odd write
// files, which they may also do at the same time in the folder of the package.
func copyPackages(t *testing.T) packages {
	t.Helper()
	interop := t.TempDir()
	p := packages{dir: filepath.Join(interop, "mutate")}
	err := os.CopyFS(p.dir, os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "=> ../", "=> "+root+"/")
		text = strings.ReplaceAll(text, "=> ..\n", "=> "+root+"\n")
		err = os.WriteFile(filepath.Join(interop, name), []byte(text), 0o666)
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// run runs "promptecho mutate -json" on packages. It fails the test if the command reports anything
// else than findings, or if it leaves a file that is not as it was.
func (p packages) run(t *testing.T, args ...string) *result {
	t.Helper()
	bin, err := command()
	if err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, p.dir)
	cmd := exec.Command(bin, append([]string{"mutate", "-json"}, args...)...)
	cmd.Dir = p.dir
	flags := os.Getenv("GOFLAGS") + " -ldflags=-w" // linking takes most of the time
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(flags))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != 1 || stderr.Len() > 0 {
		t.Fatalf("promptecho mutate %s: %v, want exit status 1\n%s", args, err, stderr.String())
	}
	after := filesBelow(t, p.dir)
	for name, state := range before {
		if after[name] != state {
			t.Errorf("%s is %+v, and was %+v", name, after[name], state)
		}
	}
	if len(after) != len(before) {
		t.Errorf("there are %d files, and were %d", len(after), len(before))
	}
	r := new(result)
	err = json.Unmarshal(out, r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A fileState is what a run must leave as it was.
type fileState struct {
	mode     fs.FileMode
	modified string
	sum      [sha256.Size]byte // of the content
}

// filesBelow returns the states of the files and folders below a folder.
func filesBelow(t *testing.T, dir string) map[string]fileState {
	t.Helper()
	all := map[string]fileState{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s := fileState{mode: info.Mode(), modified: info.ModTime().String()}
		if s.mode.IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s.sum = sha256.Sum256(data)
		}
		all[path] = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
