package echotest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the real go test in a scratch module that uses promptecho
// as a user's module does.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				env.Setenv(name, strings.TrimSpace(string(out)))
			}
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("CI", "")
			return scratchModule(env, root)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"paste": paste},
	})
}

// scratchModule writes the go.mod and go.sum of a module example.com/app that
// needs promptecho from this tree.
func scratchModule(env *testscript.Env, root string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	text := strings.Replace(string(mod), "module github.com/promptecho/promptecho", "module example.com/app", 1)
	text += fmt.Sprintf("\nrequire github.com/promptecho/promptecho v0.0.0\n\nreplace github.com/promptecho/promptecho => %q\n", root)
	if err := os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte(text), 0o666); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(env.WorkDir, "go.sum"), sum, 0o666)
}

// paste runs the command that the last output told its reader to run, in a
// shell, as a person would.
func paste(ts *testscript.TestScript, neg bool, args []string) {
	command := regexp.MustCompile(`(?m)^\s+(PROMPTECHO_MODE=all go test .*)$`).FindStringSubmatch(ts.ReadFile("stdout"))
	if command == nil {
		ts.Fatalf("the output has no command to paste")
	}
	err := ts.Exec("sh", "-c", command[1])
	if (err != nil) != neg {
		ts.Fatalf("%s: %v", command[1], err)
	}
}
