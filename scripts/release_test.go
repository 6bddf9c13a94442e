package scripts

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// Modules that require a release record, replay, and replay with the next release, with the oldest
// and the newest Go. The release is made with the commands of CONTRIBUTING.md: the tags, the
// modules in a proxy, the files.
func TestRelease(t *testing.T) {
	t.Parallel()
	command(t) // and linkonce
	modules := inRepository(t, "go", "env", "GOMODCACHE")
	for _, dir := range []string{".", "tools", "echogrpc", "lint", "store"} { // what their modules require gets into the cache
		inRepository(t, "go", "-C", dir, "mod", "download")
	}
	downloadGraph(t)
	oldest := oldestGo(t)
	tried := runtime.GOOS + "/" + runtime.GOARCH + ",windows/amd64"
	if full.Set() {
		tried = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "release"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			provider := servePlug(env)
			bin := filepath.Join(env.WorkDir, "bin")
			if err := errors.Join(
				os.MkdirAll(bin, 0o777),
				cloneOf(t, env.WorkDir),
				os.CopyFS(filepath.Join(env.WorkDir, "sample"), os.DirFS(filepath.Join("testdata", "sample"))),
				os.CopyFS(filepath.Join(env.WorkDir, "every"), os.DirFS(filepath.Join("..", "internal", "cassette", "testdata"))),
				os.WriteFile(filepath.Join(env.WorkDir, "sample", "go.mod"), withoutPromptecho(t), 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "sample", "go.sum"), read(t, "go.sum"), 0o666),
				offline(env, bin),
			); err != nil {
				return err
			}
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("MODULES", modules)
			env.Setenv("GOPROXY", "file://"+filepath.ToSlash(modules)+"/cache/download")
			env.Setenv("GOSUMDB", "off")
			// As the files of a release are built: what is compiled for one is found again by the others.
			env.Setenv("GOFLAGS", "-modcacherw -trimpath "+env.Getenv("GOFLAGS"))
			env.Setenv("CGO_ENABLED", "0")
			env.Setenv("GOBIN", bin)
			env.Setenv("OLDEST", oldest)
			env.Setenv("PLATFORMS", tried)
			env.Setenv("HOST", runtime.GOOS+"_"+runtime.GOARCH)
			env.Setenv("OPENAI_BASE_URL", provider+"/v1")
			env.Setenv("PROXY", provider)
			return nil
		},
		Condition: inFull,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"unplug": unplug},
	})
}

// downloadGraph gets the go.mod and the .info of each module in the whole graph into the module
// cache. gorelease loads the last release in a module without a go directive, for which nothing of
// the graph is left out (https://go.dev/ref/mod#graph-pruning). The command mod graph gets no .info
// of a module whose go.mod is there.
func downloadGraph(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	mod := strings.Replace(goMod(t), "go 1.25.0", "go 1.16", 1)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		t.Fatal(err)
	}
	inRepository(t, "go", "-C", dir, "mod", "graph")
	inRepository(t, "go", "-C", dir, "list", "-m", "-json", "-mod=mod", "all")
}

// inRepository runs a command in the root of the repository, and returns what it prints.
func inRepository(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = "..", &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// oldestGo returns the folder of the oldest Go that the library supports, which go.mod names. The
// go command downloads it. Without a network, it is the Go of this test; in CI it must be there.
func oldestGo(t *testing.T) string {
	t.Helper()
	mod, err := modfile.Parse("go.mod", read(t, filepath.Join("..", "go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=go"+mod.Go.Version)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return strings.TrimSpace(string(out))
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("Go %s, which go.mod promises, cannot be downloaded: %v\n%s", mod.Go.Version, err, out)
	}
	t.Logf("Go %s cannot be downloaded; the release is used only with this Go: %s", mod.Go.Version, out)
	return inRepository(t, "go", "env", "GOROOT")
}

// cloneOf makes a repository with what HEAD has, in one commit on branch main, without a tag and
// with an empty changelog. It makes a clone of it: origin.git and clone.
func cloneOf(t *testing.T, dir string) error {
	t.Helper()
	origin, clone := filepath.Join(dir, "origin.git"), filepath.Join(dir, "clone")
	tree := inRepository(t, "git", "rev-parse", "HEAD^{tree}")
	inRepository(t, "git", "clone", "--quiet", "--bare", "--no-tags", ".", origin)
	git := func(args ...string) string {
		return inRepository(t, append([]string{"git", "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
	}
	start := git("-C", origin, "commit-tree", "-m", "start", tree)
	git("-C", origin, "update-ref", "refs/heads/main", start)
	git("-C", origin, "symbolic-ref", "HEAD", "refs/heads/main")
	git("clone", "--quiet", "--no-tags", "--single-branch", origin, clone)
	git("-C", clone, "config", "user.name", "x")
	git("-C", clone, "config", "user.email", "x@example.com")
	changelog := filepath.Join(clone, "CHANGELOG.md")
	extra := filepath.Join(clone, "echofault", "extra.go") // has a name that the script removes
	err := errors.Join(
		os.WriteFile(changelog, []byte("# Changelog\n\n## Unreleased\n\n- Everything.\n"), 0o666),
		os.WriteFile(extra, []byte("package echofault\n\n// Extra does nothing.\nfunc Extra() {}\n"), 0o666),
	)
	git("-C", clone, "add", "-A")
	git("-C", clone, "commit", "--quiet", "-m", "an empty changelog")
	return err
}

// withoutPromptecho returns the go.mod of the sample before it gets the library.
func withoutPromptecho(t *testing.T) []byte {
	t.Helper()
	const path = "github.com/promptecho/promptecho"
	mod, err := modfile.Parse("go.mod", read(t, "go.mod"), nil)
	if err == nil {
		err = errors.Join(mod.AddModuleStmt("example.com/app"), mod.DropReplace(path, ""), mod.DropRequire(path))
	}
	if err != nil {
		t.Fatal(err)
	}
	mod.Cleanup()
	return modfile.Format(mod.Syntax)
}
