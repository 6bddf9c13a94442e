package scripts

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"github.com/promptecho/promptecho/internal/testing/standin"
)

// firstModules has the modules that the scripts of testdata/first get: the variable with the version, the package
// that is imported, and the module of this repository that says which version.
var firstModules = []struct{ variable, path, imported, pinnedIn string }{
	{"OPENAI", "github.com/openai/openai-go/v3", "", "interop"},
	{"ANTHROPIC", "github.com/anthropics/anthropic-sdk-go", "", "interop"},
	{"GENAI", "google.golang.org/genai", "", "interop"},
	{"LANGCHAINGO", "github.com/tmc/langchaingo", "/httputil", "interop"},
	{"GOVCR", "gopkg.in/dnaeon/go-vcr.v4", "/pkg/recorder", "bench"},
}

// quickly has flags with which the largest SDKs compile in half the time. They are those of .ci/run, whose compiled
// packages are found again.
const quickly = "-gcflags=github.com/openai/...=-l -gcflags=github.com/anthropics/...=-l" +
	" -gcflags=cloud.google.com/...=-l"

// The docs lead within ten minutes from an empty module, or from go-vcr, httprr or hand-written fakes, to tests that
// replay. Each script types what README.md, docs/RECIPES.md or docs/MIGRATING.md shows, and gets the published module
// from a proxy.
func TestFirstTenMinutes(t *testing.T) {
	t.Parallel()
	proxy, gopath := t.TempDir(), t.TempDir()
	publish(t, filepath.Join(proxy, "github.com", "promptecho", "promptecho", "@v"))
	tidied := exec.Command("go", "-C", "..", "mod", "tidy", "-diff") // downloads what this module requires
	if out, err := tidied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	versions := download(t)
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cache, modules := goEnv(t, "GOCACHE"), filepath.ToSlash(goEnv(t, "GOMODCACHE"))
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "first"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			p := &plug{provider: standin.New()}
			server := httptest.NewServer(p)
			env.Defer(func() { server.Close(); p.provider.Close() })
			env.Values["plug"] = p
			env.Values["modules"] = modules
			bin := filepath.Join(env.WorkDir, "bin")
			env.Vars = append(env.Vars, versions...)
			env.Vars = append(env.Vars,
				"OPENAI_BASE_URL="+server.URL+"/v1",
				"ANTHROPIC_BASE_URL="+server.URL,
				"GOOGLE_GEMINI_BASE_URL="+server.URL,
				"REPOSITORY="+repository,
				"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+modules+"/cache/download",
				"GOSUMDB=off",
				"GOTOOLCHAIN=local",
				"GOFLAGS=-modcacherw -vet=off -ldflags=-w "+quickly,
				"GOPATH="+gopath,
				"GOBIN="+bin,
				"GOCACHE="+cache,
				"CI=",
				"PATH="+bin+string(os.PathListSeparator)+env.Getenv("PATH"),
			)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"compiled": compiled, "holds": holds, "paste": paste, "unplug": unplug,
		},
	})
}

// download fills the module cache of this machine with what a new module gets that imports one of firstModules. It
// returns their versions, as variables of a script.
func download(t *testing.T) (versions []string) {
	t.Helper()
	for _, m := range firstModules {
		version := pinned(t, filepath.Join("..", m.pinnedIn, "go.mod"), m.path)
		versions = append(versions, m.variable+"="+m.path+"@"+version)
		dir := t.TempDir()
		mod := fmt.Sprintf("module example.com/app\n\ngo 1.25.0\n\nrequire %s %s\n", m.path, version)
		source := fmt.Sprintf("package app\n\nimport _ %q\n", m.path+m.imported)
		work := "go " + goVersion() + "\n\nuse .\n"
		for name, text := range map[string]string{"go.mod": mod, "app.go": source, "go.work": work} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		// The go command looks into more modules in a workspace, such as that of compiled.
		for _, mode := range [][]string{{"GOWORK=off", "GOFLAGS=-mod=mod"}, {"GOFLAGS="}} {
			list := exec.Command("go", "list", "-deps", ".")
			list.Dir, list.Env = dir, append(os.Environ(), mode...)
			if out, err := list.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", m.path, err, out)
			}
		}
	}
	return versions
}

// pinned returns the version of a module that a go.mod requires.
func pinned(t *testing.T, file, path string) string {
	t.Helper()
	mod, err := modfile.Parse(file, read(t, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	t.Fatalf("%s does not require %s", file, path)
	return ""
}

// compiled lets the go command find the SDKs in the module cache of this machine from now on. It compiles a package
// again where its folder is another one, which takes a minute for openai-go. The module promptecho stays the one
// that the script got, by a workspace that the go command does not write.
func compiled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: compiled")
	}
	ts.Check(ts.Exec("go", "list", "-m", "-f", "{{.Dir}}", "github.com/promptecho/promptecho"))
	got := strings.TrimSpace(ts.ReadFile("stdout"))
	file := filepath.Join(filepath.Dir(ts.MkAbs(".")), "go.work")
	text := fmt.Sprintf("go %s\n\nuse %q\n\nreplace github.com/promptecho/promptecho => %q\n",
		goVersion(), ts.MkAbs("."), got)
	ts.Check(os.WriteFile(file, []byte(text), 0o666))
	ts.Setenv("GOWORK", file)
	ts.Setenv("GOMODCACHE", ts.Value("modules").(string))
}

// goVersion returns the version of the go command, as go.work has it.
func goVersion() string {
	version, _, _ := strings.Cut(strings.TrimPrefix(runtime.Version(), "go"), " ")
	return version
}
