// Package scripts runs the real go command and the real promptecho command, as
// their users do, by the scripts in testdata.
package scripts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// programs has the programs that tests run, and is removed when all have run. TestMain sets it.
var programs string

// build builds promptecho, the command of the action and linkonce into programs.
var build = sync.OnceValues(func() (output []byte, err error) {
	promptecho := exec.Command("go", "build", "-o", programs, "./cmd/promptecho", "./action/promptecho-action")
	promptecho.Dir = ".." // the module that requires what the command needs
	if output, err = promptecho.CombinedOutput(); err != nil {
		return output, err
	}
	return exec.Command("go", "build", "-o", programs, "./linkonce").CombinedOutput()
})

// command returns the folder that promptecho is in. It is built once for all tests.
func command(t *testing.T) string {
	t.Helper()
	if out, err := build(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return programs
}

// goMod returns the go.mod of a user's module.
func goMod(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("module example.com/app\n\ngo 1.25.0\n\nrequire github.com/promptecho/promptecho v0.0.0\n\nreplace github.com/promptecho/promptecho => %q\n", root)
}

// Each command of promptecho prints and does what its documentation says.
func TestCommand(t *testing.T) {
	t.Parallel()
	bin := command(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "command"),
		RequireExplicitExec: true,
		Condition:           inFull,
		Setup: func(env *testscript.Env) error {
			env.Setenv("BIN", bin)
			env.Setenv("ROOT", root)
			return offline(env, bin)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"schema": schemaCommand(t)},
	})
}

// offline lets a script run go and promptecho as on a developer's machine, with the caches
// of this one and no network.
func offline(env *testscript.Env, bin string) error {
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(out)))
	}
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("GOFLAGS", "-vet=off -ldflags=-w")
	env.Setenv("GOPROXY", "off")
	env.Setenv("GOTOOLCHAIN", "local")
	env.Setenv("CI", "")
	return linkOnce(env)
}

// linkOnce lets the go commands of a script link each program only once.
func linkOnce(env *testscript.Env) error {
	linked, err := os.MkdirTemp("", "linked")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(linked) })
	env.Setenv("LINKED", linked)
	env.Setenv("LINKONCE", linkFlag())
	env.Setenv("GOFLAGS", env.Getenv("GOFLAGS")+" "+linkFlag())
	return nil
}

// inFull lets a script do [full] lines only with FULL=1.
func inFull(name string) (bool, error) {
	if name != "full" {
		return false, errors.New("no such condition")
	}
	return full.Set(), nil
}

// linkFlag returns the flag of the go command that makes it link each program only once, in the
// folder $LINKED. With FULL=1 it has none, and links whatever it links for a user.
func linkFlag() string {
	if full.Set() {
		return ""
	}
	return "-toolexec=" + filepath.Join(programs, "linkonce")
}

// What go test prints with package echotest, and the commands that it prints, work in a module of a
// user.
func TestEchotest(t *testing.T) {
	t.Parallel()
	bin, mod := command(t), goMod(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "echotest"),
		RequireExplicitExec: true,
		Condition:           inFull,
		Setup: func(env *testscript.Env) error {
			if err := offline(env, bin); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte(mod), 0o666)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"paste": paste, "holds": holds, "schema": schemaCommand(t)},
	})
}

// holds compares a part of the last output with a file: all lines of the file must stand in
// the output, one after the other.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if want := ts.ReadFile(args[0]); strings.Contains(ts.ReadFile("stdout"), want) == neg {
		ts.Fatalf("the output does not hold %s:\n%s", args[0], want)
	}
}

// paste runs the command that the last output told its reader to run, in a shell, as a
// person would: the first one with the record mode that is given, or with mode all; the last
// one with mode all; or the one of git, rm or promptecho.
func paste(ts *testscript.TestScript, neg bool, args []string) {
	what := append(args, "all")[0]
	start := map[string]string{"git": "git ", "rm": "rm ", "promptecho": "promptecho ", "last": "PROMPTECHO_MODE=all go "}[what]
	if start == "" {
		start = "PROMPTECHO_MODE=" + what + " go "
	}
	commands := regexp.MustCompile(`(?m)^\s+(`+start+`.*)$`).FindAllStringSubmatch(ts.ReadFile("stdout"), -1)
	if commands == nil {
		ts.Fatalf("the output has no command to paste")
	}
	command := commands[0]
	if what == "last" {
		command = commands[len(commands)-1]
	}
	err := ts.Exec("sh", "-c", command[1])
	if (err != nil) != neg {
		ts.Fatalf("%s: %v", command[1], err)
	}
}
