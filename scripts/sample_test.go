package scripts

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// servePlug serves a provider for a script, and returns the address. The script's command unplug takes it
// away.
func servePlug(env *testscript.Env) (url string) {
	p := &plug{provider: fakeprovider.New()}
	server := httptest.NewServer(p)
	env.Defer(func() { server.Close(); p.provider.Close() })
	env.Values["plug"] = p
	return server.URL
}

// A plug stands between a sample repository and its provider.
type plug struct {
	provider *fakeprovider.Server

	mu   sync.Mutex
	out  bool
	lost []string // what was asked while it was out
}

func (p *plug) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	out := p.out
	if out {
		p.lost = append(p.lost, r.Method+" "+r.URL.String())
	}
	p.mu.Unlock()
	switch {
	case out:
		http.Error(w, "the provider is unplugged", http.StatusServiceUnavailable)
	case r.Host == "status.example.com": // asked through HTTP_PROXY
		fmt.Fprintln(w, "up")
	default:
		p.provider.ServeHTTP(w, r)
	}
}

// unplug takes the provider away; with "!" it is there again, and nobody must have asked.
func unplug(ts *testscript.TestScript, neg bool, _ []string) {
	p := ts.Value("plug").(*plug)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = !neg
	if len(p.lost) > 0 {
		ts.Fatalf("asked while the provider was unplugged:\n%s", strings.Join(p.lost, "\n"))
	}
}

// sampleMod returns the go.mod of a user's module: it requires what another module does.
func sampleMod(t *testing.T, other string) []byte {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", read(t, filepath.Join(other, "go.mod")), nil)
	if err == nil {
		err = errors.Join(mod.AddModuleStmt("example.com/app"), mod.AddReplace("github.com/promptecho/promptecho", "", root, ""))
	}
	if err != nil {
		t.Fatal(err)
	}
	return modfile.Format(mod.Syntax)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A repository is brought through a year of changes by the commands that are printed.
// testdata/sample is the repository, and testdata/year has the script.
func TestSample(t *testing.T) {
	t.Parallel()
	withProvider(t, "year", ".", func(dir string) error {
		return os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "sample")))
	})
}

// The commands of README.md's table do what it says, one after the other.
func TestModes(t *testing.T) {
	t.Parallel()
	withProvider(t, "modes", ".", func(string) error { return nil })
}

// withProvider runs the scripts of a folder in a user's module, which requires what another
// one does and has the files that fill writes. Its provider can be unplugged.
func withProvider(t *testing.T, scripts, other string, fill func(dir string) error) {
	t.Helper()
	bin, mod, sum := command(t), sampleMod(t, other), read(t, filepath.Join(other, "go.sum"))
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", scripts),
		RequireExplicitExec: true,
		Condition:           inFull,
		Setup: func(env *testscript.Env) error {
			provider := servePlug(env)
			if err := offline(env, bin); err != nil {
				return err
			}
			env.Setenv("OPENAI_BASE_URL", provider+"/v1")
			env.Setenv("PROXY", provider)
			return errors.Join(
				os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), mod, 0o666),
				os.WriteFile(filepath.Join(env.WorkDir, "go.sum"), sum, 0o666),
				fill(env.WorkDir),
			)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"paste": paste, "holds": holds, "unplug": unplug, "follow": follow},
	})
}
