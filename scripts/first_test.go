package scripts

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"
)

// firstModules has the modules that the scripts of testdata/first get: the variable with module and version, and the
// module of this repository whose go.mod says which version.
var firstModules = []struct{ variable, path, pinnedIn string }{
	{"OPENAI", "github.com/openai/openai-go/v3", "interop"},
	{"ANTHROPIC", "github.com/anthropics/anthropic-sdk-go", "interop"},
	{"GENAI", "google.golang.org/genai", "interop"},
	{"LANGCHAINGO", "github.com/tmc/langchaingo", "interop"},
	{"GOVCR", "gopkg.in/dnaeon/go-vcr.v4", "bench"},
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
	command(t) // and linkonce
	proxy, gopath := published(t)
	var versions []string
	for _, m := range firstModules {
		version := pinned(t, filepath.Join("..", m.pinnedIn, "go.mod"), m.path)
		versions = append(versions, m.variable+"="+m.path+"@"+version)
	}
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cache, modules := goEnv(t, "GOCACHE"), filepath.ToSlash(goEnv(t, "GOMODCACHE"))
	upstream := goEnv(t, "GOPROXY") // has what the module cache of this machine lacks
	proxies := "file://" + filepath.ToSlash(proxy) + ",file://" + modules + "/cache/download," + upstream
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "first"),
		RequireExplicitExec: true,
		Condition:           inFull,
		Setup: func(env *testscript.Env) error {
			provider := servePlug(env)
			env.Values["proxies"], env.Values["upstream"], env.Values["modules"] = proxies, upstream, modules
			bin := filepath.Join(env.WorkDir, "bin")
			env.Vars = append(env.Vars, versions...)
			env.Vars = append(env.Vars,
				"OPENAI_BASE_URL=http://provider.example.com/v1",
				"ANTHROPIC_BASE_URL=http://provider.example.com",
				"GOOGLE_GEMINI_BASE_URL=http://provider.example.com",
				"HTTP_PROXY="+provider,
				"REPOSITORY="+repository,
				"GOPROXY="+proxies,
				"GOSUMDB=off",
				"GOTOOLCHAIN=local",
				"GOFLAGS=-modcacherw -vet=off -ldflags=-w "+quickly,
				"GOPATH="+gopath,
				"GOBIN="+bin,
				"GOCACHE="+cache,
				"CI=",
				"PATH="+bin+string(os.PathListSeparator)+env.Getenv("PATH"),
			)
			return linkOnce(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"compiled": compiled, "holds": holds, "paste": paste, "unplug": unplug,
		},
	})
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

// compiled lets the go command find the SDKs in the module cache of this machine. It compiles a package again where
// its folder is another one, which takes a minute for openai-go. The module promptecho stays the one that the script
// got, by a workspace outside of its module. "! compiled" goes back, before a command that gets modules: those of the
// script's proxy must not get into the cache of this machine.
func compiled(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) > 0 {
		ts.Fatalf("usage: [!] compiled")
	}
	ts.Setenv("GOWORK", "off")
	ts.Setenv("GOMODCACHE", "")
	ts.Setenv("GOPROXY", ts.Value("proxies").(string))
	if neg {
		return
	}
	ts.Check(ts.Exec("go", "list", "-m", "-f", "{{.Dir}}", "github.com/promptecho/promptecho"))
	got := strings.TrimSpace(ts.ReadFile("stdout"))
	file := filepath.Join(filepath.Dir(ts.MkAbs(".")), "go.work")
	text := fmt.Sprintf("go %s\n\nuse %q\n\nreplace github.com/promptecho/promptecho => %q\n",
		goVersion(), ts.MkAbs("."), got)
	ts.Check(os.WriteFile(file, []byte(text), 0o666))
	ts.Setenv("GOWORK", file)
	ts.Setenv("GOMODCACHE", ts.Value("modules").(string))
	ts.Setenv("GOPROXY", ts.Value("upstream").(string))
}

// goVersion returns the version of the go command, as go.work has it.
func goVersion() string {
	version, _, _ := strings.Cut(strings.TrimPrefix(runtime.Version(), "go"), " ")
	return version
}
