package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// The library and the command are installed as a user and a CI job do it. The proxy is a folder
// with this module, as it would be published, and then the module cache of this machine.
func TestInstall(t *testing.T) {
	t.Parallel()
	command(t) // and linkonce
	proxy, gopath := published(t)
	if out, err := exec.Command("go", "-C", "..", "mod", "tidy", "-diff").CombinedOutput(); err != nil { // so that the module cache has all that this one requires
		t.Fatalf("%v: %s", err, out)
	}
	cache, modules := goEnv(t, "GOCACHE"), filepath.ToSlash(goEnv(t, "GOMODCACHE"))
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "install"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy)+",file://"+modules+"/cache/download")
			env.Setenv("GOSUMDB", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", "-modcacherw -vet=off -ldflags=-w")
			env.Setenv("GOPATH", gopath)
			env.Setenv("GOBIN", filepath.Join(env.WorkDir, "bin"))
			env.Setenv("GOCACHE", cache)
			return linkOnce(env)
		},
	})
}

// goEnv returns a variable of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// published returns a proxy that has this module as version v1.0.0, and a GOPATH for the module
// cache of who gets it there. They are the same for all tests, so that it is compiled only once.
func published(t *testing.T) (proxy, gopath string) {
	t.Helper()
	proxy, gopath = filepath.Join(programs, "proxy"), filepath.Join(programs, "gopath")
	if err := publish(); err != nil {
		t.Fatal(err)
	}
	return proxy, gopath
}

// publish writes this module into the folder of the proxy.
var publish = sync.OnceValue(func() error {
	dir := filepath.Join(programs, "proxy", "github.com", "promptecho", "promptecho", "@v")
	mod, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": string(mod)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, "v1.0.0.zip"))
	if err != nil {
		return err
	}
	defer f.Close()
	return zip.CreateFromDir(f, module.Version{Path: "github.com/promptecho/promptecho", Version: "v1.0.0"}, "..")
})
